/** The same as in `fuzz.test.ts` for minutes, from a seed of the day. */
import { test } from "vitest";
import { fuzzBroker } from "../../support/broker/broker-fuzz.js";

test("minutes of mutants of genuine connections leave the broker as it was", async () => {
  await fuzzBroker(Math.floor(Date.now() / 86_400_000), 300_000);
});
