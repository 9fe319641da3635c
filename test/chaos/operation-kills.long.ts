/** Twenty kills under a load of payments, groups, deposits and withdrawals, in cash and by transfer. */
import { expect, test } from "vitest";
import { killUnderLoad } from "../support/operations/kills-under-load.js";
import { whileItMoves } from "../support/platform/progress.js";

const seed = Math.floor(Math.random() * 1_000_000);
const noLimit = 0;

test(
  `no answered command is lost and none happens twice, seed ${seed}`,
  { timeout: noLimit },
  async () => {
    const asked = await whileItMoves("errands", (done) =>
      killUnderLoad({ kills: 20, customers: 32, betweenMs: 2_000, seed, done }),
    );
    expect(asked).toBeGreaterThan(32);
  },
);
