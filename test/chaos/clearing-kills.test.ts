/** The platform dies once while a day is cleared: each affiliate's files hold its records, each once. */
import { expect, test } from "vitest";
import { killUnderClearing } from "../support/clearing/clearing-kills.js";

const seed = Math.floor(Math.random() * 1_000_000);

test(`files, sums and the processor's records agree, seed ${seed}`, async () => {
  const affiliates = ["acme", "globex", "initech", "umbrella"];
  const size = { presentments: 3_000, fees: 600, affiliates };
  expect(await killUnderClearing({ ...size, kills: 1, seed })).toEqual({
    files: 8,
    records: 3_600,
  });
});
