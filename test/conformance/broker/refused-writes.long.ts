/** The same as in refused-writes.test.ts, with a hundred times as many completions. */
import { expect, test } from "vitest";
import { completeBesideRefusals } from "../../support/broker/refused-writes.js";

test("a hundred thousand completions stand beside refused sends", async () => {
  const report = await completeBesideRefusals(100_000);
  console.log(`refused writes: ${JSON.stringify(report)}`);
  expect(report.lost).toBe(0);
});
