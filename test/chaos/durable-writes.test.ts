/** The host dies at every other durable write of an orchestration in turn: each time it ends all the same. */
import { expect, test } from "vitest";
import { sweepWrites } from "../support/durable/write-sweep.js";

test("rounds of continueAsNew end, at whatever write the host's life ends", async () => {
  expect(await sweepWrites("rounds", "answered", 2)).toBeGreaterThan(4);
}, 120_000);
