/** Transfers that name a store's direct debit: used by its outcome, or by a person where that was refused. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { accountCents } from "../../support/settlement/confirmed-operations.js";
import {
  activateMandate,
  approve,
  compensate,
  credit,
  creditBy,
  groupBy,
  mismatches,
  owe,
  requestsOf,
  tellBank,
} from "../../support/settlement/store-money.js";
import { openStore } from "../../support/stores/store-fixtures.js";
import {
  openValidatedWallet,
  openWalletTest,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

let opened: WalletTest;
let walletId: string;
beforeAll(async () => {
  opened = await openWalletTest();
  ({ walletId } = await openValidatedWallet(opened.database));
});
afterAll(() => opened.end());

test("what names a refused direct debit is a person's to use for its store, and counts once though the bank books it then", async () => {
  const { database } = opened;
  const { storeId } = await openStore(database);
  await activateMandate(database, storeId);
  const { reconciliationId } = await owe(database, { walletId, storeId, cents: -100_00n });
  await compensate(database);
  const [request] = await requestsOf(database, reconciliationId);
  const told = await credit(database, 100_00n, "", { namedRequestId: request?.requestId ?? null });
  expect(told.feedback).toMatch(/would use it$/);
  const bank = await accountCents(database, "Bank", "safeguarding");
  await tellBank(database, reconciliationId, "refused");
  expect(await creditBy(database, told.bankNotificationId)).toMatchObject({
    ...{ status: "Received", storeId },
    feedback: expect.stringMatching(/the bank has refused; a person decides/) as string,
  });
  expect(await approve(database, told.bankNotificationId)).toMatchObject({ status: "Consumed" });
  await tellBank(database, reconciliationId, "booked");
  expect(await groupBy(database, reconciliationId)).toMatchObject({
    status: "Reconciled",
    openCents: 0n,
  });
  expect(await accountCents(database, "Store", storeId)).toBe(0n);
  expect(await accountCents(database, "Bank", "safeguarding")).toBe(bank);
  expect(await mismatches(database)).toEqual([]);
});
