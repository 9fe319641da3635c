/** What happens at a time: scheduled messages become active, expired ones go, old ids are forgotten. */
import type { EntityStore } from "../storage/entity-store.js";
import type { MessageReader, NextTime } from "../storage/message-reader.js";
import { DueTimer } from "./due-timer.js";
import type { Destination } from "./destination.js";
import type { Queue } from "./queue.js";

const batchMax = 500;
/** A message that is locked when it expires is looked at again and again until it is not. */
const sweepEveryMs = 500;
const forgetEveryMs = 60_000;

export interface SchedulerParts {
  readonly reader: MessageReader;
  readonly entities: EntityStore;
  readonly destinations: ReadonlyMap<number, Destination>;
  readonly queues: ReadonlyMap<number, Queue>;
  readonly report: (error: unknown) => void;
}

/** The earliest time, of entities that are served: what belongs to no others is left alone. */
const earliest = (times: readonly NextTime[], served: ReadonlyMap<number, unknown>): number =>
  Math.min(...times.filter(({ entityId }) => served.has(entityId)).map(({ atMs }) => atMs));

export class Scheduler {
  readonly #parts: SchedulerParts;
  readonly #due: DueTimer;
  readonly #expiry: DueTimer;
  readonly #forgetting: NodeJS.Timeout;

  constructor(parts: SchedulerParts) {
    const { entities, report } = parts;
    this.#parts = parts;
    this.#due = new DueTimer({ work: () => this.#release(), everyMs: 0, report });
    this.#expiry = new DueTimer({ work: () => this.#sweep(), everyMs: sweepEveryMs, report });
    this.#forgetting = setInterval(() => {
      entities.forgetDuplicates(Date.now()).catch(report);
    }, forgetEveryMs);
  }

  /** Tells of a message that has to be looked at then. */
  wake({ dueMs, expiryMs }: { readonly dueMs?: number; readonly expiryMs?: number }): void {
    if (dueMs !== undefined) this.#due.wake(dueMs);
    if (expiryMs !== undefined) this.#expiry.wake(expiryMs);
  }

  /** After a start: what came due or expired meanwhile is looked after at once. */
  start(): void {
    this.wake({ dueMs: 0, expiryMs: 0 });
  }

  async stop(): Promise<void> {
    clearInterval(this.#forgetting);
    await this.#due.stop();
    await this.#expiry.stop();
  }

  async #release(): Promise<number> {
    const { reader, destinations } = this.#parts;
    const nowMs = Date.now();
    for (const { entityId, atMs } of await reader.nextDue())
      if (atMs <= nowMs)
        await destinations.get(entityId)?.release(() => reader.due(entityId, nowMs, batchMax));
    return earliest(await reader.nextDue(), destinations);
  }

  async #sweep(): Promise<number> {
    const { reader, queues } = this.#parts;
    const nowMs = Date.now();
    for (const { entityId, atMs } of await reader.nextExpiry())
      if (atMs <= nowMs)
        await queues.get(entityId)?.sweep(() => reader.expired(entityId, nowMs, batchMax));
    return earliest(await reader.nextExpiry(), queues);
  }
}
