/** The checker of serial orders: it finds the order that is there, and none where there is none. */
import { expect, test } from "vitest";
import { isSerial, type Model } from "../../support/database/serial-order.js";

/** A shelf of things: taking one more than there are is refused. */
const shelf: Model<number, "take" | "put", "done" | "refused"> = {
  step: (left, command) => {
    if (command === "put") return { answer: "done", state: left + 1 };
    return left > 0 ? { answer: "done", state: left - 1 } : { answer: "refused", state: left };
  },
};

const took = { command: "take", answer: "done" } as const;
const refused = { command: "take", answer: "refused" } as const;
const put = { command: "put", answer: "done" } as const;

test("two who take one thing: one of them is refused", () => {
  expect(isSerial(shelf, 1, 0, [[took], [refused]])).toBe(true);
  expect(isSerial(shelf, 1, 0, [[took], [took]])).toBe(false);
  expect(isSerial(shelf, 1, 0, [[refused], [refused]])).toBe(false);
});

test("the end must be the one that the order leads to", () => {
  expect(isSerial(shelf, 1, 1, [[took], [refused]])).toBe(false);
});

test("each client's own order is kept", () => {
  expect(isSerial(shelf, 0, 0, [[put, took], [refused]])).toBe(true);
  expect(isSerial(shelf, 0, 0, [[took, put]])).toBe(false);
  expect(isSerial(shelf, 0, 0, [[took], [put]])).toBe(true);
});
