/** A look-up remembered for a few seconds, so that a call on the hot path costs no query. */
import type { Clock } from "./clock.js";

const rememberMs = 5_000;
const entriesMax = 1_000;

interface Entry<Value> {
  readonly value: Promise<Value | undefined>;
  readonly staleAtMs: number;
}

export interface Remembered<Value> {
  /** What was found, "nobody" too; callers at the same time share one look-up. */
  readonly find: (key: string) => Promise<Value | undefined>;
  /**
   * The same by a look-up that begins after this call: for whoever was told that something else holds now.
   * One key is looked up by one of them at a time, so that asking often costs no more than that.
   */
  readonly findAnew: (key: string) => Promise<Value | undefined>;
}

export const remembered = <Value>(
  look: (key: string) => Promise<Value | undefined>,
  clock: Clock,
): Remembered<Value> => {
  const entries = new Map<string, Entry<Value>>();
  /** Of each key the look-up that is under way, and the one that comes after it. */
  const underWay = new Map<string, Promise<void>>();
  const next = new Map<string, Promise<Value | undefined>>();

  const lookNow = (key: string): Promise<Value | undefined> => {
    // Forgetting everything now and then is cheaper than keeping an order of use.
    if (entries.size >= entriesMax) entries.clear();
    const value = look(key).catch((error: unknown) => {
      entries.delete(key);
      throw error;
    });
    entries.set(key, { value, staleAtMs: clock.nowMs() + rememberMs });
    return value;
  };

  const begin = (key: string): Promise<Value | undefined> => {
    const value = lookNow(key);
    const end = (): void => void underWay.delete(key);
    underWay.set(key, value.then(end, end));
    return value;
  };

  return {
    find: (key) => {
      const known = entries.get(key);
      return known !== undefined && clock.nowMs() < known.staleAtMs ? known.value : lookNow(key);
    },
    findAnew: (key) => {
      const waiting = next.get(key);
      if (waiting !== undefined) return waiting;
      const before = underWay.get(key);
      if (before === undefined) return begin(key);
      const value = before.then(() => {
        next.delete(key);
        return begin(key);
      });
      next.set(key, value);
      return value;
    },
  };
};
