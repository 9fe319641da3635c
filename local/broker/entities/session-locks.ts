/** The sessions of one queue: who holds which, until when, and who waits for the next one. */
import { BrokerError, conditions, sessionLockLost } from "../errors.js";
import { Dispatcher, retryMs } from "./dispatcher.js";
import type { DispatcherQueue, Receiver } from "./receiver.js";
import type { StoredMessage } from "../storage/stored-message.js";

/** One session while a receiver has it. */
export interface LockedSession {
  readonly sessionId: string;
  readonly dispatcher: Dispatcher;
  readonly lockedUntilMs: number;
}

interface SessionLock extends LockedSession {
  lockedUntilMs: number;
  receiver: Receiver | undefined;
  timer: NodeJS.Timeout | undefined;
  /** Set while the session is being given back. */
  release: Promise<void> | undefined;
  /** Whether messages may be left when it has been given back. */
  leavesMessages: boolean;
}

interface Waiting {
  readonly resolve: (lock: LockedSession | undefined) => void;
  readonly timer: NodeJS.Timeout;
}

export class SessionLocks {
  readonly #queue: DispatcherQueue;
  readonly #locks = new Map<string, SessionLock>();
  readonly #waiting = new Set<Waiting>();
  /** Whether the database may hold messages of sessions that nobody holds: otherwise it is not asked. */
  #mayHaveOthers = true;
  #searching: Promise<void> | undefined;
  #searchAgain = false;

  constructor(queue: DispatcherQueue) {
    this.#queue = queue;
  }

