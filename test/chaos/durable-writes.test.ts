/** The host dies at each durable write of an orchestration in turn: every one of them ends all the same. */
import { expect, test } from "vitest";
import { sweepWrites } from "../support/durable/write-sweep.js";

test("rounds of continueAsNew end, whichever write was the last of the host's life", async () => {
  expect(await sweepWrites("rounds", "answered")).toBeGreaterThan(4);
}, 120_000);
