/** Where messages are sent: a queue, or a topic that copies them to its subscriptions. */
import { entityNotFound, messageNotFound, serverBusy } from "../errors.js";
import type { CommitLog, Committed } from "../storage/commit-log.js";
import type { MessageReader } from "../storage/message-reader.js";
import type { Detection } from "../storage/statements.js";
import { parseMessage, type ParsedMessage } from "../wire/sections.js";
import type { MessageKey, StoredMessage } from "../storage/stored-message.js";
import type { Numbers } from "./numbers.js";

/** What a message keeps of its way, where another entity has forwarded it to here. */
export interface Origin {
  readonly enqueuedSequenceNumber: number;
  readonly hops: number;
}

/** What is different between queues and topics. */
export interface Router {
  readonly entityId: number;
  readonly numbers: Numbers;
  /** Throws where the message may not be sent here. */
  check(message: ParsedMessage): void;
  /** The rows that a message becomes when it is enqueued. */
  place(message: ParsedMessage, origin: Origin | null): readonly StoredMessage[];
  /** The last numbers that were given out, of which some may be in none of the rows. */
  readonly counted: readonly MessageKey[];
  arrived(messages: readonly StoredMessage[]): void;
  markStale(): void;
}

export interface DestinationParts {
  readonly path: string;
  readonly router: Router;
  /** As `Destination.duplicateWindowMs`. */
  readonly duplicateWindowMs: number | null;
  readonly log: CommitLog;
  readonly reader: MessageReader;
  /** Told of times at which something has to be done. */
  readonly wake: (times: { readonly dueMs?: number; readonly expiryMs?: number }) => void;
}

/** Rows that go in the same commit in which their messages come. */
interface Replaced {
  readonly rows: readonly StoredMessage[];
  /** Null where they were scheduled here. */
  readonly origin: Origin | null;
}

export class Destination {
  readonly path: string;
  /** How long a message id is remembered; null where duplicates are not looked for. */
  duplicateWindowMs: number | null;
  /** Links to an entity that was deleted are ended, but one may have been sending just then. */
  isRemoved = false;
  /** When somebody last sent here. */
  usedAtMs = Date.now();
  readonly #parts: DestinationParts;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: DestinationParts) {
    this.path = parts.path;
    this.duplicateWindowMs = parts.duplicateWindowMs;
    this.#parts = parts;
  }

  get entityId(): number {
    return this.#parts.router.entityId;
  }

  get reader(): MessageReader {
    return this.#parts.reader;
  }

  /**
   * Takes messages, now or for the time that they name: all of them or none. Resolves when they are
   * committed, with their numbers, by which scheduled ones can be cancelled.
   */
  async send(messages: readonly ParsedMessage[]): Promise<number[]> {
    if (this.#parts.log.isFull) throw serverBusy();
    return this.#commit(messages, null);
  }

  /** Takes a message over from the entity that it is in: it is there, or here, and never in both. */
  async takeOver(message: StoredMessage, annotations = message.annotations): Promise<void> {
    const { enqueuedSequenceNumber } = message;
    const origin = { enqueuedSequenceNumber, hops: message.hops + 1 };
    // Its session is kept only where there are some; it may be forwarded to where there are.
    const { sessionId } = parseMessage(message.bare);
    await this.#commit([{ ...message, sessionId, annotations }], { rows: [message], origin });
  }

  async cancelScheduled(sequenceNumbers: readonly number[]): Promise<void> {
    const { router, reader, log } = this.#parts;
    await this.#exclusive(async () => {
      const found = await reader.bySequenceNumbers(router.entityId, "scheduled", sequenceNumbers);
      if (found.length < new Set(sequenceNumbers).size) throw messageNotFound();
      await log.commit({ remove: found });
    });
  }

  /**
   * Enqueues scheduled messages whose time has come; they were read by `find`. One that cannot be
   * does not keep the others from it; then this rejects after them.
   */
  async release(find: () => Promise<readonly StoredMessage[]>): Promise<void> {
    await this.#exclusive(async () => {
      const due = await find();
      const scheduledHere = (rows: readonly StoredMessage[]) => ({ rows, origin: null });
      try {
        await this.#commit(due, scheduledHere(due));
      } catch {
        const failures: unknown[] = [];
        for (const row of due)
          await this.#commit([row], scheduledHere([row])).catch((error: unknown) =>
            failures.push(error),
          );
        if (failures.length > 0) throw failures[0];
      }
    });
  }

  /** Writes messages, in place of the rows that they were elsewhere. Answers their numbers. */
  async #commit(messages: readonly ParsedMessage[], replaced: Replaced | null): Promise<number[]> {
    const { router, log } = this.#parts;
    const { duplicateWindowMs } = this;
    const origin = replaced?.origin ?? null;
    // What was scheduled here was looked at when it came.
    const isKnown = replaced !== null && origin === null;
    if (this.isRemoved) throw entityNotFound(this.path);
    if (!isKnown) for (const message of messages) router.check(message);
    const nowMs = Date.now();
    this.usedAtMs = nowMs;
    const placed = messages.map((message) => {
      const isLater = replaced === null && (message.scheduledForMs ?? 0) > nowMs;
      const detection: Detection | null =
        duplicateWindowMs === null || isKnown
          ? null
          : {
              entityId: router.entityId,
              messageId: message.messageId,
              seenAtMs: nowMs,
              forgetAtMs: nowMs + duplicateWindowMs,
            };
      const rows = isLater ? [this.#scheduled(message, nowMs)] : router.place(message, origin);
      return { rows, detection };
    });
    const { counted } = router;
    const committed = await log.commit({
      remove: replaced?.rows ?? [],
      add: placed.flatMap(({ rows, detection }) => rows.map((message) => ({ message, detection }))),
      detections: placed.flatMap(({ detection }) => detection ?? []),
      counted,
    });
    this.#announce(placed, committed);
    return placed.map(({ rows }) => rows[0]?.enqueuedSequenceNumber ?? 0);
  }

  #scheduled(message: ParsedMessage, nowMs: number): StoredMessage {
    const { router } = this.#parts;
    const sequenceNumber = router.numbers.next();
    return {
      entityId: router.entityId,
      sequenceNumber,
      enqueuedSequenceNumber: sequenceNumber,
      messageId: message.messageId,
      sessionId: message.sessionId,
      enqueuedAtMs: nowMs,
      expiresAtMs: null,
      scheduledForMs: message.scheduledForMs,
      timeToLiveMs: message.timeToLiveMs,
      durable: message.durable,
      priority: message.priority,
      annotations: message.annotations,
      bare: message.bare,
      state: "scheduled",
      deliveryCount: 0,
      delivered: false,
      hops: 0,
    };
  }

  #announce(
    placed: readonly {
      readonly rows: readonly StoredMessage[];
      readonly detection: Detection | null;
    }[],
    { isDuplicate, repeated }: Committed,
  ): void {
    const { router, wake } = this.#parts;
    const rows = placed
      .filter(({ detection }) => repeated || detection === null || !isDuplicate(detection))
      .flatMap((each) => each.rows);
    for (const { state, scheduledForMs, expiresAtMs } of rows) {
      if (state === "scheduled" && scheduledForMs !== null) wake({ dueMs: scheduledForMs });
      if (expiresAtMs !== null) wake({ expiryMs: expiresAtMs });
    }
    if (repeated) router.markStale();
    else router.arrived(rows.filter(({ state }) => state === "active"));
  }

  #exclusive<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    // Its failure is for whoever asked for it; the next one in turn begins all the same.
    this.#turn = result.catch(() => undefined);
    return result;
  }
}
