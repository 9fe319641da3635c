/** Two kills while bank notifications arrive: each one's money is in one place, once, and the books prove. */
import { expect, test } from "vitest";
import { killUnderNotifications } from "../support/accounting/notification-kills.js";

const seed = Math.floor(Math.random() * 1_000_000);

test(`every cent is in a wallet, at a store, in suspense or sent back, seed ${seed}`, async () => {
  const size = { notifications: 200, wallets: 10, stores: 3 };
  expect(await killUnderNotifications({ ...size, kills: 2, seed })).toBe(160);
});
