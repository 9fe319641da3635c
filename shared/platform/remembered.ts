/** A look-up remembered for a few seconds, so that a call on the hot path costs no query. */
import type { Clock } from "./clock.js";

const rememberMs = 5_000;
const entriesMax = 1_000;

interface Entry<Value> {
  readonly value: Promise<Value | undefined>;
  readonly staleAtMs: number;
}

/** Remembers what `look` found, "nobody" too; callers at the same time share one look-up. */
export const remembered = <Value>(
  look: (key: string) => Promise<Value | undefined>,
  clock: Clock,
): ((key: string) => Promise<Value | undefined>) => {
  const entries = new Map<string, Entry<Value>>();
  return (key) => {
    const nowMs = clock.nowMs();
    const known = entries.get(key);
    if (known !== undefined && nowMs < known.staleAtMs) return known.value;
    // Forgetting everything now and then is cheaper than keeping an order of use.
    if (entries.size >= entriesMax) entries.clear();
    const value = look(key).catch((error: unknown) => {
      entries.delete(key);
      throw error;
    });
    entries.set(key, { value, staleAtMs: nowMs + rememberMs });
    return value;
  };
};
