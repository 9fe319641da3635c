/** A timer of the broker's that is told of a time while it works does not pass it over. */
import { expect, test } from "vitest";
import { DueTimer } from "../../../local/broker/entities/due-timer.js";

test("what comes due while the next time is looked for is found by looking once more", async () => {
  let answer: (nextMs: number) => void = () => undefined;
  let looks = 0;
  const timer = new DueTimer({
    work: () => {
      looks += 1;
      return new Promise((resolve) => (answer = resolve));
    },
    everyMs: 0,
    report: (error) => {
      throw error;
    },
  });
  timer.wake(0);
  await expect.poll(() => looks).toBe(1);
  // It has come due, and is not among what was read a moment ago.
  timer.wake(Date.now());
  await new Promise((resolve) => setTimeout(resolve, 20));
  answer(Infinity);
  await expect.poll(() => looks).toBe(2);
  answer(Infinity);
  await timer.stop();
});
