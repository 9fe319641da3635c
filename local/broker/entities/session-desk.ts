/** The sessions of one queue: who holds which, until when, and who waits for the next one. */
import { BrokerError, conditions, sessionLockLost } from "../errors.js";
import { Lane, retryMs, type Consumer, type LaneQueue } from "./lane.js";
import type { StoredMessage } from "./message.js";

/** One session while a receiver has it. */
export interface HeldSession {
  readonly sessionId: string;
  readonly lane: Lane;
  readonly lockedUntilMs: number;
}

interface Hold extends HeldSession {
  lockedUntilMs: number;
  consumer: Consumer | undefined;
  timer: NodeJS.Timeout | undefined;
  /** Set while the session is being given back. */
  release: Promise<void> | undefined;
}

interface Waiting {
  readonly resolve: (hold: HeldSession | undefined) => void;
  readonly timer: NodeJS.Timeout;
}

export class SessionDesk {
  readonly #queue: LaneQueue;
  readonly #lockMs: number;
  readonly #holds = new Map<string, Hold>();
  readonly #waiting = new Set<Waiting>();
  #searching: Promise<void> | undefined;
  #searchAgain = false;

  constructor(queue: LaneQueue, lockMs: number) {
    this.#queue = queue;
    this.#lockMs = lockMs;
  }

  get lanes(): Lane[] {
    return [...this.#holds.values()].map(({ lane }) => lane);
  }

  /** The lane of a session that is held, or undefined. */
  laneOf(sessionId: string | null): Lane | undefined {
    return sessionId === null ? undefined : this.#holds.get(sessionId)?.lane;
  }

  /** The session, for somebody who says that it has it: by its link's name, where it gives one. */
  heldBy(sessionId: string, linkName: string | undefined): Hold {
    const hold = this.#holds.get(sessionId);
    const holder = hold?.consumer?.name;
    if (holder === undefined || (linkName ?? holder) !== holder || hold === undefined)
      throw sessionLockLost(sessionId);
    return hold;
  }

  /** Resolves when nobody is giving the session back. */
  async released(sessionId: string): Promise<void> {
    await this.#holds.get(sessionId)?.release;
  }

  accept(sessionId: string): HeldSession {
    if (this.#holds.has(sessionId))
      throw new BrokerError(
        conditions.sessionCannotBeLocked,
        `The requested session '${sessionId}' cannot be accepted: another receiver has its lock.`,
      );
    return this.#hold(sessionId);
  }

  /** The next session with messages that nobody holds, or undefined when none came in time. */
  acceptNext(
    timeoutMs: number,
    onWait: (giveUp: () => void) => void,
  ): Promise<HeldSession | undefined> {
    return new Promise((resolve) => {
      const settle = (hold: HeldSession | undefined): void => {
        clearTimeout(waiting.timer);
        this.#waiting.delete(waiting);
        resolve(hold);
      };
      const giveUp = (): void => settle(undefined);
      const waiting: Waiting = { resolve: settle, timer: setTimeout(giveUp, timeoutMs) };
      this.#waiting.add(waiting);
      onWait(giveUp);
      this.#offer();
    });
  }

  attach(session: HeldSession, consumer: Consumer): void {
    const hold = this.#holds.get(session.sessionId);
    if (hold !== session) throw sessionLockLost(session.sessionId);
    hold.consumer = consumer;
    hold.lane.attach(consumer);
    hold.lane.dispatch();
  }

  renew(sessionId: string, linkName: string | undefined): number {
    const hold = this.heldBy(sessionId, linkName);
    this.#startClock(hold);
    return hold.lockedUntilMs;
  }

  /** The receiver let go: its messages are free at once, as if they had not been delivered. */
  close(session: HeldSession): void {
    const hold = this.#holds.get(session.sessionId);
    // A session that lapsed may be another receiver's by now.
    if (hold === session && hold.release === undefined) this.#release(hold, false);
  }

  /** Newly committed messages, in order. */
  arrived(messages: readonly StoredMessage[]): void {
    for (const message of messages) {
      const { sessionId } = message;
      if (sessionId === null) continue;
      const [waiting] = this.#waiting;
      const hold = this.#holds.get(sessionId);
      if (hold !== undefined) hold.lane.arrived([message]);
      else waiting?.resolve(this.#hold(sessionId));
    }
  }

  stop(): void {
    for (const { timer, lane } of this.#holds.values()) {
      clearTimeout(timer);
      lane.stop();
    }
    for (const { resolve } of this.#waiting) resolve(undefined);
  }

  #hold(sessionId: string): Hold {
    const hold: Hold = {
      sessionId,
      lane: new Lane(this.#queue, sessionId, () => hold.lockedUntilMs),
      lockedUntilMs: 0,
      consumer: undefined,
      timer: undefined,
      release: undefined,
    };
    this.#holds.set(sessionId, hold);
    this.#startClock(hold);
    return hold;
  }

  #startClock(hold: Hold): void {
    clearTimeout(hold.timer);
    hold.lockedUntilMs = Date.now() + this.#lockMs;
    hold.timer = setTimeout(() => {
      hold.consumer?.end(sessionLockLost(hold.sessionId));
      this.#release(hold, true);
    }, this.#lockMs);
  }

  #release(hold: Hold, lapsed: boolean): void {
    const { sessionId, lane, consumer, timer } = hold;
    clearTimeout(timer);
    hold.consumer = undefined;
    if (consumer !== undefined) lane.detach(consumer);
    hold.release = lane
      .release(lapsed)
      .catch((error: unknown) => this.#queue.report(error))
      .then(() => {
        this.#holds.delete(sessionId);
        this.#offer();
      });
  }

  /** Looks for sessions for those who wait. Arriving messages find them by themselves. */
  #offer(): void {
    if (this.#waiting.size === 0) return;
    this.#searchAgain = true;
    this.#searching ??= this.#search()
      .catch((error: unknown) => {
        this.#queue.report(error);
        setTimeout(() => this.#offer(), retryMs);
      })
      .finally(() => (this.#searching = undefined));
  }

  async #search(): Promise<void> {
    while (this.#searchAgain && this.#waiting.size > 0) {
      this.#searchAgain = false;
      const { reader, entityId } = this.#queue;
      const sessionId = await reader.nextSession(entityId, [...this.#holds.keys()]);
      const [waiting] = this.#waiting;
      if (sessionId === null || waiting === undefined) continue;
      // Somebody may have come for it while the database was asked; then ask again.
      this.#searchAgain = true;
      if (!this.#holds.has(sessionId)) waiting.resolve(this.#hold(sessionId));
    }
  }
}
