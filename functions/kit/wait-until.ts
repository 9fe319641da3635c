/** Waits for what a flow is about to do, for a bounded time: the answer then says how far it is. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../shared/platform/clock.js";

/** A caller waits no longer than this for a flow. */
const waitMs = 10_000;
const pauses = { first: 25, longest: 400, growth: 1.4 } as const;

/** Reads until `isDone`, or until the time is up; resolves to what was read last. */
export const readUntil = async <Value>(
  read: () => Promise<Value>,
  isDone: (value: Value) => boolean,
  clock: Clock,
): Promise<Value> => {
  const giveUpAt = clock.nowMs() + waitMs;
  let pauseMs: number = pauses.first;
  for (;;) {
    const value = await read();
    if (isDone(value) || clock.nowMs() + pauseMs > giveUpAt) return value;
    await sleep(pauseMs);
    pauseMs = Math.min(pauseMs * pauses.growth, pauses.longest);
  }
};
