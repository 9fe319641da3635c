/** What happens at a time: scheduled messages become active, expired ones go, old ids are forgotten. */
import type { EntityStore } from "../storage/entity-store.js";
import type { MessageReader } from "../storage/message-reader.js";
import type { Destination } from "./destination.js";
import type { Queue } from "./queue.js";

const batchMax = 500;
/** Messages that are locked when they expire are looked at again; not more often than this. */
const sweepEveryMs = 500;
const forgetEveryMs = 60_000;
const longestTimerMs = 2_147_483_647;

export interface ClockworkParts {
  readonly reader: MessageReader;
  readonly entities: EntityStore;
  readonly destinations: ReadonlyMap<number, Destination>;
  readonly queues: ReadonlyMap<number, Queue>;
  readonly report: (error: unknown) => void;
}

export class Clockwork {
  readonly #parts: ClockworkParts;
  readonly #forgetting: NodeJS.Timeout;
  #timer: NodeJS.Timeout | undefined;
  #nextMs = Infinity;
  #notBeforeMs = 0;
  #working: Promise<void> | undefined;
  #stopped = false;

  constructor(parts: ClockworkParts) {
    this.#parts = parts;
    this.#forgetting = setInterval(() => {
      parts.entities.forgetDuplicates(Date.now()).catch(parts.report);
    }, forgetEveryMs);
  }

  /** Tells of a message that has to be looked at then. */
  wake({ dueMs, expiryMs }: { readonly dueMs?: number; readonly expiryMs?: number }): void {
    // An expired message may wait for the sweep, a scheduled one not.
    const atMs = Math.min(dueMs ?? Infinity, Math.max(expiryMs ?? Infinity, this.#notBeforeMs));
    if (this.#stopped || atMs >= this.#nextMs) return;
    this.#nextMs = atMs;
    clearTimeout(this.#timer);
    const delayMs = Math.min(Math.max(0, atMs - Date.now()), longestTimerMs);
    this.#timer = setTimeout(() => this.#ring(), delayMs);
  }

  async resume(): Promise<void> {
    const { dueMs, expiryMs } = await this.#parts.reader.nextTimes();
    if (dueMs !== null) this.wake({ dueMs });
    if (expiryMs !== null) this.wake({ expiryMs });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    clearInterval(this.#forgetting);
    await this.#working;
  }

  #ring(): void {
    this.#nextMs = Infinity;
    this.#working ??= this.#work()
      .catch(this.#parts.report)
      .finally(() => (this.#working = undefined))
      .then(() => (this.#stopped ? undefined : this.resume()))
      .catch((error: unknown) => {
        this.#parts.report(error);
        this.wake({ dueMs: Date.now() + 1000 });
      });
  }

  async #work(): Promise<void> {
    const { reader, destinations, queues } = this.#parts;
    const nowMs = Date.now();
    for (const entityId of await reader.entitiesWithDue(nowMs))
      await destinations.get(entityId)?.release(() => reader.due(entityId, nowMs, batchMax));
    if (nowMs < this.#notBeforeMs) return;
    this.#notBeforeMs = nowMs + sweepEveryMs;
    for (const entityId of await reader.entitiesWithExpired(nowMs))
      await queues.get(entityId)?.sweep(() => reader.expired(entityId, nowMs, batchMax));
  }
}
