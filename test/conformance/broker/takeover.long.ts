/** The same as takeover.test.ts, forty times as often. */
import { expect, test } from "vitest";
import { takeOverRepeatedly } from "../../support/broker/takeover.js";

test("however often another broker owns the database, no acknowledged message is lost", async () => {
  const report = await takeOverRepeatedly(40);
  console.log(`takeover: ${JSON.stringify(report)}`);
  expect(report.lost).toBe(0);
});
