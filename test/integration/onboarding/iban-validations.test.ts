/** An IBAN validation's ends on a real database: credited once, refused with its reason, expired. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { receiveNotification } from "../../../shared/database/bank/notifications.js";
import {
  expireIbanValidation,
  matchSct,
} from "../../../shared/database/onboarding/iban-validations.js";
import { availableCents } from "../../../shared/database/ledger/ledger.js";
import {
  countOf,
  openBankTest,
  outboxOf,
  sctFor,
  writeWaitingWallet,
} from "../../support/wallet/bank-fixtures.js";
import type { BankTest, WaitingWallet } from "../../support/wallet/bank-fixtures.js";

let bank: BankTest;
beforeAll(async () => {
  bank = await openBankTest();
});
afterAll(() => bank.end());

const receive = async (
  wallet: WaitingWallet,
  changes?: Parameters<typeof sctFor>[1],
): Promise<string> => {
  const received = await receiveNotification(bank.database, sctFor(wallet, changes));
  if (received === undefined) throw new Error("the notification was received before");
  return received.bankNotificationId;
};

const match = (wallet: WaitingWallet, bankNotificationId: string, attempt = 1) =>
  matchSct(bank.database, { walletId: wallet.walletId, attempt, bankNotificationId });

const notificationStatus = async (bankNotificationId: string) =>
  bank.database.row(
    z.object({ status: z.string(), feedback: z.string().nullable() }),
    "select status, feedback from borsello.bank_notification where bank_notification_id = $1",
    [bankNotificationId],
  );

test("a transfer with code, IBAN, name and amount validates the IBAN and is the first deposit", async () => {
  const wallet = await writeWaitingWallet(bank.database);
  const bankNotificationId = await receive(wallet);

  expect(await match(wallet, bankNotificationId)).toEqual({ result: "validated" });

  expect(await availableCents(bank.database, wallet.walletId)).toBe(100n);
  expect(await notificationStatus(bankNotificationId)).toEqual({
    status: "Consumed",
    feedback: null,
  });
  const messages = await outboxOf(bank.database, wallet.walletId);
  expect(messages.map(({ subject }) => subject)).toEqual([
    "SctReceived",
    "BucketCreated",
    "OperationInitialized",
    "OperationConfirmed",
    "TransactionConfirmed",
    "WalletUpdated",
    "IbanValidated",
  ]);
  const [, , initialized, confirmed, transaction, updated] = messages;
  expect(initialized?.body).toMatchObject({
    operationType: "SctStandardDeposit",
    amount: 1,
    finalAmount: 1,
    netAmount: 1,
    feesAmount: 0,
    fees: [],
    income: true,
    status: "Initialized",
  });
  expect(confirmed?.body).toMatchObject({
    status: "Confirmed",
    confirmationDate: expect.stringMatching(/^\d{4}-.*Z$/) as string,
  });
  expect(transaction?.body).toMatchObject({
    walletId: wallet.walletId,
    partnerKey: "acme",
    operationType: "SctStandardDeposit",
    transactionType: "Deposit",
    amount: 1,
    income: true,
    fees: [],
    transactionId: expect.any(Number) as number,
    id: transaction?.messageId,
    messagePublisher: "Borsello",
  });
  expect(updated?.body).toMatchObject({ iban: wallet.iban, walletId: wallet.walletId });
  expect(updated?.destinations).toEqual(["acme", "platform-events"]);
});

test("an instant transfer is an instant deposit", async () => {
  const wallet = await writeWaitingWallet(bank.database);
  await match(wallet, await receive(wallet, { type: "IncomingSctInstant" }));
  expect(
    await countOf(
      bank.database,
      "select count(*) from borsello.operation where wallet_id = $1 and type = 'SctInstantDeposit'",
      [wallet.walletId],
    ),
  ).toBe(1);
});

test.each([
  ["Amount", { amount: 1.01 }],
  ["DebtorName", { debtorName: "Mario Rossi" }],
  ["DebtorIban", { debtorIban: "IT99A0000000000000000000009" }],
])("a wrong %s leaves the notification Received and names the rule", async (rule, changes) => {
  const wallet = await writeWaitingWallet(bank.database);
  const bankNotificationId = await receive(wallet, changes);

  expect(await match(wallet, bankNotificationId)).toMatchObject({ result: "mismatch" });

  const found = await notificationStatus(bankNotificationId);
  expect(found?.status).toBe("Received");
  expect(found?.feedback).toMatch(new RegExp(`^${rule}:`));
  expect(await availableCents(bank.database, wallet.walletId)).toBe(0n);
  // The right transfer still comes through.
  expect(await match(wallet, await receive(wallet))).toEqual({ result: "validated" });
});

test("a wallet that is not active is not credited", async () => {
  const wallet = await writeWaitingWallet(bank.database);
  await bank.database.execute(
    "update borsello.wallet set status = 'Suspended' where wallet_id = $1",
    [wallet.walletId],
  );
  expect(await match(wallet, await receive(wallet))).toMatchObject({
    result: "mismatch",
    feedback: expect.stringMatching(/^Wallet:/) as string,
  });
});

describe("however often and at the same time it is matched", () => {
  test("one transfer is credited once, and every call is told the same", async () => {
    const wallet = await writeWaitingWallet(bank.database);
    const bankNotificationId = await receive(wallet);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => match(wallet, bankNotificationId)),
    );
    expect(new Set(answers.map(({ result }) => result))).toEqual(new Set(["validated"]));
    expect(await availableCents(bank.database, wallet.walletId)).toBe(100n);
    const messages = await outboxOf(bank.database, wallet.walletId);
    expect(messages.filter(({ subject }) => subject === "TransactionConfirmed")).toHaveLength(1);
  });

  test("two transfers for one attempt credit one of them", async () => {
    const wallet = await writeWaitingWallet(bank.database);
    const notifications = [await receive(wallet), await receive(wallet)];
    const answers = await Promise.all(notifications.map((id) => match(wallet, id)));
    expect(answers.map(({ result }) => result).sort()).toEqual(["ended", "validated"]);
    expect(await availableCents(bank.database, wallet.walletId)).toBe(100n);
  });

  test("matching and expiring at once has one winner", async () => {
    const wallet = await writeWaitingWallet(bank.database);
    const bankNotificationId = await receive(wallet);
    const [matched, expired] = await Promise.all([
      match(wallet, bankNotificationId),
      expireIbanValidation(bank.database, { walletId: wallet.walletId, attempt: 1 }),
    ]);
    expect(matched.result === "validated").toBe(!expired);
    expect(await availableCents(bank.database, wallet.walletId)).toBe(expired ? 0n : 100n);
  });
});

test("an expired validation clears the IBAN once and says so once", async () => {
  const wallet = await writeWaitingWallet(bank.database);
  const attempt = { walletId: wallet.walletId, attempt: 1 };
  expect(await expireIbanValidation(bank.database, attempt)).toBe(true);
  expect(await expireIbanValidation(bank.database, attempt)).toBe(true);
  expect(
    await countOf(
      bank.database,
      "select count(*) from borsello.wallet where wallet_id = $1 and iban is null and bic is null",
      [wallet.walletId],
    ),
  ).toBe(1);
  const messages = await outboxOf(bank.database, wallet.walletId);
  expect(messages.map(({ subject }) => subject)).toEqual([
    "WalletIbanDeleted",
    "IbanValidationExpired",
  ]);
});

test("an attempt that another IBAN replaced neither expires nor takes a transfer", async () => {
  const wallet = await writeWaitingWallet(bank.database);
  const bankNotificationId = await receive(wallet);
  await bank.database.execute(
    "update borsello.iban_validation set status = 'Replaced' where wallet_id = $1",
    [wallet.walletId],
  );
  expect(await match(wallet, bankNotificationId)).toEqual({ result: "ended" });
  expect(await expireIbanValidation(bank.database, { walletId: wallet.walletId, attempt: 1 })).toBe(
    false,
  );
});
