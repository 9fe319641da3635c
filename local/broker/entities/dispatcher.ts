/** One stream of messages to its receivers: a whole queue, or one session of it. */
import { setTimeout as sleep } from "node:timers/promises";
import { BrokerError, conditions, messageLockLost } from "../errors.js";
import type { MessageState, StoredMessage } from "../storage/stored-message.js";
import { withApplicationProperties } from "../wire/sections.js";
import { deadLetterChanges } from "./dead-letter.js";
import { LockTable, type Lock } from "./lock-table.js";
import type { Changes, Receiver, DispatcherQueue } from "./receiver.js";
import { ReadyWindow, windowBytesMax, windowCountMax } from "./ready-window.js";

/** How long to leave a database alone that could not be read. */
export const retryMs = 1000;

const unchanged: Changes = new Map();

export class Dispatcher {
  readonly sessionId: string | null;
  readonly window = new ReadyWindow();
  readonly #queue: DispatcherQueue;
  readonly #lockedUntil: () => number;
  readonly #locks: LockTable;
  /** Taken from the window and not yet settled for good, by sequence number. */
  readonly #inFlight = new Set<number>();
  #receivers: Receiver[] = [];
  #loading: Promise<void> | undefined;
  #removals = new Set<Promise<unknown>>();
  #onEmpty: (() => void) | undefined;

  constructor(queue: DispatcherQueue, sessionId: string | null, lockedUntil: () => number) {
    this.#queue = queue;
    this.sessionId = sessionId;
    this.#lockedUntil = lockedUntil;
    const expire = (lock: Lock): void =>
      this.#inBackground(this.#makeAvailable(lock, { failed: true }));
    this.#locks = new LockTable(sessionId === null ? expire : null);
  }

  attach(receiver: Receiver): void {
    this.#receivers.push(receiver);
  }

  detach(receiver: Receiver): void {
    this.#receivers = this.#receivers.filter((other) => other !== receiver);
    this.#clearIfIdle();
  }

  get hasReceivers(): boolean {
    return this.#receivers.length > 0;
  }

  get isEmpty(): boolean {
    return this.#inFlight.size === 0 && this.window.isEmpty;
  }

  isInFlight(sequenceNumber: number): boolean {
    return this.#inFlight.has(sequenceNumber);
  }

