/** Timers in memory, ordered by the moment at which they are due. */
import type { Message } from "../protocol/messages.js";

export type DueMessage = Message & { readonly dueAt: number };

/** A binary heap; adding a message that is there already changes nothing. */
export class DueHeap {
  readonly #entries: DueMessage[] = [];
  readonly #ids = new Set<number>();

  get size(): number {
    return this.#entries.length;
  }

  get next(): DueMessage | undefined {
    return this.#entries[0];
  }

  add(message: DueMessage): void {
    if (this.#ids.has(message.id)) return;
    this.#ids.add(message.id);
    let index = this.#entries.push(message) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (this.#dueAt(parent) <= message.dueAt) break;
      this.#swap(index, parent);
      index = parent;
    }
  }

  /** Everything that is due at `now`, the earliest first. */
  takeDue(now: number): DueMessage[] {
    const due: DueMessage[] = [];
    while ((this.next?.dueAt ?? Infinity) <= now) {
      const message = this.#take();
      if (message !== undefined) due.push(message);
    }
    return due;
  }

  #take(): DueMessage | undefined {
    const first = this.#entries[0];
    const last = this.#entries.pop();
    if (first === undefined || last === undefined) return undefined;
    this.#ids.delete(first.id);
    if (first === last) return first;
    this.#entries[0] = last;
    for (let index = 0; ;) {
      const [left, right] = [2 * index + 1, 2 * index + 2];
      const child = this.#dueAt(right) < this.#dueAt(left) ? right : left;
      if (this.#dueAt(child) >= this.#dueAt(index)) return first;
      this.#swap(index, child);
      index = child;
    }
  }

  #dueAt(index: number): number {
    return this.#entries[index]?.dueAt ?? Infinity;
  }

  #swap(a: number, b: number): void {
    const [first, second] = [this.#entries[a], this.#entries[b]];
    if (first === undefined || second === undefined) return;
    this.#entries[a] = second;
    this.#entries[b] = first;
  }
}
