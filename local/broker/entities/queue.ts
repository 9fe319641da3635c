/** One queue or subscription, or the dead letters of one: what receivers can do with its messages. */
import {
  BrokerError,
  conditions,
  entityDisabled,
  messageLockLost,
  messageNotFound,
} from "../errors.js";
import type { CommitLog } from "../storage/commit-log.js";
import type { MessageReader } from "../storage/message-reader.js";
import { withApplicationProperties, type ParsedMessage } from "../wire/sections.js";
import type { EntityStatus, QueueSettings } from "../topology.js";
import { deadLetterChanges } from "./dead-letter.js";
import { Dispatcher } from "./dispatcher.js";
import type { Lock } from "./lock-table.js";
import type { MessageKey, StoredMessage } from "../storage/stored-message.js";
import { Numbers, type Entity } from "./numbers.js";
import type { DispatcherQueue, Forwarding } from "./receiver.js";
import { SessionLocks } from "./session-locks.js";

export interface QueueParts {
  readonly entity: Entity;
  readonly settings: QueueSettings;
  readonly log: CommitLog;
  readonly reader: MessageReader;
  /** Null for dead letters themselves: they stay until they are taken. */
  readonly deadLetters: Queue | null;
  readonly report: (error: unknown) => void;
}

export class Queue implements DispatcherQueue {
  readonly entityId: number;
  readonly path: string;
  settings: QueueSettings;
  /** When a message last came, or somebody was last seen receiving. */
  usedAtMs = Date.now();
  readonly log: CommitLog;
  readonly reader: MessageReader;
  readonly sessions: SessionLocks | null;
  readonly deadLetters: Queue | null;
  readonly report: (error: unknown) => void;
  readonly numbers: Numbers;
  readonly hasDeadLetters: boolean;
  /** Set where messages go on to another entity instead of to receivers. */
  forwarder: Forwarding | null = null;
  /** Where there are no sessions, everything is one dispatcher. */
  readonly #dispatcher: Dispatcher;
  #turn: Promise<unknown> = Promise.resolve();

  constructor({ entity, settings, log, reader, deadLetters, report }: QueueParts) {
    this.entityId = entity.entityId;
    this.path = entity.path;
    this.settings = settings;
    this.log = log;
    this.reader = reader;
    this.deadLetters = deadLetters;
    this.hasDeadLetters = deadLetters !== null;
    this.report = report;
    this.numbers = new Numbers(entity);
    this.#dispatcher = new Dispatcher(this, null, () => Date.now() + this.settings.lockMs);
    this.sessions = settings.requiresSession ? new SessionLocks(this) : null;
  }

  get deliveryCountMax(): number {
    return this.hasDeadLetters ? this.settings.deliveryCountMax : Infinity;
  }

  get hasReceivers(): boolean {
    return this.#dispatchers().some((dispatcher) => dispatcher.hasReceivers);
  }