  get dispatchers(): Dispatcher[] {
    return [...this.#locks.values()].map(({ dispatcher }) => dispatcher);
  }

  /** The dispatcher of a session that is held, or undefined. */
  dispatcherOf(sessionId: string | null): Dispatcher | undefined {
    return sessionId === null ? undefined : this.#locks.get(sessionId)?.dispatcher;
  }

  /** The session, for somebody who says that it has it: by its link's name, where it gives one. */
  lockedBy(sessionId: string, linkName: string | undefined): SessionLock {
    const lock = this.#locks.get(sessionId);
    const holder = lock?.receiver?.name;
    if (holder === undefined || (linkName ?? holder) !== holder || lock === undefined)
      throw sessionLockLost();
    return lock;
  }

  /** Resolves when nobody is giving the session back. */
  async released(sessionId: string): Promise<void> {
    await this.#locks.get(sessionId)?.release;
  }

  accept(sessionId: string): LockedSession {
    if (this.#locks.has(sessionId))
      throw new BrokerError(
        conditions.sessionCannotBeLocked,
        `The requested session '${sessionId}' cannot be accepted. It may be locked by another receiver.`,
      );
    return this.#lock(sessionId);
  }

  /** The next session with messages that nobody holds, or undefined when none came in time. */
  acceptNext(
    timeoutMs: number,
    onWait: (giveUp: () => void) => void,
  ): Promise<LockedSession | undefined> {
    return new Promise((resolve) => {
      const settle = (lock: LockedSession | undefined): void => {
        clearTimeout(waiting.timer);
        this.#waiting.delete(waiting);
        resolve(lock);
      };
      const giveUp = (): void => settle(undefined);
      const waiting: Waiting = { resolve: settle, timer: setTimeout(giveUp, timeoutMs) };
      this.#waiting.add(waiting);
      onWait(giveUp);
      this.#offer();
    });
  }

  attach(session: LockedSession, receiver: Receiver): void {
    const lock = this.#locks.get(session.sessionId);
    if (lock !== session) throw sessionLockLost();
    lock.receiver = receiver;
    lock.dispatcher.attach(receiver);
    lock.dispatcher.dispatch();
  }

  renew(sessionId: string, linkName: string | undefined): number {
    const lock = this.lockedBy(sessionId, linkName);
    this.#startClock(lock);
    return lock.lockedUntilMs;
  }

  /** The receiver let go: its messages are free at once, as if they had not been delivered. */
  close(session: LockedSession): void {
    const lock = this.#locks.get(session.sessionId);
    // A session that expired may be another receiver's by now.
    if (lock === session && lock.release === undefined) this.#release(lock, false);
  }

  /** Newly committed messages, in order. */
  arrived(messages: readonly StoredMessage[]): void {
    for (const message of messages) {
      const { sessionId } = message;
      if (sessionId === null) continue;
      const [waiting] = this.#waiting;
      const lock = this.#locks.get(sessionId);
      if (lock !== undefined) {
        lock.leavesMessages ||= lock.release !== undefined;
        lock.dispatcher.arrived([message]);
      } else if (waiting !== undefined) waiting.resolve(this.#lockFor(sessionId, message));
      else this.#mayHaveOthers = true;
    }
  }

  /** There may be messages that were not announced. */
  markStale(): void {
    this.#mayHaveOthers = true;
    this.#offer();
  }

  stop(): void {
    for (const { timer, dispatcher } of this.#locks.values()) {
      clearTimeout(timer);
      dispatcher.stop();
    }
    for (const { resolve } of this.#waiting) resolve(undefined);
  }

  #lock(sessionId: string): SessionLock {
    const lock: SessionLock = {
      sessionId,
      dispatcher: new Dispatcher(this.#queue, sessionId, () => lock.lockedUntilMs),
      lockedUntilMs: 0,
      receiver: undefined,
      timer: undefined,
      release: undefined,
      leavesMessages: true,
    };
    this.#locks.set(sessionId, lock);
    this.#startClock(lock);
    return lock;
  }

  /** For the first message of a session: unless others may lie in the database, it is all there is. */
  #lockFor(sessionId: string, message: StoredMessage): SessionLock {
    const lock = this.#lock(sessionId);
    if (!this.#mayHaveOthers && this.#searching === undefined) {
      lock.dispatcher.window.beginComplete();
      lock.dispatcher.arrived([message]);
    }
    return lock;
  }

  #startClock(lock: SessionLock): void {
    clearTimeout(lock.timer);
    lock.lockedUntilMs = Date.now() + this.#queue.settings.lockMs;
    lock.timer = setTimeout(() => {
      lock.receiver?.end(sessionLockLost());
      this.#release(lock, true);
    }, this.#queue.settings.lockMs);
  }

  #release(lock: SessionLock, expired: boolean): void {
    const { sessionId, dispatcher, receiver, timer } = lock;
    clearTimeout(timer);
    lock.leavesMessages = !dispatcher.isEmpty;
    lock.receiver = undefined;
    if (receiver !== undefined) dispatcher.detach(receiver);
    lock.release = dispatcher
      .release(expired)
      .catch((error: unknown) => this.#queue.report(error))
      .then(() => {
        this.#locks.delete(sessionId);
        this.#mayHaveOthers ||= lock.leavesMessages;
        this.#offer();
      });
  }

  /** Looks for sessions for those who wait. Arriving messages find them by themselves. */
  #offer(): void {
    if (this.#waiting.size === 0 || !this.#mayHaveOthers) return;
    this.#searchAgain = true;
    this.#searching ??= this.#search()
      .catch((error: unknown) => {
        this.#queue.report(error);
        this.#mayHaveOthers = true;
        setTimeout(() => this.#offer(), retryMs);
      })
      .finally(() => (this.#searching = undefined));
  }

  async #search(): Promise<void> {
    while (this.#searchAgain && this.#waiting.size > 0) {
      this.#searchAgain = false;
      // Before the query: what comes or is given back from here on may be too late for it.
      this.#mayHaveOthers = false;
      const { reader, entityId } = this.#queue;
      const sessionId = await reader.nextSession(entityId, [...this.#locks.keys()]);
      const [waiting] = this.#waiting;
      this.#mayHaveOthers ||= sessionId !== null;
      if (sessionId === null || waiting === undefined) continue;
      // Somebody may have come for it while the database was asked; then ask again.
      this.#searchAgain = true;
      if (!this.#locks.has(sessionId)) waiting.resolve(this.#lock(sessionId));
    }
  }
}
