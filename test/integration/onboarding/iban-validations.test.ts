/** An IBAN validation's ends on a real database: credited once, refused with its reason, expired. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { advanceNotification } from "../../../shared/database/bank/notification-flow.js";
import { retryTransfers } from "../../../shared/database/bank/retries.js";
import {
  expireIbanValidation,
  matchSct,
} from "../../../shared/database/onboarding/iban-validations.js";
import { availableCents } from "../../../shared/database/ledger/ledger.js";
import {
  countOf,
  openBankTest,
  outboxOf,
  receive as receiveMessage,
  sctFor,
  writeWaitingWallet,
} from "../../support/wallet/bank-fixtures.js";
import type { BankTest, WaitingWallet } from "../../support/wallet/bank-fixtures.js";

let bank: BankTest;
beforeAll(async () => {
  bank = await openBankTest();
});
afterAll(() => bank.end());

const means = {
  terms: { silenceSeconds: 10, retrySeconds: [0] },
  platformAccount: null,
  report: (error: string) => {
    throw new Error(error);
  },
};

const receive = async (
  wallet: WaitingWallet,
  changes?: Parameters<typeof sctFor>[1],
): Promise<string> =>
  (await receiveMessage(bank.database, sctFor(wallet, changes))).bankNotificationId;

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
  ["Amount", { amount: 0.99 }],
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

test("more than the amount validates, too, and all of it is credited", async () => {
  const wallet = await writeWaitingWallet(bank.database);
  expect(await match(wallet, await receive(wallet, { amount: 12.5 }))).toEqual({
    result: "validated",
  });
  expect(await availableCents(bank.database, wallet.walletId)).toBe(1_250n);
});

const suspended = async (): Promise<WaitingWallet> => {
  const wallet = await writeWaitingWallet(bank.database);
  await bank.database.execute(
    "update borsello.wallet set status = 'Suspended' where wallet_id = $1",
    [wallet.walletId],
  );
  return wallet;
};

const subjectsOf = async ({ walletId }: WaitingWallet): Promise<string[]> =>
  (await outboxOf(bank.database, walletId)).map(({ subject }) => subject);

test("a wallet that is not active is not credited", async () => {
  const wallet = await suspended();
  expect(await match(wallet, await receive(wallet))).toMatchObject({
    result: "mismatch",
    feedback: expect.stringMatching(/^Wallet:/) as string,
  });
});

describe("what failed by the wallet's state or its holder's name alone", () => {
  const change = (text: string, wallet: WaitingWallet) =>
    bank.database.execute(`update borsello.wallet set ${text} where wallet_id = $1`, [
      wallet.walletId,
    ]);
  const expire = ({ walletId }: WaitingWallet) =>
    expireIbanValidation(bank.database, { walletId, attempt: 1 });

  test("is told once, tried again when it is asked for, and then fits", async () => {
    const wallet = await suspended();
    const bankNotificationId = await receive(wallet);
    await match(wallet, bankNotificationId);
    await match(wallet, bankNotificationId);
    const first = ["SctReceived", "BankNotificationReceived"];
    expect(await subjectsOf(wallet)).toEqual(first);
    await change("status = 'Active'", wallet);
    await retryTransfers(bank.database, wallet.walletId);
    expect(await subjectsOf(wallet)).toEqual([...first, "SctReceived"]);
    expect(await match(wallet, bankNotificationId)).toEqual({ result: "validated" });
  });

  test.each([
    ["the amount", { amount: 0.5 }],
    ["the IBAN", { debtorIban: "IT99A0000000000000000000009" }],
  ])("is not what failed by %s, which stays as it is", async (_, changes) => {
    const wallet = await suspended();
    await match(wallet, await receive(wallet, changes));
    const before = await subjectsOf(wallet);
    await retryTransfers(bank.database, wallet.walletId);
    expect(await subjectsOf(wallet)).toEqual(before);
  });

  test("is looked at once more before the time is up", async () => {
    const wallet = await writeWaitingWallet(bank.database);
    await match(wallet, await receive(wallet, { debtorName: "ROSSI GIOVANNA" }));
    await match(wallet, await receive(wallet, { debtorName: "BIANCHI ANNA" }));
    await change("first_name = 'Anna', last_name = 'Bianchi'", wallet);
    expect(await expire(wallet)).toBe(false);
    expect(await availableCents(bank.database, wallet.walletId)).toBe(100n);
  });

  test("counts even where nobody has tried it yet when the time is up", async () => {
    const wallet = await writeWaitingWallet(bank.database);
    await receive(wallet);
    expect(await expire(wallet)).toBe(false);
    expect(await availableCents(bank.database, wallet.walletId)).toBe(100n);
  });

  test("still not fitting, it stays Received and says why when the time is up", async () => {
    const wallet = await suspended();
    const bankNotificationId = await receive(wallet);
    await match(wallet, bankNotificationId);
    expect(await expire(wallet)).toBe(true);
    const found = await notificationStatus(bankNotificationId);
    expect(found?.status).toBe("Received");
    expect(found?.feedback).toMatch(/^Code: .*has ended.* Before, it did not fit: Wallet: /);
  });
});

describe("the end of an attempt", () => {
  const eventOf = async (wallet: WaitingWallet, subject: string) =>
    (await outboxOf(bank.database, wallet.walletId)).filter((row) => row.subject === subject);

  test("is told as IbanValidated with the wallet", async () => {
    const wallet = await writeWaitingWallet(bank.database);
    const bankNotificationId = await receive(wallet);
    await match(wallet, bankNotificationId);
    await match(wallet, bankNotificationId);
    expect(await eventOf(wallet, "IbanValidated")).toMatchObject([
      {
        destinations: ["acme", "platform-events"],
        body: {
          walletId: wallet.walletId,
          partnerKey: "acme",
          iban: wallet.iban,
          isIbanValidated: true,
        },
      },
    ]);
    expect(await eventOf(wallet, "IbanValidationFailed")).toEqual([]);
  });

  test.each([
    ["Expired", /^No fitting transfer came in time; the last .* did not fit: Amount: /],
    ["Replaced", /^The IBAN was replaced or removed; the last .* did not fit: Amount: /],
  ])("unvalidated (%s) is told once as IbanValidationFailed", async (status, feedback) => {
    const wallet = await writeWaitingWallet(bank.database);
    await match(wallet, await receive(wallet, { amount: 0.5 }));
    for (let time = 0; time < 2; time += 1)
      await bank.database.execute(
        "update borsello.iban_validation set status = $2 where wallet_id = $1",
        [wallet.walletId, status],
      );
    expect(await eventOf(wallet, "IbanValidationFailed")).toMatchObject([
      {
        destinations: ["acme", "platform-events"],
        body: {
          walletId: wallet.walletId,
          partnerKey: "acme",
          iban: wallet.iban,
          feedback: expect.stringMatching(feedback) as string,
        },
      },
    ]);
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
    const found = await Promise.all(notifications.map(notificationStatus));
    expect(found.map((each) => each?.status).sort()).toEqual(["Consumed", "Received"]);
  });

  test("the others are deposits then, by the code alone, which their own flows credit", async () => {
    const wallet = await writeWaitingWallet(bank.database);
    const other = await receive(wallet, { debtorIban: "IT99A0000000000000000000009", amount: 7 });
    await match(wallet, other);
    await match(wallet, await receive(wallet));
    expect((await subjectsOf(wallet)).at(-1)).toBe("NotificationAdvanced");
    for (let time = 0; time < 2; time += 1) await advanceNotification(bank.database, other, means);
    expect(await notificationStatus(other)).toEqual({ status: "Consumed", feedback: null });
    expect(await availableCents(bank.database, wallet.walletId)).toBe(800n);
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
  expect(messages.map(({ subject }) => subject).toSorted()).toEqual([
    "IbanValidationExpired",
    "IbanValidationFailed",
    "WalletIbanDeleted",
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
