/** Looks through the database for instances that could go on and of which memory does not know. */
import { loadMax } from "./instance-loader.js";
import type { InstanceStore } from "./instance-store.js";

export interface SweepEvents {
  /** Resolves when there is room for more instances. */
  room(): Promise<void>;
  /** This instance could go on; so many messages without a date lie in the database for it. */
  seen(instanceId: string, waiting: number): void;
}

export class Sweep {
  readonly #store: InstanceStore;
  readonly #events: SweepEvents;
  #isRunning = false;
  #isNeeded = false;
  #stopped = false;

  constructor(store: InstanceStore, events: SweepEvents) {
    this.#store = store;
    this.#events = events;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** True while something waits in the database that the next sweep is to find. */
  get isNeeded(): boolean {
    return this.#isNeeded;
  }

  /** There was no room for an instance that could go on. */
  need(): void {
    this.#isNeeded = true;
  }

  stop(): void {
    this.#stopped = true;
  }

  /** As fast as memory allows. Does nothing while a sweep is under way. */
  async run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const wasNeeded = this.#isNeeded;
    this.#isNeeded = false;
    try {
      for (let after: string | undefined = "0"; after !== undefined && !this.#stopped;) {
        const page = await this.#store.withWork(after, loadMax);
        for (const { id, waiting } of page.instances) this.#events.seen(id, waiting);
        after = page.next;
        if (after !== undefined) await this.#events.room();
      }
    } catch (error) {
      this.#isNeeded ||= wasNeeded;
      throw error;
    } finally {
      this.#isRunning = false;
    }
  }
}
