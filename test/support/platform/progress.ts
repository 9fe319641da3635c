/** For tests that take long: they may take as long as they get on, and fail when nothing moves any more. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";

const lookEveryMs = 60_000;
const quietLooksMax = 5;

/** `work` tells of its steps; each minute shows how many there were, and five without any end it. */
export const whileItMoves = async <Value>(
  what: string,
  work: (moved: (steps?: number) => void) => Promise<Value>,
): Promise<Value> => {
  let steps = 0;
  const done = new AbortController();
  const watch = async (): Promise<never> => {
    let seen = 0;
    let quietLooks = 0;
    for (;;) {
      await sleep(lookEveryMs, undefined, { signal: done.signal });
      quietLooks = steps === seen ? quietLooks + 1 : 0;
      if (quietLooks === quietLooksMax)
        throw new Error(`Nothing has moved for minutes, after ${steps} ${what}.`);
      seen = steps;
      console.log(`${steps} ${what}`);
    }
  };
  try {
    return await Promise.race([work((more = 1) => void (steps += more)), watch()]);
  } finally {
    done.abort();
  }
};

/** Waits until nothing is left, as long as it becomes less. */
export const untilNone = async (count: () => number | Promise<number>): Promise<void> => {
  for (let left = await count(); left > 0; left = await count())
    await expect.poll(count).toBeLessThan(left);
};
