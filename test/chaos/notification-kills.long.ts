/** Two kills while ten thousand bank notifications arrive: each one's money is in one place, once. */
import { expect, test } from "vitest";
import { killUnderNotifications } from "../support/accounting/notification-kills.js";
import { whileItMoves } from "../support/platform/progress.js";

const seed = Math.floor(Math.random() * 1_000_000);
const noLimit = 0;

test(
  `every cent is in a wallet, at a store, in suspense or sent back, seed ${seed}`,
  { timeout: noLimit },
  async () => {
    const size = { notifications: 10_000, wallets: 300, stores: 20 };
    const credits = await whileItMoves("steps of notifications", (done) =>
      killUnderNotifications({ ...size, kills: 2, seed, done }),
    );
    expect(credits).toBe(8_000);
  },
);
