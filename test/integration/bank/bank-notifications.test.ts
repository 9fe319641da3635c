/** Notifications from the bank on a real database: each stored once, for its partner, and answered. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { BankNotificationMessage } from "../../../shared/contracts/platform/bank-messages.js";
import { receiveNotification } from "../../../shared/database/bank/notifications.js";
import {
  collectionIban,
  countOf,
  globexIban,
  openBankTest,
  outboxOf,
  receive,
  sctFor,
  writeWaitingWallet,
} from "../../support/wallet/bank-fixtures.js";
import type { BankTest, WaitingWallet } from "../../support/wallet/bank-fixtures.js";

let bank: BankTest;
beforeAll(async () => {
  bank = await openBankTest();
});
afterAll(() => bank.end());

const waiting = (): Promise<WaitingWallet> => writeWaitingWallet(bank.database);

const stored = (reference: string): Promise<number> =>
  countOf(
    bank.database,
    "select count(*) from borsello.bank_notification where transaction_reference = $1",
    [reference],
  );

const partnerOf = async (bankNotificationId: string): Promise<string | null | undefined> =>
  (
    await bank.database.row(
      z.object({ partnerKey: z.string().nullable() }),
      `select partner_key as "partnerKey" from borsello.bank_notification
       where bank_notification_id = $1`,
      [bankNotificationId],
    )
  )?.partnerKey;

const validated = async (): Promise<WaitingWallet> => {
  const wallet = await waiting();
  for (const change of [
    "update borsello.iban_validation set status = 'Validated' where wallet_id = $1",
    "update borsello.wallet set is_iban_validated = true where wallet_id = $1",
  ])
    await bank.database.execute(change, [wallet.walletId]);
  return wallet;
};

test("a reason with a waiting code, in any case and with spaces, wakes that wallet's flow", async () => {
  const wallet = await waiting();
  const received = await receive(bank.database, sctFor(wallet));
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
        bankNotificationId: received.bankNotificationId,
      },
    },
  ]);
});

describe("a repeat", () => {
  test("twenty times at once is stored once and wakes the flow once", async () => {
    const wallet = await waiting();
    const message = sctFor(wallet);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => receiveNotification(bank.database, message)),
    );
    expect(answers.filter(({ result }) => result === "stored")).toHaveLength(1);
    expect(answers.filter(({ result }) => result === "repeated")).toHaveLength(19);
    expect(await outboxOf(bank.database, wallet.walletId)).toHaveLength(1);
  });

  test.each<[string, Partial<BankNotificationMessage>]>([
    ["type", { type: "IncomingSctInstant" }],
    ["amount", { amount: 1.01 }],
    ["debtor's name", { debtorName: "Rossi Maria" }],
    ["debtor's IBAN", { debtorIban: "IT99A0000000000000000000009" }],
    ["creditor's name", { creditorName: null }],
    ["creditor's IBAN", { creditorIban: globexIban }],
    ["reason", { reason: "another one" }],
    ["date of reception", { receptionDate: "2026-01-15T09:30:00.001Z" }],
  ])(
    "is none with another %s, but another transfer with the same missing references",
    async (_, changes) => {
      const message = sctFor(await waiting());
      await receive(bank.database, message);
      await receive(bank.database, { ...message, ...changes });
      expect(await stored(message.transactionReference)).toBe(2);
      expect(await receiveNotification(bank.database, { ...message, ...changes })).toEqual({
        result: "repeated",
      });
    },
  );

  test("is the same however its IBANs and its date are written", async () => {
    const message = sctFor(await waiting());
    await receive(bank.database, message);
    const { debtorIban } = message;
    const again = {
      ...message,
      debtorIban: `${debtorIban.slice(0, 4)} ${debtorIban.slice(4).toLowerCase()}`,
      receptionDate: "2026-01-15T10:30:00+01:00",
    };
    expect(await receiveNotification(bank.database, again)).toEqual({ result: "repeated" });
  });

  test("of a gateway's reference is one with the same content, and else a reuse", async () => {
    const message = { ...sctFor(await waiting()), paymentGatewayReference: randomUUID() };
    await receive(bank.database, message);
    expect(await receiveNotification(bank.database, message)).toEqual({ result: "repeated" });
    for (const changes of [{ amount: 2 }, { transactionReference: "another" }])
      expect(await receiveNotification(bank.database, { ...message, ...changes })).toEqual({
        result: "referenceReused",
      });
    expect(await stored(message.transactionReference)).toBe(1);
  });

  test("of a gateway's reference with two contents at once leaves one of them", async () => {
    const message = { ...sctFor(await waiting()), paymentGatewayReference: randomUUID() };
    const answers = await Promise.all(
      [1, 2, 3, 4].map((amount) => receiveNotification(bank.database, { ...message, amount })),
    );
    expect(answers.map(({ result }) => result).toSorted()).toEqual([
      "referenceReused",
      "referenceReused",
      "referenceReused",
      "stored",
    ]);
  });
});

test("one transaction reference from two gateways is two notifications", async () => {
  const message = sctFor(await waiting());
  await receive(bank.database, { ...message, paymentGatewayReference: randomUUID() });
  await receive(bank.database, { ...message, paymentGatewayReference: randomUUID() });
  expect(await stored(message.transactionReference)).toBe(2);
});

describe("a notification belongs", () => {
  test("to the partner whose collection account it reached, however that is written", async () => {
    const wallet = await waiting();
    const reason = "rent for January";
    const spaced = collectionIban.replace(/(.{4})/g, "$1 ").toLowerCase();
    for (const [creditorIban, partner] of [
      [spaced, "acme"],
      [globexIban, "globex"],
      ["IT99A0000000000000000000009", "platform"],
    ] as const) {
      const received = await receive(bank.database, sctFor(wallet, { creditorIban, reason }));
      expect(await partnerOf(received.bankNotificationId)).toBe(partner);
    }
  });

  test("to another partner, or to platform, even with the code of a wallet, which it does not validate", async () => {
    const wallet = await waiting();
    const foreign = await receive(bank.database, sctFor(wallet, { creditorIban: globexIban }));
    expect(foreign).toMatchObject({ walletId: null });
    expect(foreign.feedback).toMatch(/^Code: /);
    expect(await partnerOf(foreign.bankNotificationId)).toBe("globex");
    const lost = await receive(
      bank.database,
      sctFor(wallet, { creditorIban: "IT99A0000000000000000000009" }),
    );
    expect(lost.feedback).toMatch(/^Account: .*the instructions name would fit/);
    expect(await partnerOf(lost.bankNotificationId)).toBe("platform");
    expect(await outboxOf(bank.database, wallet.walletId)).toEqual([]);
  });

  test("to the partner of the code, where the platform's account stands in for the partner's own", async () => {
    const wallet = await waiting();
    const platformAccount = "IT55 P000 0000000000000000055";
    const message = sctFor(wallet, { creditorIban: "IT55P0000000000000000000055" });
    const settings = "update borsello.partner set settings = $1 where partner_key = 'acme'";
    await bank.database.execute(settings, ["{}"]);
    const received = await receiveNotification(bank.database, message, platformAccount);
    const own = { ibanVerification: { destinationIban: collectionIban } };
    await bank.database.execute(settings, [JSON.stringify(own)]);
    expect(received).toMatchObject({ result: "stored", walletId: wallet.walletId });
  });
});

describe("what stays Received has a feedback, and its partner is told once", () => {
  const told = async (bankNotificationId: string) => {
    const messages = await outboxOf(bank.database, bankNotificationId);
    expect(messages).toMatchObject([
      { subject: "BankNotificationReceived", body: { bankNotificationId, status: "Received" } },
    ]);
    return messages[0];
  };

  test.each<[string, RegExp, Partial<BankNotificationMessage>]>([
    ["without a code", /^Code: .*no open IBAN validation/, { reason: "rent for January" }],
    ["of a direct debit", /^Mandate: /, { type: "IncomingSdd" }],
    ["of a store", /^Reconciliation: /, { type: "IncomingReconciliation" }],
  ])("a credit %s", async (_, feedback, changes) => {
    const wallet = await waiting();
    const received = await receive(bank.database, sctFor(wallet, changes));
    expect(received.walletId).toBeNull();
    expect(received.feedback).toMatch(feedback);
    const event = await told(received.bankNotificationId);
    expect(event?.destinations).toEqual(["acme", "platform-events"]);
    expect(event?.body).toMatchObject({
      partnerKey: "acme",
      amount: 1,
      consumableAmount: 1,
      feedback: received.feedback,
    });
    expect(await outboxOf(bank.database, wallet.walletId)).toEqual([]);
  });

  test("a reason with two waiting codes goes to neither", async () => {
    const [one, other] = [await waiting(), await waiting()];
    const received = await receive(
      bank.database,
      sctFor(one, { reason: `${one.code} ${other.code}` }),
    );
    expect(received.feedback).toMatch(/^Code: .*several/);
    expect(await outboxOf(bank.database, one.walletId)).toEqual([]);
  });

  test.each(["Expired", "Replaced"])("the code of a validation that is %s", async (status) => {
    const wallet = await waiting();
    await bank.database.execute(
      "update borsello.iban_validation set status = $2 where wallet_id = $1",
      [wallet.walletId, status],
    );
    const received = await receive(bank.database, sctFor(wallet));
    expect(received).toMatchObject({ walletId: null });
    expect(received.feedback).toMatch(/^Code: .*has ended/);
  });
});

describe("is credited at once:", () => {
  test.each([
    ["its IBAN", (wallet: WaitingWallet) => sctFor(wallet, { reason: "savings" })],
    ["its code", (wallet: WaitingWallet) => sctFor(wallet, { debtorIban: "IT99A9" })],
  ])("a deposit for a validated wallet, known by %s", async (_, message) => {
    const wallet = await validated();
    const received = await receive(bank.database, message(wallet));
    expect(received).toMatchObject({
      ...{ walletId: wallet.walletId, status: "Consumed", feedback: null },
    });
    const subjects = (await outboxOf(bank.database, wallet.walletId)).map(({ subject }) => subject);
    expect(subjects).toEqual([
      "IbanValidated",
      "BucketCreated",
      "OperationInitialized",
      "OperationConfirmed",
      "TransactionConfirmed",
    ]);
  });
});

test("a transfer that comes while its validation ends is told how that ended", async () => {
  const wallet = await waiting();
  const blocked = () =>
    countOf(
      bank.database,
      `select count(*) from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
  const received = await bank.database.transaction(async (tx) => {
    await tx.execute(
      "update borsello.iban_validation set status = 'Replaced' where wallet_id = $1",
      [wallet.walletId],
    );
    const receiving = receive(bank.database, sctFor(wallet));
    await expect.poll(blocked).toBe(1);
    return { receiving };
  });
  expect((await received.receiving).feedback).toMatch(
    /^Code: .* has ended, as the IBAN was replaced or removed; /,
  );
});

test("a validation that ends while a transfer for it comes leaves that with a feedback", async () => {
  const unanswered =
    "select count(*) from borsello.bank_notification where wallet_id = $1 and feedback is null";
  for (let round = 0; round < 10; round += 1) {
    const wallet = await waiting();
    await Promise.all([
      receive(bank.database, sctFor(wallet)),
      bank.database.execute(
        "update borsello.iban_validation set status = 'Replaced' where wallet_id = $1",
        [wallet.walletId],
      ),
    ]);
    expect(await countOf(bank.database, unanswered, [wallet.walletId])).toBe(0);
  }
});
