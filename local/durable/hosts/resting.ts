/** The instances in memory that have nothing to do now, in the order in which they came to rest. */
import type { LiveInstance } from "../turns/hub.js";

export class Resting {
  readonly #free = new Set<LiveInstance>();
  /** They stay in memory: what they hold would have to be done again. */
  readonly #holding = new Set<LiveInstance>();

  get size(): number {
    return this.#free.size + this.#holding.size;
  }

  has(instance: LiveInstance): boolean {
    return this.#free.has(instance) || this.#holding.has(instance);
  }

  add(instance: LiveInstance): void {
    this.delete(instance);
    (instance.holdsResults ? this.#holding : this.#free).add(instance);
  }

  delete(instance: LiveInstance): void {
    this.#free.delete(instance);
    this.#holding.delete(instance);
  }

  clear(): void {
    this.#free.clear();
    this.#holding.clear();
  }

  /** Lets go of the oldest, until no more than `max` are left that could leave memory. */
  *beyond(max: number): Generator<LiveInstance> {
    for (const oldest of this.#free) {
      if (this.#free.size <= max) return;
      this.#free.delete(oldest);
      yield oldest;
    }
  }
}
