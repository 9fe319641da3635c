/** The locks of messages that are out, in the order of their ends. */
import { randomBytes } from "node:crypto";
import type { StoredMessage } from "../storage/stored-message.js";

export interface Lock {
  /** The delivery tag; receivers name the lock by it. */
  readonly token: Buffer;
  readonly message: StoredMessage;
  readonly lockedUntilMs: number;
}

const keyOf = (token: Buffer): string => token.toString("hex");

export class LockTable {
  /** All locks last equally long, so that the order of insertion is the order of their ends. */
  readonly #locks = new Map<string, Lock>();
  readonly #onExpired: ((lock: Lock) => void) | null;
  #timer: NodeJS.Timeout | undefined;

  /** Null: the locks are those of a session, which ends them all together. */
  constructor(onExpired: ((lock: Lock) => void) | null) {
    this.#onExpired = onExpired;
  }

  add(message: StoredMessage, lockedUntilMs: number): Lock {
    return this.#insert({ token: randomBytes(16), message, lockedUntilMs });
  }

  /** The same token with a later end, or undefined where the lock is lost. */
  renew(token: Buffer, lockedUntilMs: number): Lock | undefined {
    const lock = this.take(token);
    return lock && this.#insert({ ...lock, lockedUntilMs });
  }

  take(token: Buffer): Lock | undefined {
    const key = keyOf(token);
    const lock = this.#locks.get(key);
    this.#locks.delete(key);
    return lock;
  }

  takeAll(): Lock[] {
    const locks = [...this.#locks.values()];
    this.#locks.clear();
    this.stop();
    return locks;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #insert(lock: Lock): Lock {
    this.#locks.set(keyOf(lock.token), lock);
    if (this.#timer === undefined && this.#onExpired !== null) this.#wait();
    return lock;
  }

  #wait(): void {
    const [first] = this.#locks.values();
    this.#timer =
      first && setTimeout(() => this.#expire(), Math.max(0, first.lockedUntilMs - Date.now()));
  }

  #expire(): void {
    const nowMs = Date.now();
    for (const [key, lock] of this.#locks) {
      if (lock.lockedUntilMs > nowMs) break;
      this.#locks.delete(key);
      this.#onExpired?.(lock);
    }
    this.#wait();
  }
}
