/** The messages to deliver next, in order: a bounded window onto what the database holds. */
import type { StoredMessage } from "../storage/stored-message.js";

export const windowCountMax = 1000;
export const windowBytesMax = 2 * 1024 * 1024;
const refillBelow = 1 / 4;

/*
 * Every active message up to `loadedThrough` is in the window or out with a receiver; those after it
 * are only in the database, unless the window is complete. Messages come in any order: dead letters
 * keep the numbers that they had.
 */
export class ReadyWindow {
  #messages: StoredMessage[] = [];
  #head = 0;
  #bytes = 0;
  #loadedThrough = 0;
  #isComplete = false;
  /** Something was committed that a running load may not have seen. */
  #missed = false;
  /** The lowest number among those, of which the load's end tells whether it has passed it by. */
  #lowestMissed = Infinity;
  #generation = 0;

  get size(): number {
    return this.#messages.length - this.#head;
  }

  get loadedThrough(): number {
    return this.#loadedThrough;
  }

  /** Nothing is here, and the database has nothing more. */
  get isEmpty(): boolean {
    return this.#isComplete && this.size === 0;
  }

  get needsLoad(): boolean {
    return (
      !this.#isComplete &&
      this.size < windowCountMax * refillBelow &&
      this.#bytes < windowBytesMax * refillBelow
    );
  }

  /** To its place, where it may be held: one that is newly committed, or one that was out. */
  add(message: StoredMessage): void {
    const { sequenceNumber } = message;
    if (sequenceNumber > this.#loadedThrough && !this.#isComplete) {
      this.#missed = true;
      this.#lowestMissed = Math.min(this.#lowestMissed, sequenceNumber);
      return;
    }
    const at = this.#placeOf(sequenceNumber);
    if (this.#messages[at]?.sequenceNumber === sequenceNumber) return;
    this.#messages.splice(at, 0, message);
    this.#bytes += message.bare.length;
    this.#loadedThrough = Math.max(this.#loadedThrough, sequenceNumber);
    while (this.size > windowCountMax || (this.size > 1 && this.#bytes > windowBytesMax))
      this.#dropLast();
  }

  take(): StoredMessage | undefined {
    const message = this.#messages[this.#head];
    if (message === undefined) return undefined;
    this.#head += 1;
    this.#bytes -= message.bare.length;
    if (this.#head > 64 && this.#head * 2 > this.#messages.length) {
      this.#messages = this.#messages.slice(this.#head);
      this.#head = 0;
    }
    return message;
  }

  remove(sequenceNumber: number): boolean {
    const at = this.#placeOf(sequenceNumber);
    if (this.#messages[at]?.sequenceNumber !== sequenceNumber) return false;
    const [removed] = this.#messages.splice(at, 1);
    this.#bytes -= removed?.bare.length ?? 0;
    return true;
  }

  /** The database is known to hold nothing for it: what is appended from here on is all there is. */
  beginComplete(): void {
    this.#isComplete = true;
  }

  /**
   * Starts a load of what comes after `loadedThrough`; the returned function takes its result in,
   * without those that are out with a receiver.
   */
  beginLoad(): (
    messages: readonly StoredMessage[],
    isOut: (message: StoredMessage) => boolean,
  ) => void {
    this.#missed = false;
    this.#lowestMissed = Infinity;
    const generation = this.#generation;
    return (messages, isOut) => {
      if (generation !== this.#generation) return;
      let bytes = 0;
      for (const message of messages) {
        // What the load may not have seen and would have passed by is where the next one begins.
        if (message.sequenceNumber >= this.#lowestMissed) break;
        if (!isOut(message)) this.#push(message);
        this.#loadedThrough = message.sequenceNumber;
        bytes += message.bare.length;
      }
      const isAll = messages.length < windowCountMax && bytes < windowBytesMax;
      this.#isComplete = isAll && !this.#missed;
    };
  }

  /** The database may hold more than was announced: have it looked at again. */
  markStale(): void {
    this.#isComplete = false;
    this.#missed = true;
  }

  /** Forgets everything; only right while no message is out. */
  clear(): void {
    this.#messages = [];
    this.#head = 0;
    this.#bytes = 0;
    this.#loadedThrough = 0;
    this.#isComplete = false;
    this.#generation += 1;
  }

  #push(message: StoredMessage): void {
    this.#messages.push(message);
    this.#bytes += message.bare.length;
  }

  /** The index of the first message that is not before this number. */
  #placeOf(sequenceNumber: number): number {
    let [low, high] = [this.#head, this.#messages.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#messages[middle]?.sequenceNumber ?? 0) < sequenceNumber) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The last one is left to the database again; a load that is under way began too late for it. */
  #dropLast(): void {
    const dropped = this.#messages.pop();
    this.#bytes -= dropped?.bare.length ?? 0;
    this.#loadedThrough = (dropped?.sequenceNumber ?? 1) - 1;
    this.#isComplete = false;
    this.#generation += 1;
  }
}
