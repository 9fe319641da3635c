/** What a broker does that another one took the database from, and gave back to. */
import { expect, test } from "vitest";
import { takeOverRepeatedly } from "../../support/broker/takeover.js";

test("after another broker has owned the database, no acknowledged message is lost", async () => {
  const report = await takeOverRepeatedly(1);
  console.log(`takeover: ${JSON.stringify(report)}`);
  expect(report.lost).toBe(0);
});
