/** One stream of messages to its receivers: a whole queue, or one session of it. */
import { setTimeout as sleep } from "node:timers/promises";
import { BrokerError, conditions, messageLockLost } from "../errors.js";
import type { CommitLog } from "../storage/commit-log.js";
import type { MessageReader } from "../storage/message-reader.js";
import { withApplicationProperties } from "../wire/sections.js";
import type { Typed } from "../wire/rhea.js";
import { deadLetterChanges } from "./dead-letter.js";
import { LockTable, type Lock } from "./lock-table.js";
import type { StoredMessage } from "./message.js";
import { ReadyWindow, windowBytesMax, windowCountMax } from "./ready-window.js";

/** A receiver, as a lane sees it. */
export interface Consumer {
  /** Whether messages stay locked until they are settled, or are gone when they are sent. */
  readonly locks: boolean;
  /** The link's name: requests about a session say by it whose they are. */
  readonly name: string;
  /** How many more messages it asks for, those reserved apart. */
  capacity(): number;
  /** Sets room aside for a message that has to be removed before it is delivered. */
  reserve(): void;
  /** Gives that room back. */
  unreserve(): void;
  deliver(message: StoredMessage, lock: Lock | null): void;
  /** The session was lost: the link has to end with this. */
  end(error: BrokerError): void;
}

/** What a lane needs of the queue that it belongs to. */
export interface LaneQueue {
  readonly entityId: number;
  readonly log: CommitLog;
  readonly reader: MessageReader;
  readonly deliveryCountMax: number;
  readonly hasDeadLetters: boolean;
  /** One at a time: work that reads messages from the database and then claims them. */
  exclusive<T>(work: () => Promise<T>): Promise<T>;
  deadLetter(message: StoredMessage): Promise<void>;
  expire(message: StoredMessage): Promise<void>;
  /** A failure that nobody waits for. */
  report(error: unknown): void;
}

/** How long to leave a database alone that could not be read. */
export const retryMs = 1000;

export type Changes = ReadonlyMap<string, Typed>;
const unchanged: Changes = new Map();

export class Lane {
  readonly sessionId: string | null;
  readonly window = new ReadyWindow();
  readonly #queue: LaneQueue;
  readonly #lockedUntil: () => number;
  readonly #locks: LockTable;
  /** Taken from the window and not yet settled for good, by sequence number. */
  readonly #out = new Set<number>();
  #consumers: Consumer[] = [];
  #loading: Promise<void> | undefined;
  #removals = new Set<Promise<unknown>>();
  #onEmpty: (() => void) | undefined;

  constructor(queue: LaneQueue, sessionId: string | null, lockedUntil: () => number) {
    this.#queue = queue;
    this.sessionId = sessionId;
    this.#lockedUntil = lockedUntil;
    const lapse = (lock: Lock): void => this.#quietly(this.#giveBack(lock, { failed: true }));
    this.#locks = new LockTable(sessionId === null ? lapse : null);
  }

  attach(consumer: Consumer): void {
    this.#consumers.push(consumer);
  }

  detach(consumer: Consumer): void {
    this.#consumers = this.#consumers.filter((other) => other !== consumer);
    this.#clearIfIdle();
  }

  isOut(sequenceNumber: number): boolean {
    return this.#out.has(sequenceNumber);
  }

