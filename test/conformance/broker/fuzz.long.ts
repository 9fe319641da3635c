/** The same as in `fuzz.test.ts` for minutes, from a seed of the day, or for FUZZ_SECONDS from SEED. */
import { expect, test } from "vitest";
import { fuzzBroker } from "../../support/broker/broker-fuzz.js";

const seed = Number(process.env["SEED"] ?? Math.floor(Date.now() / 86_400_000));
const seconds = Number(process.env["FUZZ_SECONDS"] ?? 300);

test(`${seconds} s of hostile peers leave the broker and its neighbours as they were, seed ${seed}`, async () => {
  const report = await fuzzBroker(seed, seconds * 1_000);
  console.log(JSON.stringify(report));
  expect(report.peers).toBeGreaterThan(seconds);
});
