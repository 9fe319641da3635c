/** Reads instances into memory, many at a time, when something has arrived for them. */
import { setTimeout as sleep } from "node:timers/promises";
import { isOutage } from "../../../shared/platform/outage.js";
import type { Claimed, StoredInstance } from "../storage/instance-rows.js";
import { noteFailure } from "../../failures.js";
import type { InstanceStore } from "./instance-store.js";

/** So many instances are read from the database at once. */
export const loadMax = 200;

const retryMs = 200;

/** What the loader asks of memory, and tells it. */
export interface LoadEvents {
  /** Resolves when there is room for more instances. */
  room(): Promise<void>;
  /** Called before the read; false where the instance is in memory by now. */
  readBegun(instanceId: string): boolean;
  found(stored: StoredInstance): void;
  missing(instanceId: string): void;
  /** The database is away. */
  readFailed(instanceId: string): void;
  /** What lies there of it makes no sense. */
  unreadable(instanceId: string, error: unknown): void;
  /** The database holds something for it that has not been seen to. */
  changed(instanceId: string): void;
}

export class InstanceLoader {
  readonly #store: InstanceStore;
  readonly #events: LoadEvents;
  readonly #queue = new Set<string>();
  #isLoading = false;
  #stopped = false;

  constructor(store: InstanceStore, events: LoadEvents) {
    this.#store = store;
    this.#events = events;
  }

  get isBusy(): boolean {
    return this.#isLoading;
  }

  stop(): void {
    this.#stopped = true;
    this.#queue.clear();
  }

  enqueue(instanceId: string): void {
    if (this.#stopped) return;
    this.#queue.add(instanceId);
    if (!this.#isLoading) void this.#load();
  }

  async #load(): Promise<void> {
    this.#isLoading = true;
    while (this.#queue.size > 0 && !this.#stopped) {
      await this.#events.room();
      const next = [...this.#queue].slice(0, loadMax);
      for (const id of next) this.#queue.delete(id);
      const ids = next.filter((id) => this.#events.readBegun(id));
      if (ids.length > 0) await this.#read(ids);
    }
    this.#isLoading = false;
  }

  async #read(ids: readonly string[]): Promise<void> {
    let claimed: Claimed;
    try {
      claimed = await this.#store.claim(ids);
    } catch (error) {
      await this.#failed(ids, error);
      return;
    }
    if (this.#stopped) return;
    const { instances, unreadable } = claimed;
    const found = new Set([
      ...instances.map(({ row }) => row.id),
      ...unreadable.map(({ id }) => id),
    ]);
    const missing = ids.filter((id) => !found.has(id));
    for (const one of instances) this.#events.found(one);
    for (const { id, error } of unreadable) this.#events.unreadable(id, error);
    for (const id of missing) this.#events.missing(id);
    if (missing.length > 0) await this.#passOn(missing);
  }

  /** An outage passes. What else the database refuses may be the fault of one: then that is found alone. */
  async #failed(ids: readonly string[], error: unknown): Promise<void> {
    const [id, ...others] = ids;
    if (isOutage(error)) {
      noteFailure("Reading instances", error);
      await sleep(retryMs, undefined, { ref: false });
      for (const one of ids) this.#events.readFailed(one);
    } else if (others.length > 0) for (const one of ids) await this.#read([one]);
    else if (id !== undefined) this.#events.unreadable(id, error);
  }

  async #passOn(ids: readonly string[]): Promise<void> {
    try {
      await this.#store.passOn(ids);
    } catch (error) {
      noteFailure("Passing messages on", error);
      await sleep(retryMs, undefined, { ref: false });
      for (const id of ids) this.#events.changed(id);
    }
  }
}
