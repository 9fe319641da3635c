/** Two kills under a load of payments, groups, deposits, withdrawals in cash and by transfer: both sides' records agree to the cent. */
import { expect, test } from "vitest";
import { killUnderLoad } from "../support/operations/kills-under-load.js";

const seed = Math.floor(Math.random() * 1_000_000);

test(`no answered command is lost and none happens twice, seed ${seed}`, async () => {
  const asked = await killUnderLoad({ kills: 2, customers: 6, betweenMs: 800, seed });
  expect(asked).toBeGreaterThan(6);
});