  /**
   * The row that a message becomes here, with the next number: to be committed in the same turn. One
   * that may not be here, because it was scheduled when it still might, becomes a dead letter.
   */
  place(
    message: ParsedMessage,
    enqueuedSequenceNumber: number | null,
    hops: number,
  ): StoredMessage {
    const sequenceNumber = this.numbers.next();
    const nowMs = Date.now();
    this.usedAtMs = nowMs;
    const timeToLiveMs = shortest(message.timeToLiveMs, this.settings.timeToLiveMs);
    const row: StoredMessage = {
      entityId: this.entityId,
      sequenceNumber,
      enqueuedSequenceNumber: enqueuedSequenceNumber ?? sequenceNumber,
      messageId: message.messageId,
      sessionId: this.settings.requiresSession ? message.sessionId : null,
      enqueuedAtMs: nowMs,
      expiresAtMs: timeToLiveMs === null ? null : nowMs + timeToLiveMs,
      scheduledForMs: message.scheduledForMs,
      timeToLiveMs,
      durable: message.durable,
      priority: message.priority,
      annotations: message.annotations,
      bare: message.bare,
      state: "active",
      deliveryCount: 0,
      delivered: false,
      hops,
    };
    if (this.#accepts(message) || this.deadLetters === null) return row;
    const reasons = deadLetterChanges(
      "Session ID is null.",
      "Session enabled entity doesn't allow a message whose session identifier is null.",
    );
    return this.deadLetters.#letter({ ...row, bare: withApplicationProperties(row.bare, reasons) });
  }

  /** The last number that was given out here: a restart must not give it again. */
  get counted(): MessageKey {
    return { entityId: this.entityId, sequenceNumber: this.numbers.last };
  }

  /** Throws where its status keeps senders away, or receivers. */
  checkStatus(refusing: EntityStatus): void {
    const { status } = this.settings;
    if (status === "Disabled" || status === refusing) throw entityDisabled(this.path);
  }

  checkReceivable(): void {
    this.checkStatus("ReceiveDisabled");
    if (this.hasDeadLetters && this.forwarder !== null)
      throw new BrokerError(
        conditions.notAllowed,
        `The messages of '${this.path}' are forwarded; receive them from where they go.`,
      );
  }

  checkAcceptable(message: ParsedMessage): void {
    if (!this.#accepts(message))
      throw new BrokerError(
        conditions.notAllowed,
        "The SessionId was not set on a message, and it cannot be sent to the entity. Entities that " +
          "have session support enabled can only receive messages that have the SessionId set to a " +
          `valid value. Entity: '${this.path}'.`,
      );
  }

  /** Takes note of those of the messages that are this queue's, or its dead letters. */
  arrived(messages: readonly StoredMessage[]): void {
    const own = messages.filter(({ entityId }) => entityId === this.entityId);
    if (own.length > 0) (this.sessions ?? this.#dispatcher).arrived(own);
    if (own.length < messages.length) this.deadLetters?.arrived(messages);
  }

  /** After a write of unknown outcome the database is asked what there is. */
  markStale(): void {
    for (const dispatcher of this.#dispatchers()) {
      dispatcher.window.markStale();
      dispatcher.dispatch();
    }
    this.sessions?.markStale();
  }

  /** The dispatcher of receivers without session. */
  get dispatcher(): Dispatcher {
    return this.#dispatcher;
  }

  /** The dispatcher of a receiver's request: the session it names, or all there is. */
  dispatcherFor(sessionId: string | null, linkName: string | undefined): Dispatcher {
    if (this.sessions === null) return this.#dispatcher;
    if (sessionId === null) throw messageLockLost();
    return this.sessions.lockedBy(sessionId, linkName).dispatcher;
  }

  exclusive<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    // Its failure is for whoever asked for it; the next one in turn begins all the same.
    this.#turn = result.catch(() => undefined);
    return result;
  }

  /** Takes deferred messages, all of them or none. */
  async receiveDeferred(
    sequenceNumbers: readonly number[],
    { dispatcher, locks }: { readonly dispatcher: Dispatcher; readonly locks: boolean },
  ): Promise<{ readonly message: StoredMessage; readonly lock: Lock | null }[]> {
    const { sessionId } = dispatcher;
    return this.exclusive(async () => {
      // Asked before the database: what is out now may be gone before the answer is here.
      if (sequenceNumbers.some((number) => dispatcher.isInFlight(number))) throw messageNotFound();
      const found = await this.reader.bySequenceNumbers(this.entityId, "deferred", sequenceNumbers);
      const mine = found.filter((message) => sessionId === null || message.sessionId === sessionId);
      if (mine.length < new Set(sequenceNumbers).size) throw messageNotFound();
      if (locks) return mine.map((message) => ({ message, lock: dispatcher.lock(message) }));
      await this.log.commit({ remove: mine });
      return mine.map((message) => ({ message, lock: null }));
    });
  }

  async deadLetter(message: StoredMessage): Promise<void> {
    if (this.deadLetters !== null) await this.moveTo(this.deadLetters, message);
  }

  /** Puts a message among the dead letters: its own, or those of the entity that it belongs to. */
  async moveTo(letters: Queue, message: StoredMessage): Promise<void> {
    const letter = letters.#letter(message);
    const { repeated } = await this.log.commit({
      remove: [message],
      add: [{ message: letter, detection: null }],
    });
    if (repeated) letters.markStale();
    letters.arrived([letter]);
  }

  async expire(message: StoredMessage): Promise<void> {
    if (this.deadLetters === null || !this.settings.deadLettersExpired) {
      await this.log.commit({ remove: [message] });
      return;
    }
    const changes = deadLetterChanges(
      "TTLExpiredException",
      "The message expired and was dead lettered.",
    );
    message.bare = withApplicationProperties(message.bare, changes);
    await this.deadLetter(message);
  }

  /** Expires those of the given messages that nobody has taken; they were read by `find`, those apart that are out. */
  async sweep(find: (out: readonly number[]) => Promise<readonly StoredMessage[]>): Promise<void> {
    await this.exclusive(async () => {
      const claims = new Map(
        this.#dispatchers().map((dispatcher) => [
          dispatcher.sessionId,
          { dispatcher, claim: dispatcher.claimsSince() },
        ]),
      );
      const out = this.#dispatchers().flatMap((dispatcher) => dispatcher.inFlight);
      for (const message of await find(out)) {
        const before = claims.get(message.sessionId);
        const dispatcher =
          this.sessions === null ? this.#dispatcher : this.sessions.dispatcherOf(message.sessionId);
        // A session that was given back or taken meanwhile is left to the next sweep.
        if (dispatcher === before?.dispatcher && (before === undefined || before.claim(message)))
          await this.expire(message);
      }
    });
  }

  stop(): void {
    this.#dispatcher.stop();
    this.sessions?.stop();
  }

  #accepts({ sessionId }: ParsedMessage): boolean {
    return !this.settings.requiresSession || sessionId !== null;
  }

  /** A message of the queue that these are the dead letters of, with the number that it has there. */
  #letter(message: StoredMessage): StoredMessage {
    return {
      ...message,
      entityId: this.entityId,
      sessionId: null,
      expiresAtMs: null,
      state: "active",
      delivered: false,
    };
  }

  #dispatchers(): Dispatcher[] {
    return this.sessions?.dispatchers ?? [this.#dispatcher];
  }
}

/** The shorter of two lives, where null is for ever. */
export const shortest = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);
