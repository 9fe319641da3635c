/** Twenty kills under a load of payments, groups, deposits and withdrawals. */
import { expect, test } from "vitest";
import { killUnderLoad } from "../support/operations/kills-under-load.js";

const seed = Math.floor(Math.random() * 1_000_000);

test(`no answered command is lost and none happens twice, seed ${seed}`, async () => {
  const asked = await killUnderLoad({ kills: 20, customers: 32, betweenMs: 2_000, seed });
  expect(asked).toBeGreaterThan(32);
});
