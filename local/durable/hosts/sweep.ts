/** Looks through the database for instances that could go on and of which memory does not know. */
import { setTimeout as sleep } from "node:timers/promises";
import { isOutage } from "../../../shared/platform/outage.js";
import { noteFailure } from "../../failures.js";
import { loadMax } from "./instance-loader.js";
import type { InstanceStore } from "./instance-store.js";

const retryMs = 200;
/** With a hundred thousand sleepers a look takes this long, and would take a tenth of a core if never rested. */
const longLookMs = 200;
const restAfterLongLookMs = 60_000;

export interface SweepEvents {
  /** Resolves when there is room for more instances. */
  room(): Promise<void>;
  /** This instance could go on; so many messages without a date lie in the database for it. */
  seen(instanceId: string, waiting: number): void;
}

export class Sweep {
  readonly #store: Pick<InstanceStore, "withWork">;
  readonly #events: SweepEvents;
  #isRunning = false;
  /** Something may have come of which the look that is under way does not know. */
  #isWanted = false;
  #restsUntil = -Infinity;
  #isNeeded = false;
  #stopped = false;

  constructor(store: Pick<InstanceStore, "withWork">, events: SweepEvents) {
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

  /**
   * As fast as memory allows, and until it has been done: nobody else tells of what a lost answer or another
   * host has left. Called while one is under way, it has another one follow, and resolves at once.
   */
  async run(): Promise<void> {
    if (this.#isRunning) {
      this.#isWanted = true;
      return;
    }
    this.#isRunning = true;
    try {
      let isWanted = true;
      while (isWanted && !this.#stopped) isWanted = await this.#tryToLook();
    } finally {
      this.#isRunning = false;
    }
  }

  /** For a look now and then: none while one is under way, nor for a while after a long one. */
  async runInTurn(): Promise<void> {
    if (!this.#isRunning && performance.now() >= this.#restsUntil) await this.run();
  }

  /** True where another look is to follow. */
  async #tryToLook(): Promise<boolean> {
    const wasNeeded = this.#isNeeded;
    this.#isWanted = false;
    this.#isNeeded = false;
    try {
      await this.#look();
      return this.#isWanted;
    } catch (error) {
      this.#isNeeded ||= wasNeeded;
      this.#restsUntil = -Infinity;
      if (!isOutage(error)) throw error;
      noteFailure("Looking for work", error);
      await sleep(retryMs, undefined, { ref: false });
      return true;
    }
  }

  async #look(): Promise<void> {
    const begunAt = performance.now();
    for (let after: string | undefined = "0"; after !== undefined && !this.#stopped;) {
      const page = await this.#store.withWork(after, loadMax);
      for (const { id, waiting } of page.instances) this.#events.seen(id, waiting);
      after = page.next;
      if (after !== undefined) await this.#events.room();
    }
    const endedAt = performance.now();
    if (endedAt - begunAt > longLookMs) this.#restsUntil = endedAt + restAfterLongLookMs;
  }
}
