/** The messages to deliver next, in order: a bounded window onto what the database holds. */
import type { StoredMessage } from "../storage/stored-message.js";

export const windowCountMax = 1000;
export const windowBytesMax = 2 * 1024 * 1024;
const refillBelow = windowCountMax / 4;

/*
 * Every active message up to `loadedThrough` is in the window or out with a receiver; those after it
 * are only in the database, unless the window is complete.
 */
export class ReadyWindow {
  #messages: StoredMessage[] = [];
  #head = 0;
  #bytes = 0;
  #loadedThrough = 0;
  #isComplete = false;
  /** Something was committed that a running load may not have seen. */
  #missed = false;
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
    return !this.#isComplete && this.size < refillBelow;
  }

  /** A newly committed message, later than all before it. */
  append(message: StoredMessage): void {
    if (!this.#isComplete || message.sequenceNumber <= this.#loadedThrough) {
      this.#missed = true;
      return;
    }
    if (this.size >= windowCountMax || this.#bytes >= windowBytesMax) {
      this.#isComplete = false;
      return;
    }
    this.#push(message);
  }

  /** Back to its place: a message that was out keeps its turn. */
  putBack(message: StoredMessage): void {
    let at = this.#head;
    while (
      at < this.#messages.length &&
      (this.#messages[at]?.sequenceNumber ?? 0) < message.sequenceNumber
    )
      at += 1;
    this.#messages.splice(at, 0, message);
    this.#bytes += message.bare.length;
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
    const at = this.#messages.findIndex(
      (message, index) => index >= this.#head && message.sequenceNumber === sequenceNumber,
    );
    if (at < 0) return false;
    const [removed] = this.#messages.splice(at, 1);
    this.#bytes -= removed?.bare.length ?? 0;
    return true;
  }

  /** The database is known to hold nothing for it: what is appended from here on is all there is. */
  beginComplete(): void {
    this.#isComplete = true;
  }

  /** Starts a load; the returned function takes its result in. */
  beginLoad(): (messages: readonly StoredMessage[]) => void {
    this.#missed = false;
    const generation = this.#generation;
    return (messages) => {
      if (generation !== this.#generation) return;
      let bytes = 0;
      for (const message of messages) {
        this.#push(message);
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
    this.#loadedThrough = message.sequenceNumber;
  }
}
