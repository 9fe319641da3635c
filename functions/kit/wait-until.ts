/** Waits for what a flow is about to do, for a bounded time: the answer then says how far it is. */
import type { Changes } from "../../shared/platform/changes.js";
import type { Clock } from "../../shared/platform/clock.js";

/** A caller waits no longer than this for a flow. */
const waitMs = 10_000;

/** Between two looks where nobody tells of a change: the flow may run in another process. */
const pauses = { first: 100, longest: 800, growth: 2 } as const;

export interface Waiting {
  readonly clock: Clock;
  readonly changes: Changes;
  /** What a change is told by: the id of the wallet or mandate. */
  readonly key: string;
}

/** Reads until `isDone`, or until the time is up; resolves to what was read last, `known` before all. */
export const readUntil = async <Value>(
  known: Value,
  read: () => Promise<Value>,
  isDone: (value: Value) => boolean,
  { clock, changes, key }: Waiting,
): Promise<Value> => {
  const giveUpAt = clock.nowMs() + waitMs;
  const watch = changes.watch(key);
  try {
    let value = known;
    for (let pauseMs: number = pauses.first; ;) {
      if (isDone(value) || clock.nowMs() + pauseMs > giveUpAt) return value;
      await watch.next(pauseMs);
      value = await read();
      pauseMs = Math.min(pauseMs * pauses.growth, pauses.longest);
    }
  } finally {
    watch.close();
  }
};
