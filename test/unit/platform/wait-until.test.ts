/** Who waits for a flow looks again as soon as it is told of a change. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readUntil } from "../../../functions/kit/wait-until.js";
import { createChanges } from "../../../shared/platform/changes.js";
import { systemClock } from "../../../shared/platform/clock.js";

// No timer ever fires by itself: what ends a wait here is what was told, or the test's own hand.
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const changes = createChanges();
const waiting = { clock: systemClock, changes, key: "one" };

/** Gives these values one after the other, and says when each was read. */
const reader = (values: readonly string[], onRead: (reads: number) => void = () => undefined) => {
  let reads = 0;
  return async (): Promise<string> => {
    const value = values[reads] ?? "no more";
    reads += 1;
    onRead(reads);
    return value;
  };
};

const isDone = (value: string): boolean => value === "done";

test("a change that is told while it waits is seen at once", async () => {
  const read = vi.fn(reader(["done"]));
  const found = readUntil("open", read, isDone, waiting);
  await Promise.resolve();
  changes.tell("another");
  await Promise.resolve();
  expect(read).not.toHaveBeenCalled();
  changes.tell("one");
  expect(await found).toBe("done");
});

test("a change that is told during a look is not missed", async () => {
  const read = reader(["open", "done"], (reads) => {
    if (reads === 1) changes.tell("one");
  });
  const found = readUntil("open", read, isDone, waiting);
  changes.tell("one");
  expect(await found).toBe("done");
});

test("what is known to be done is not read again", async () => {
  const read = vi.fn(reader([]));
  expect(await readUntil("done", read, isDone, waiting)).toBe("done");
  expect(read).not.toHaveBeenCalled();
});

test("a change that nobody tells of is found all the same", async () => {
  const found = readUntil("open", reader(["open", "open", "done"]), isDone, waiting);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await found).toBe("done");
});

test("the wait ends when its time is up, with what was read last", async () => {
  const found = readUntil("open", async () => "open", isDone, waiting);
  await vi.advanceTimersByTimeAsync(11_000);
  expect(await found).toBe("open");
});
