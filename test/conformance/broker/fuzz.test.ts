/** Whatever bytes come, the broker goes on: no crash, no hang, no memory that is not given back. */
import { test } from "vitest";
import { fuzzBroker } from "../../support/broker/broker-fuzz.js";

test("ten seconds of mutants of genuine connections leave the broker as it was", async () => {
  await fuzzBroker(20_261_122, 10_000);
}, 60_000);