  get inFlight(): number[] {
    return [...this.#inFlight];
  }

  /**
   * Marks this moment. The function claims a message that was read from the database since: true if
   * nobody had it or took it, then it is not delivered any more.
   */
  claimsSince(): (message: StoredMessage) => boolean {
    const inFlight = new Set(this.#inFlight);
    const { loadedThrough } = this.window;
    return ({ sequenceNumber, state }) => {
      if (inFlight.has(sequenceNumber) || this.#inFlight.has(sequenceNumber)) return false;
      if (state === "deferred" || this.window.remove(sequenceNumber)) return true;
      return sequenceNumber > Math.max(loadedThrough, this.window.loadedThrough);
    };
  }

  arrived(messages: readonly StoredMessage[]): void {
    for (const message of messages)
      if (!this.#inFlight.has(message.sequenceNumber)) this.window.add(message);
    this.dispatch();
  }

  /** Hands out what is ready, in turn, as far as receivers ask for it. */
  dispatch(): void {
    const removed: { readonly receiver: Receiver; readonly message: StoredMessage }[] = [];
    for (;;) {
      const receiver = this.#receivers.find((candidate) => candidate.capacity() > 0);
      if (receiver === undefined) break;
      const message = this.#takeReady();
      if (message === undefined) break;
      // To the end of the row: the next message is another receiver's.
      if (this.#receivers.length > 1)
        this.#receivers = [...this.#receivers.filter((other) => other !== receiver), receiver];
      if (receiver.locks) receiver.deliver(message, this.lock(message));
      else {
        receiver.reserve();
        removed.push({ receiver, message });
      }
    }
    if (removed.length > 0) this.#removeThenDeliver(removed);
    if (this.window.needsLoad && this.#receivers.some((each) => each.capacity() > 0)) this.#load();
  }

  /** Resolves when nothing is on its way that could become a delivery. */
  async idle(): Promise<void> {
    while (this.#loading !== undefined || this.#removals.size > 0)
      await Promise.allSettled([this.#loading, ...this.#removals]);
  }

  lock(message: StoredMessage): Lock {
    this.#inFlight.add(message.sequenceNumber);
    message.delivered = true;
    this.#inBackground(this.#queue.log.commit({ delivered: [message] }));
    return this.#locks.add(message, this.#lockedUntil());
  }

  renew(token: Buffer): Lock {
    const lock = this.#locks.renew(token, this.#lockedUntil());
    if (lock === undefined) throw messageLockLost();
    return lock;
  }

  async complete(token: Buffer): Promise<void> {
    const { message } = this.#unlock(token);
    await this.#settle(message, this.#queue.log.commit({ remove: [message] }));
  }

  async abandon(token: Buffer, changes: Changes): Promise<void> {
    await this.#makeAvailable(this.#unlock(token), { failed: true, changes });
  }

  /** As with the service, this was a delivery: at the limit the message becomes a dead letter. */
  async defer(token: Buffer, changes: Changes): Promise<void> {
    const { message } = this.#unlock(token);
    const { state } = message;
    this.#countDelivery(message);
    if (message.deliveryCount >= this.#queue.deliveryCountMax) {
      await this.#settle(message, this.#exhausted(message, changes));
      return;
    }
    message.state = "deferred";
    await this.#settle(message, this.#change(message, changes), state);
  }

  async deadLetter(token: Buffer, changes: Changes): Promise<void> {
    if (!this.#queue.hasDeadLetters)
      throw new BrokerError(conditions.notAllowed, "A dead letter cannot be dead-lettered again.");
    const { message } = this.#unlock(token);
    await this.#settle(message, this.#bury(message, changes));
  }

  /** Ends all locks; resolves when nothing is out any more. The failed ones count a delivery. */
  async release(failed: boolean): Promise<void> {
    for (const lock of this.#locks.takeAll())
      this.#inBackground(this.#makeAvailable(lock, { failed }));
    if (this.#inFlight.size > 0) await new Promise<void>((resolve) => (this.#onEmpty = resolve));
  }

  stop(): void {
    this.#locks.stop();
  }

  /** The next message that may be delivered; what must not be goes its way. */
  #takeReady(): StoredMessage | undefined {
    for (let message; (message = this.window.take()) !== undefined;) {
      const isExpired = message.expiresAtMs !== null && message.expiresAtMs <= Date.now();
      const forward = this.#queue.forwarder?.forward ?? null;
      const isExhausted = message.deliveryCount >= this.#queue.deliveryCountMax;
      if (!isExpired && !isExhausted && forward === null) return message;
      this.#inFlight.add(message.sequenceNumber);
      const move = isExhausted || forward === null ? this.#exhausted.bind(this) : forward;
      const moved = isExpired ? this.#queue.expire(message) : move(message);
      this.#inBackground(this.#settle(message, moved));
    }
    return undefined;
  }

  #removeThenDeliver(
    removed: readonly { readonly receiver: Receiver; readonly message: StoredMessage }[],
  ): void {
    for (const { message } of removed) this.#inFlight.add(message.sequenceNumber);
    const removal = this.#queue.log
      .commit({ remove: removed.map(({ message }) => message) })
      .then(() => {
        for (const { receiver, message } of removed) {
          receiver.deliver(message, null);
          this.#settled(message);
        }
      })
      .catch((error: unknown) => {
        for (const { message } of removed) this.#failed(message);
        throw error;
      })
      .finally(() => {
        for (const { receiver } of removed) receiver.unreserve();
        this.#removals.delete(removal);
      });
    this.#removals.add(removal);
    this.#inBackground(removal);
  }

  #load(): void {
    if (this.#loading !== undefined) return;
    const { entityId, reader } = this.#queue;
    const load = async (): Promise<void> => {
      const take = this.window.beginLoad();
      const out = new Set(this.#inFlight);
      take(
        await reader.ready({
          entityId,
          sessionId: this.sessionId,
          after: this.window.loadedThrough,
          countMax: windowCountMax,
          bytesMax: windowBytesMax,
        }),
        ({ sequenceNumber }) => out.has(sequenceNumber),
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
  async #makeAvailable(
    { message }: Lock,
    { failed, changes = unchanged }: { readonly failed: boolean; readonly changes?: Changes },
  ): Promise<void> {
    if (failed) this.#countDelivery(message);
    if (message.deliveryCount >= this.#queue.deliveryCountMax) {
      await this.#settle(message, this.#exhausted(message, changes));
      return;
    }
    const restored = this.#change(message, changes).then(() => {
      if (message.state === "active") this.window.add(message);
    });
    await this.#settle(message, restored);
    this.dispatch();
  }

  /** A dead letter stays however often it fails, so that nothing is counted there. */
  #countDelivery(message: StoredMessage): void {
    if (this.#queue.hasDeadLetters) message.deliveryCount += 1;
  }

  async #change(message: StoredMessage, changes: Changes): Promise<void> {
    message.delivered = false;
    message.bare = withApplicationProperties(message.bare, changes);
    await this.#queue.log.commit({ change: [{ message, rewritten: changes.size > 0 }] });
  }

  async #exhausted(message: StoredMessage, changes = unchanged): Promise<void> {
    const reasons = deadLetterChanges(
      "MaxDeliveryCountExceeded",
      `Message could not be consumed after ${this.#queue.deliveryCountMax} delivery attempts.`,
    );
    await this.#bury(message, new Map([...changes, ...reasons]));
  }

  /** Rejects where the properties cannot be encoded, too: such a message stays what it was. */
  async #bury(message: StoredMessage, changes: Changes): Promise<void> {
    message.bare = withApplicationProperties(message.bare, changes);
    await this.#queue.deadLetter(message);
  }

  async #settle(
    message: StoredMessage,
    written: Promise<unknown>,
    stateBefore = message.state,
  ): Promise<void> {
    try {
      await written;
    } catch (error) {
      this.#failed(message, stateBefore);
      throw error;
    }
    this.#settled(message);
  }

  /** The database refused what became of a message: there it is still what it was. */
  #failed(message: StoredMessage, state: MessageState = "active"): void {
    message.state = state;
    if (state === "active") this.window.add(message);
    this.#settled(message);
    setTimeout(() => this.dispatch(), retryMs).unref();
  }

  #settled({ sequenceNumber }: StoredMessage): void {
    this.#inFlight.delete(sequenceNumber);
    if (this.#inFlight.size > 0) return;
    this.#onEmpty?.();
    this.#clearIfIdle();
  }

  /** Without receivers the database alone holds the messages. */
  #clearIfIdle(): void {
    if (this.#receivers.length === 0 && this.#inFlight.size === 0) this.window.clear();
  }

  #inBackground(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#queue.report(error));
  }
}
