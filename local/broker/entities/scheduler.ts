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
/** How long to leave an entity alone whose messages could not be seen to. */
const retryMs = 1000;

export interface SchedulerParts {
  readonly reader: MessageReader;
  readonly entities: EntityStore;
  readonly destinations: ReadonlyMap<number, Destination>;
  readonly queues: ReadonlyMap<number, Queue>;
  readonly report: (error: unknown) => void;
}

/** One kind of work: when it is next to be done where, and how it is done there. */
interface Round<Entity> {
  readonly entities: ReadonlyMap<number, Entity>;
  /** Those that could not be seen to, and when to try again. */
  readonly resting: Map<number, number>;
  readonly next: () => Promise<readonly NextTime[]>;
  readonly work: (entity: Entity, entityId: number, nowMs: number) => Promise<void>;
}

export class Scheduler {
  readonly #parts: SchedulerParts;
  readonly #due: DueTimer;
  readonly #expiry: DueTimer;
  readonly #forgetting: NodeJS.Timeout;
  readonly #releases: Round<Destination>;
  readonly #expiries: Round<Queue>;

  constructor(parts: SchedulerParts) {
    const { entities, reader, report } = parts;
    this.#parts = parts;
    this.#releases = {
      entities: parts.destinations,
      resting: new Map(),
      next: () => reader.nextDue(),
      work: (destination, entityId, nowMs) =>
        destination.release(() => reader.due(entityId, nowMs, batchMax)),
    };
    this.#expiries = {
      entities: parts.queues,
      resting: new Map(),
      next: () => reader.nextExpiry(),
      work: (queue, entityId, nowMs) =>
        queue.sweep((out) => reader.expired(entityId, nowMs, batchMax, out)),
    };
    this.#due = new DueTimer({ work: () => this.#do(this.#releases), everyMs: 0, report });
    this.#expiry = new DueTimer({
      work: () => this.#do(this.#expiries),
      everyMs: sweepEveryMs,
      report,
    });
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

  /** Sees to each entity whose time has come, and answers the next time: one's failure is its own. */
  async #do<Entity>({ entities, resting, next, work }: Round<Entity>): Promise<number> {
    const nowMs = Date.now();
    const due = async (): Promise<readonly NextTime[]> =>
      (await next()).map(({ entityId, atMs }) => ({
        entityId,
        atMs: Math.max(atMs, resting.get(entityId) ?? 0),
      }));
    for (const { entityId, atMs } of await due()) {
      const entity = entities.get(entityId);
      if (entity === undefined || atMs > nowMs) continue;
      resting.delete(entityId);
      await work(entity, entityId, nowMs).catch((error: unknown) => {
        resting.set(entityId, Date.now() + retryMs);
        this.#parts.report(error);
      });
    }
    // What belongs to no entity that is served is left alone.
    const times = (await due()).filter(({ entityId }) => entities.has(entityId));
    return Math.min(...times.map(({ atMs }) => atMs));
  }
}