  /**
   * Marks this moment. The function claims a message that was read from the database since: true if
   * nobody had it or took it, then it is not delivered any more.
   */
  claimsSince(): (message: StoredMessage) => boolean {
    const out = new Set(this.#out);
    const { loadedThrough } = this.window;
    return ({ sequenceNumber, state }) => {
      if (out.has(sequenceNumber) || this.#out.has(sequenceNumber)) return false;
      if (state === "deferred" || this.window.remove(sequenceNumber)) return true;
      return sequenceNumber > Math.max(loadedThrough, this.window.loadedThrough);
    };
  }

  arrived(messages: readonly StoredMessage[]): void {
    for (const message of messages) this.window.append(message);
    this.dispatch();
  }

  /** Hands out what is ready, in turn, as far as receivers ask for it. */
  dispatch(): void {
    const removed: { readonly consumer: Consumer; readonly message: StoredMessage }[] = [];
    for (;;) {
      const consumer = this.#consumers.find((candidate) => candidate.capacity() > 0);
      if (consumer === undefined) break;
      const message = this.#takeReady();
      if (message === undefined) break;
      // To the end of the row: the next message is another receiver's.
      if (this.#consumers.length > 1)
        this.#consumers = [...this.#consumers.filter((other) => other !== consumer), consumer];
      if (consumer.locks) consumer.deliver(message, this.lock(message));
      else {
        consumer.reserve();
        removed.push({ consumer, message });
      }
    }
    if (removed.length > 0) this.#removeThenDeliver(removed);
    if (this.window.needsLoad && this.#consumers.some((each) => each.capacity() > 0)) this.#load();
  }

  /** Resolves when nothing is on its way that could become a delivery. */
  async quiet(): Promise<void> {
    while (this.#loading !== undefined || this.#removals.size > 0)
      await Promise.allSettled([this.#loading, ...this.#removals]);
  }

  lock(message: StoredMessage): Lock {
    this.#out.add(message.sequenceNumber);
    message.delivered = true;
    this.#quietly(this.#queue.log.commit({ delivered: [message] }));
    return this.#locks.add(message, this.#lockedUntil());
  }

  renew(token: Buffer): Lock {
    const lock = this.#locks.renew(token, this.#lockedUntil());
    if (lock === undefined) throw messageLockLost();
    return lock;
  }

  async complete(token: Buffer): Promise<void> {
    const { message } = this.#unlock(token);
    await this.#queue.log.commit({ remove: [message] });
    this.#settled(message);
  }

  async abandon(token: Buffer, changes: Changes): Promise<void> {
    await this.#giveBack(this.#unlock(token), { failed: true, changes });
  }

  async defer(token: Buffer, changes: Changes): Promise<void> {
    const { message } = this.#unlock(token);
    message.state = "deferred";
    await this.#change(message, changes);
    this.#settled(message);
  }

  async deadLetter(token: Buffer, changes: Changes): Promise<void> {
    if (!this.#queue.hasDeadLetters)
      throw new BrokerError(conditions.notAllowed, "A dead letter cannot be dead-lettered again.");
    const { message } = this.#unlock(token);
    message.bare = withApplicationProperties(message.bare, changes);
    await this.#queue.deadLetter(message);
    this.#settled(message);
  }

  /** Ends all locks; resolves when nothing is out any more. The failed ones count a delivery. */
  async release(failed: boolean): Promise<void> {
    for (const lock of this.#locks.takeAll()) this.#quietly(this.#giveBack(lock, { failed }));
    if (this.#out.size > 0) await new Promise<void>((resolve) => (this.#onEmpty = resolve));
  }

  stop(): void {
    this.#locks.stop();
  }

  /** The next message that may be delivered; what must not be goes its way. */
  #takeReady(): StoredMessage | undefined {
    for (let message; (message = this.window.take()) !== undefined;) {
      const isExpired = message.expiresAtMs !== null && message.expiresAtMs <= Date.now();
      if (!isExpired && message.deliveryCount < this.#queue.deliveryCountMax) return message;
      const given = message;
      this.#out.add(given.sequenceNumber);
      const moved = isExpired ? this.#queue.expire(given) : this.#exhausted(given);
      this.#quietly(moved.then(() => this.#settled(given)));
    }
    return undefined;
  }

  #removeThenDeliver(
    removed: readonly { readonly consumer: Consumer; readonly message: StoredMessage }[],
  ): void {
    for (const { message } of removed) this.#out.add(message.sequenceNumber);
    const removal = this.#queue.log
      .commit({ remove: removed.map(({ message }) => message) })
      .then(() => {
        for (const { consumer, message } of removed) {
          consumer.deliver(message, null);
          this.#settled(message);
        }
      })
      .finally(() => {
        for (const { consumer } of removed) consumer.unreserve();
        this.#removals.delete(removal);
      });
    this.#removals.add(removal);
    this.#quietly(removal);
  }

  #load(): void {
    if (this.#loading !== undefined) return;
    const { entityId, reader } = this.#queue;
    const load = async (): Promise<void> => {
      const take = this.window.beginLoad();
      take(
        await reader.ready({
          entityId,
          sessionId: this.sessionId,
          after: this.window.loadedThrough,
          countMax: windowCountMax,
          bytesMax: windowBytesMax,
        }),
      );
    };
    this.#loading = this.#queue
      .exclusive(load)
      .catch((error: unknown) => {
        this.#queue.report(error);
        return sleep(retryMs);
      })
      .finally(() => {
        this.#loading = undefined;
        this.dispatch();
      });
  }

  #unlock(token: Buffer): Lock {
    const lock = this.#locks.take(token);
    if (lock === undefined) throw messageLockLost();
    return lock;
  }

  /** Makes the message available again, or moves it away if it has failed too often. */
  async #giveBack(
    { message }: Lock,
    { failed, changes = unchanged }: { readonly failed: boolean; readonly changes?: Changes },
  ): Promise<void> {
    if (failed) message.deliveryCount += 1;
    if (message.deliveryCount >= this.#queue.deliveryCountMax) {
      message.bare = withApplicationProperties(message.bare, changes);
      await this.#exhausted(message);
      this.#settled(message);
      return;
    }
    await this.#change(message, changes);
    if (message.state === "active") this.window.putBack(message);
    this.#settled(message);
    this.dispatch();
  }

  async #change(message: StoredMessage, changes: Changes): Promise<void> {
    message.delivered = false;
    message.bare = withApplicationProperties(message.bare, changes);
    await this.#queue.log.commit({ change: [{ message, rewritten: changes.size > 0 }] });
  }

  async #exhausted(message: StoredMessage): Promise<void> {
    message.bare = withApplicationProperties(
      message.bare,
      deadLetterChanges(
        "MaxDeliveryCountExceeded",
        `Message could not be consumed after ${this.#queue.deliveryCountMax} delivery attempts.`,
      ),
    );
    await this.#queue.deadLetter(message);
  }

  #settled({ sequenceNumber }: StoredMessage): void {
    this.#out.delete(sequenceNumber);
    if (this.#out.size > 0) return;
    this.#onEmpty?.();
    this.#clearIfIdle();
  }

  /** Without receivers the database alone holds the messages. */
  #clearIfIdle(): void {
    if (this.#consumers.length === 0 && this.#out.size === 0) this.window.clear();
  }

  #quietly(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#queue.report(error));
  }
}
