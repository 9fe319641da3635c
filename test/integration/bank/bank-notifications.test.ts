/** Notifications from the bank on a real database: stored once, given to the right validation. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { receiveNotification } from "../../../shared/database/bank/notifications.js";
import {
  countOf,
  openBankTest,
  outboxOf,
  sctFor,
  writeWaitingWallet,
} from "../../support/wallet/bank-fixtures.js";
import type { BankTest } from "../../support/wallet/bank-fixtures.js";

let bank: BankTest;
beforeAll(async () => {
  bank = await openBankTest();
});
afterAll(() => bank.end());

test("a reason with a waiting code, in any case and with spaces, wakes that wallet's flow", async () => {
  const wallet = await writeWaitingWallet(bank.database);
  const received = await receiveNotification(bank.database, sctFor(wallet));
  expect(received).toMatchObject({ walletId: wallet.walletId, feedback: null });
  const messages = await outboxOf(bank.database, wallet.walletId);
  expect(messages).toMatchObject([
    {
      subject: "SctReceived",
      destinations: ["platform-events"],
      body: {
        walletId: wallet.walletId,
        partnerKey: "acme",
        attempt: 1,
        bankNotificationId: received?.bankNotificationId,
      },
    },
  ]);
});

test("the same notification twenty times at once is stored once and wakes the flow once", async () => {
  const wallet = await writeWaitingWallet(bank.database);
  const message = sctFor(wallet);
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => receiveNotification(bank.database, message)),
  );
  expect(answers.filter((answer) => answer !== undefined)).toHaveLength(1);
  expect(await outboxOf(bank.database, wallet.walletId)).toHaveLength(1);
});

test("one transaction reference from two gateways is two notifications", async () => {
  const wallet = await writeWaitingWallet(bank.database);
  const message = sctFor(wallet);
  await receiveNotification(bank.database, { ...message, paymentGatewayReference: "gate-1" });
  await receiveNotification(bank.database, { ...message, paymentGatewayReference: "gate-2" });
  expect(
    await countOf(
      bank.database,
      "select count(*) from borsello.bank_notification where transaction_reference = $1",
      [message.transactionReference],
    ),
  ).toBe(2);
});

test("a code that nobody waits for leaves the notification Received and says so", async () => {
  const wallet = await writeWaitingWallet(bank.database);
  const received = await receiveNotification(
    bank.database,
    sctFor(wallet, { reason: "rent for January" }),
  );
  expect(received?.walletId).toBeNull();
  expect(received?.feedback).toMatch(/^Code:.*no open IBAN validation/);
});

test("a reason with two waiting codes goes to neither", async () => {
  const [one, other] = [
    await writeWaitingWallet(bank.database),
    await writeWaitingWallet(bank.database),
  ];
  const received = await receiveNotification(
    bank.database,
    sctFor(one, { reason: `${one.code} ${other.code}` }),
  );
  expect(received?.feedback).toMatch(/^Code:.*several/);
  expect(await outboxOf(bank.database, one.walletId)).toEqual([]);
});

test("a later transfer from a validated IBAN is kept for that wallet", async () => {
  const wallet = await writeWaitingWallet(bank.database);
  await bank.database.execute(
    "update borsello.iban_validation set status = 'Validated' where wallet_id = $1",
    [wallet.walletId],
  );
  await bank.database.execute(
    "update borsello.wallet set is_iban_validated = true where wallet_id = $1",
    [wallet.walletId],
  );
  const received = await receiveNotification(bank.database, sctFor(wallet, { amount: 250 }));
  expect(received).toMatchObject({ walletId: wallet.walletId });
  expect(received?.feedback).toMatch(/^Awaiting:/);
});

test("a direct debit's credit is no answer to an IBAN validation", async () => {
  const wallet = await writeWaitingWallet(bank.database);
  const received = await receiveNotification(
    bank.database,
    sctFor(wallet, { type: "IncomingSdd" }),
  );
  expect(received?.walletId).toBeNull();
  expect(await outboxOf(bank.database, wallet.walletId)).toEqual([]);
});
