/** Each word of the bank about a collection, in every order and in every state of its neighbours: what it moves. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { BankOutcomeMessage } from "../../../shared/contracts/platform/bank-messages.js";
import { proveBook } from "../../../shared/database/accounting/prove.js";
import { receiveNotification } from "../../../shared/database/bank/notifications.js";
import { availableCents } from "../../../shared/database/ledger/ledger.js";
import { requestDisable } from "../../../shared/database/mandates/disabling.js";
import { advanceSettlement } from "../../../shared/database/settlement/operations.js";
import { termsOf, type SettlementTerms } from "../../../shared/database/settlement/terms.js";
import {
  closeWallet,
  reactivateWallet,
  suspendWallet,
} from "../../../shared/database/wallet/states.js";
import { commandsOn } from "../../support/operations/commands.js";
import {
  accountCents,
  eventsOf,
  timelineOf,
} from "../../support/settlement/confirmed-operations.js";
import {
  bankTells,
  collect,
  mandateNow,
  moveToBankDay,
  openDueMandate,
  type Collected,
} from "../../support/wallet/collections.js";
import { openStore } from "../../support/stores/store-fixtures.js";
import {
  acme,
  made,
  openWalletTest,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

type Word = BankOutcomeMessage["outcome"];

let wallets: WalletTest;
let terms: SettlementTerms;
beforeAll(async () => {
  wallets = await openWalletTest();
  terms = await termsOf(wallets.database, "acme", { silenceSeconds: 10, collectionAccount: null });
  await moveToBankDay(wallets.database);
});
afterAll(() => wallets.end());

const opened = () => openDueMandate(wallets.database);
const collected = (of: Collected) => collect(wallets.database, of);
const tells = (requestId: string, ...words: readonly Word[]) =>
  bankTells(wallets.database, requestId, ...words);
const mandate = (of: Collected) => mandateNow(wallets.database, of);
const balance = async ({ walletId }: Collected): Promise<number> =>
  Number(await availableCents(wallets.database, walletId)) / 100;
const bank = () => accountCents(wallets.database, "Bank", "safeguarding");
const suspense = () => accountCents(wallets.database, "Suspense", "received");

const Deposit = z.object({
  operationId: z.string(),
  status: z.string(),
  feedback: z.string().nullable(),
  metadata: z.record(z.string(), z.unknown()).nullable(),
});
const depositsOf = ({ walletId }: Collected) =>
  wallets.database.rows(
    Deposit,
    `select operation_id as "operationId", status, feedback, metadata from borsello.operation
     where wallet_id = $1 and type = 'SddDeposit' order by creation_date, operation_id`,
    [walletId],
  );

const limitUsed = async ({ walletId }: Collected): Promise<bigint> =>
  (
    await wallets.database.row(
      z.object({ used: z.bigint() }),
      "select (borsello.limits_used($1)).sdd_deposit as used",
      [walletId],
    )
  )?.used ?? -1n;

const Held = z.object({
  bankNotificationId: z.string(),
  status: z.string(),
  feedback: z.string().nullable(),
  failedRule: z.string().nullable(),
  type: z.string(),
  reconciliationType: z.string(),
  consumedCents: z.bigint(),
});
const heldFor = (requestId: string) =>
  wallets.database.rows(
    Held,
    `select bank_notification_id as "bankNotificationId", status, feedback, type,
       failed_rule as "failedRule", reconciliation_type as "reconciliationType",
       consumed_amount_cents as "consumedCents"
     from borsello.bank_notification where named_request_id = $1`,
    [requestId],
  );

describe("what the bank says", () => {
  const words: readonly (readonly [
    words: readonly Word[],
    balance: number,
    deposit: string | null,
    lastError: string | null,
  ])[] = [
    [["accepted"], 0, null, null],
    [["accepted", "booked"], 100, "Confirmed", null],
    [["booked", "accepted"], 100, "Confirmed", null],
    [["booked", "booked", "booked"], 100, "Confirmed", null],
    [["refused"], 0, null, "CollectionRefused: AM04"],
    [["refused", "refused"], 0, null, "CollectionRefused: AM04"],
    [["accepted", "refused"], 0, null, "CollectionRefused: AM04"],
    // The money is there: it is the customer's, whatever was said before.
    [["refused", "booked"], 100, "Confirmed", null],
    [["booked", "refused", "refused"], 100, "Confirmed", "RefusedAfterBooked: AM04"],
    [["returned"], 0, "Confirmed MD06", "CollectionReturned: MD06"],
    [["returned", "booked"], 0, "Confirmed MD06", "CollectionReturned: MD06"],
    [
      ["accepted", "returned", "booked", "returned"],
      0,
      "Confirmed MD06",
      "CollectionReturned: MD06",
    ],
    [["booked", "returned"], 0, "Confirmed MD06", "CollectionReturned: MD06"],
    [["booked", "returned", "returned"], 0, "Confirmed MD06", "CollectionReturned: MD06"],
    [["booked", "returned", "booked", "accepted"], 0, "Confirmed MD06", "CollectionReturned: MD06"],
    [["booked", "returned", "refused"], 0, "Confirmed MD06", "RefusedAfterBooked: AM04"],
  ];

  test.each(words)(
    "%j: %d on the wallet, deposit %s, lastError %s",
    async (said, cents, deposit, lastError) => {
      const it = await opened();
      const before = { bank: await bank(), suspense: await suspense() };
      await tells(await collected(it), ...said);
      expect(await balance(it)).toBe(cents);
      expect(before.bank - (await bank())).toBe(BigInt(cents * 100));
      expect(await suspense()).toBe(before.suspense);
      const deposits = await depositsOf(it);
      expect(
        deposits.map(({ status, feedback }) => [status, feedback].filter(Boolean).join(" ")),
      ).toEqual(deposit === null ? [] : [deposit]);
      expect(await limitUsed(it)).toBe(BigInt(cents * 100));
      const now = await mandate(it);
      expect(now).toMatchObject({ status: "Active", lastError });
      expect(now.lastDepositDate === null).toBe(deposit === null);
      expect(now.lastFailureDate === null).toBe(
        !said.some((word) => word === "refused" || word === "returned"),
      );
    },
  );

  test("a deposit and its return tell the partner, each once", async () => {
    const it = await opened();
    await tells(await collected(it), "accepted", "booked", "booked", "returned", "returned");
    const [deposit] = await depositsOf(it);
    expect(deposit?.metadata).toMatchObject({ mandateId: it.mandateId });
    const events = await eventsOf(wallets.database, deposit?.operationId ?? "");
    expect(
      events.map(({ subject, body }) => [subject, body["transactionType"], body["income"]]),
    ).toEqual([
      ["OperationInitialized", undefined, true],
      ["OperationConfirmed", undefined, true],
      ["TransactionConfirmed", "Deposit", true],
      ["TransactionConfirmed", "Reversal", false],
    ]);
    expect(events.at(-1)?.body).toMatchObject({ operationType: "SddDeposit", amount: 100 });
  });
});

describe("a returned collection", () => {
  const commands = () => commandsOn(wallets.database);
  const feeRule = {
    ...{ family: "Payment", percent: 0, minimumCents: 0, maximumCents: null },
    ...{ beneficiary: "platform", debtor: "wallet" },
  } as const;

  test("that was spent leaves the wallet owing, by this alone; a later credit fills it up", async () => {
    const it = await opened();
    const { walletId } = it;
    const requestId = await collected(it);
    await tells(requestId, "booked");
    const welfare = { walletId, type: "WelfareDeposit", dealerKey: "dealer-rome" } as const;
    await commands().confirmed({ ...welfare, cents: 50_00n });
    await commands().confirmed({ walletId, type: "SctWithdrawal", cents: 60_00n });
    const withdrawal = { walletId, type: "SctWithdrawal", cents: 10_00n } as const;
    const { operationId, bucketId } = await commands().initialised(withdrawal);
    await tells(requestId, "returned");
    const Buckets = z.object({ fundsType: z.string(), cents: z.bigint() });
    const buckets = await wallets.database.rows(
      Buckets,
      `select funds_type as "fundsType", balance_cents as cents from borsello.bucket
       where wallet_id = $1 order by funds_type`,
      [walletId],
    );
    // No other bucket covers it.
    expect(buckets).toEqual([
      { fundsType: "Standard", cents: -60_50n },
      { fundsType: "Welfare", cents: 50_00n },
    ]);
    expect(await balance(it)).toBe(-21);
    // What is held stays held, and fails at its confirmation; whatever is new fails at once.
    const short = { ok: false, code: "InsufficientBalance" };
    expect(await commands().change("confirm", withdrawal, operationId)).toMatchObject(short);
    expect(await commands().initialise({ ...withdrawal, bucketId })).toMatchObject(short);
    const payment = { walletId, type: "Payment", cents: 1_00n } as const;
    expect(await commands().initialise(payment)).toMatchObject(short);
    const { storeId } = await openStore(wallets.database);
    await commands().confirmed({ walletId, storeId, type: "CashDeposit", cents: 101_00n });
    expect(await balance(it)).toBe(79);
    expect(await commands().change("confirm", withdrawal, operationId)).toMatchObject({ ok: true });
  });

  test.each(["Active", "Suspended", "Closed"] as const)(
    "is reversed on a wallet that is %s by then, thirteen months later",
    async (state) => {
      const it = await opened();
      const requestId = await collected(it);
      await tells(requestId, "booked");
      if (state !== "Active") made(await suspendWallet(wallets.database, acme, it.walletId));
      if (state === "Closed")
        made(
          await closeWallet(wallets.database, acme, it.walletId, { requiresZeroBalance: false }),
        );
      const before = await balance(it);
      await wallets.database.execute(
        "update borsello.bank_request set requested_at = requested_at - interval '13 months' where request_id = $1",
        [requestId],
      );
      await tells(requestId, "returned");
      expect(await balance(it)).toBe(before - 100);
      expect(await depositsOf(it)).toMatchObject([{ feedback: "MD06" }]);
    },
  );

  const bankOf = async (operationId: string): Promise<string> =>
    (
      await wallets.database.row(
        z.object({ requestId: z.string() }),
        `select request_id as "requestId" from borsello.bank_request
         where operation_id = $1 and kind = 'transfer' order by attempt desc limit 1`,
        [operationId],
      )
    )?.requestId ?? "";

  /** How far the settlement of the deposit is when the return comes. */
  const settled = {
    Confirmed: [],
    TransferInitializeRequested: ["advance"],
    TransferInitializeUnaccomplished: ["advance", "refused", "advance"],
    TransferConfirmRequested: ["advance", "accepted", "advance"],
    Completed: ["advance", "accepted", "booked", "advance"],
  } as const;
  test.each(Object.entries(settled))(
    "keeps its status %s and the return's code, and its settlement goes on to its end",
    async (status, steps) => {
      const it = await opened();
      const requestId = await collected(it);
      await tells(requestId, "booked");
      const operationId = (await depositsOf(it))[0]?.operationId ?? "";
      const advance = () => advanceSettlement(wallets.database, operationId, terms);
      for (const step of steps)
        if (step === "advance") await advance();
        else await tells(await bankOf(operationId), step);
      await tells(requestId, "returned");
      expect(await depositsOf(it)).toMatchObject([{ status, feedback: "MD06" }]);
      expect(await balance(it)).toBe(0);
      for (const word of ["accepted", "booked"] as const) {
        await advance();
        if (status === "TransferInitializeUnaccomplished")
          await wallets.database.execute(
            "update borsello.operation set next_attempt_at = borsello.platform_now() where operation_id = $1",
            [operationId],
          );
        await advance();
        await tells(await bankOf(operationId), word);
      }
      await advance();
      expect(await depositsOf(it)).toMatchObject([{ status: "Completed", feedback: "MD06" }]);
      expect(await balance(it)).toBe(0);
      const timeline = await timelineOf(wallets.database, operationId);
      expect(timeline).toContain(`${status} ${status}`);
    },
  );

  test("does not keep a payment from its end whose held fee has no funds beneath it any more", async () => {
    const it = await opened();
    const requestId = await collected(it);
    await tells(requestId, "booked");
    const feeRules = [{ ...feeRule, fixedCents: 100 }];
    const payment = { walletId: it.walletId, type: "Payment", cents: 99_00n, feeRules } as const;
    const { operationId } = await commands().confirmed(payment);
    await tells(requestId, "returned");
    expect(await balance(it)).toBe(-100);
    const alone = { ...terms, harvestedTypes: [] };
    const advance = () => advanceSettlement(wallets.database, operationId, alone);
    await advance();
    await tells(await bankOf(operationId), "accepted", "booked");
    expect(await advance()).toMatchObject({ status: "Completed" });
    expect(await balance(it)).toBe(-100);
  });
});

describe("three failures in a row", () => {
  const say = async (it: Collected, ...words: readonly Word[]): Promise<string> => {
    const requestId = await collected(it);
    await tells(requestId, ...words);
    return requestId;
  };

  test.each([
    ["three refusals", ["refused", "refused", "refused"], true],
    ["two refusals and a return", ["refused", "returned", "refused"], true],
    ["a booking between them", ["refused", "refused", "booked", "refused", "refused"], false],
    ["silence between them", ["refused", "silent", "refused", "accepted", "returned"], true],
    ["two", ["refused", "refused"], false],
  ] as const)("%s", async (_, words, ends) => {
    const it = await opened();
    for (const word of words) await say(it, ...(word === "silent" ? [] : [word]));
    expect((await mandate(it)).status).toBe(ends ? "DisableRequested" : "Active");
    const revoked = await wallets.database.rows(
      z.object({}),
      "select from borsello.bank_request where mandate_id = $1 and kind = 'mandateRevocation'",
      [it.mandateId],
    );
    expect(revoked).toHaveLength(ends ? 1 : 0);
  });

  test("are also three where the first of them was booked and is returned last", async () => {
    const it = await opened();
    const first = await say(it, "booked");
    await say(it, "refused");
    await say(it, "refused");
    expect((await mandate(it)).status).toBe("Active");
    await tells(first, "returned");
    expect((await mandate(it)).status).toBe("DisableRequested");
    expect(await balance(it)).toBe(0);
  });
});

describe("a booking that comes once", () => {
  const states = {
    "the mandate is disabled": async ({ walletId }: Collected) =>
      made(await requestDisable(wallets.database, acme, walletId)),
    "the IBAN is not validated any more": ({ walletId }: Collected) =>
      wallets.database.execute(
        "update borsello.wallet set is_iban_validated = false where wallet_id = $1",
        [walletId],
      ),
  };
  test.each(Object.entries(states))("%s is the customer's all the same", async (_, happen) => {
    const it = await opened();
    const requestId = await collected(it);
    await happen(it);
    await tells(requestId, "accepted", "booked");
    expect(await balance(it)).toBe(100);
  });

  const suspend = ({ walletId }: Collected) =>
    suspendWallet(wallets.database, acme, walletId).then(made);
  const close = ({ walletId }: Collected) =>
    closeWallet(wallets.database, acme, walletId, { requiresZeroBalance: false }).then(made);
  /** As the flow of a notification does it. */
  const process = ({ bankNotificationId }: z.infer<typeof Held>) =>
    wallets.database.execute("select borsello.process_notification($1, '{}', null, null)", [
      bankNotificationId,
    ]);
  /** What the bank tells of the credit itself, besides the outcome of the request. */
  const notify = async (of: Collected, requestId: string): Promise<void> => {
    const { debtorName, debtorIban, mandateUniqueReference } = await mandate(of);
    const received = await receiveNotification(wallets.database, {
      ...{ type: "IncomingSdd", debtorName, debtorIban, creditorName: "Acme", amount: 100 },
      ...{ creditorIban: "IT14B0000000000000000000001", reason: mandateUniqueReference },
      ...{ transactionReference: requestId, paymentGatewayReference: null },
      receptionDate: "2026-01-15T09:30:00.000Z",
    });
    expect(received.result).toBe("stored");
  };

  test.each([
    ["not told by itself", []],
    ["told before its outcome", ["before"]],
    ["told after it", ["after"]],
  ] as const)(
    "the wallet is suspended waits in suspense and is credited from there at reactivation, once; %s",
    async (_, told) => {
      const it = await opened();
      const requestId = await collected(it);
      await suspend(it);
      const before = { suspense: await suspense(), bank: await bank() };
      if (told[0] === "before") await notify(it, requestId);
      await tells(requestId, "booked", "booked");
      if (told[0] === "after") await notify(it, requestId);
      expect(await balance(it)).toBe(0);
      expect((await suspense()) - before.suspense).toBe(100_00n);
      const [held] = (await heldFor(requestId)).filter(({ status }) => status === "Received");
      if (held === undefined) throw new Error("nothing is held");
      expect(held).toMatchObject({ type: "IncomingSdd", reconciliationType: "Mandate" });
      expect(held).toMatchObject({ failedRule: "Wallet" });
      expect(held.feedback).toContain("the wallet is Suspended");
      await process(held);
      expect(await balance(it)).toBe(0);
      made(await reactivateWallet(wallets.database, acme, it.walletId));
      await Promise.all([process(held), process(held)]);
      expect(await balance(it)).toBe(100);
      expect(await suspense()).toBe(before.suspense);
      expect(before.bank - (await bank())).toBe(100_00n);
      expect((await heldFor(requestId)).map(({ status }) => status)).not.toContain("Received");
      await tells(requestId, "returned");
      expect(await balance(it)).toBe(0);
      expect(await bank()).toBe(before.bank);
      expect(await depositsOf(it)).toMatchObject([{ feedback: "MD06" }]);
    },
  );

  test.each(["booked", "refused"] as const)(
    "the bank has told of the credit already, and then says %s: the money is there once",
    async (word) => {
      const it = await opened();
      const requestId = await collected(it);
      const before = { suspense: await suspense(), bank: await bank() };
      await notify(it, requestId);
      expect(await balance(it)).toBe(0);
      await tells(requestId, word);
      const isBooked = word === "booked";
      expect(await balance(it)).toBe(isBooked ? 100 : 0);
      expect((await suspense()) - before.suspense).toBe(isBooked ? 0n : 100_00n);
      expect(before.bank - (await bank())).toBe(100_00n);
      const [told] = await heldFor(requestId);
      expect(told).toMatchObject(isBooked ? { status: "Consumed" } : { status: "Received" });
      if (!isBooked) {
        // A person sees it; whatever is decided, a booking after that is the same money.
        expect(told?.feedback).toMatch(/refused.*a person decides/i);
        await wallets.database.execute(
          "select borsello.approve_notification($1, 'acme', null, 'test')",
          [told?.bankNotificationId],
        );
        await tells(requestId, "booked");
        expect(await balance(it)).toBe(100);
        expect(before.bank - (await bank())).toBe(100_00n);
      }
      await tells(requestId, "returned");
      expect(await balance(it)).toBe(0);
      expect(await bank()).toBe(before.bank);
      expect(await suspense()).toBe(before.suspense);
    },
  );

  const returnOf = async (requestId: string): Promise<string> =>
    (
      await wallets.database.row(
        z.object({ requestId: z.string() }),
        `select r.request_id as "requestId" from borsello.bank_request as r
           join borsello.bank_notification as n using (bank_notification_id)
         where n.named_request_id = $1 and kind = 'return'`,
        [requestId],
      )
    )?.requestId ?? "none";

  test.each([
    ["before", async (it: Collected) => [await suspend(it), await close(it)]],
    ["after", suspend],
  ] as const)("the wallet is closed is sent back (closed %s the booking)", async (when, happen) => {
    const it = await opened();
    const requestId = await collected(it);
    const before = { suspense: await suspense(), bank: await bank() };
    await happen(it);
    await tells(requestId, "booked");
    if (when === "after") await close(it);
    expect(await heldFor(requestId)).toMatchObject([{ status: "RejectionRequested" }]);
    await tells(await returnOf(requestId), "accepted", "booked");
    expect(await heldFor(requestId)).toMatchObject([
      { status: "Rejected", consumedCents: 100_00n },
    ]);
    expect({ suspense: await suspense(), bank: await bank() }).toEqual(before);
    expect(await depositsOf(it)).toEqual([]);
  });

  test("the wallet is suspended, and is returned from there: nothing was ever the customer's", async () => {
    const it = await opened();
    const requestId = await collected(it);
    made(await suspendWallet(wallets.database, acme, it.walletId));
    const before = { suspense: await suspense(), bank: await bank() };
    await tells(requestId, "booked", "returned", "returned");
    expect({ suspense: await suspense(), bank: await bank() }).toEqual(before);
    expect(await heldFor(requestId)).toMatchObject([
      { status: "Rejected", consumedCents: 100_00n, failedRule: null },
    ]);
    expect(await depositsOf(it)).toEqual([]);
    expect(await mandate(it)).toMatchObject({ lastError: "CollectionReturned: MD06" });
  });

  test("the wallet is suspended, approved for another wallet, is taken back from that one", async () => {
    const [it, other] = [await opened(), await opened()];
    const before = { suspense: await suspense(), bank: await bank() };
    const requestId = await collected(it);
    await suspend(it);
    await tells(requestId, "booked");
    const [held] = await heldFor(requestId);
    await wallets.database.execute("select borsello.approve_notification($1, 'acme', $2, 'test')", [
      held?.bankNotificationId,
      other.walletId,
    ]);
    expect(await balance(other)).toBe(100);
    await tells(requestId, "returned");
    expect([await balance(it), await balance(other)]).toEqual([0, 0]);
    expect({ suspense: await suspense(), bank: await bank() }).toEqual(before);
  });

  test("the wallet was deleted for good waits in suspense for a person", async () => {
    const it = await opened();
    const requestId = await collected(it);
    made(await suspendWallet(wallets.database, acme, it.walletId));
    made(await closeWallet(wallets.database, acme, it.walletId, { requiresZeroBalance: false }));
    await wallets.database.execute("select borsello.force_delete_wallet($1, 'test')", [
      it.walletId,
    ]);
    await tells(requestId, "booked");
    expect(await heldFor(requestId)).toMatchObject([
      {
        status: "Received",
        feedback: "Wallet: the wallet of this collection was deleted for good",
      },
    ]);
    await tells(requestId, "returned");
    expect(await heldFor(requestId)).toMatchObject([{ status: "Rejected" }]);
  });
});

test("what was sent back and is taken back besides is missing in suspense, where a person sees it", async () => {
  const it = await opened();
  const requestId = await collected(it);
  const before = { suspense: await suspense(), bank: await bank() };
  made(await suspendWallet(wallets.database, acme, it.walletId));
  await tells(requestId, "booked");
  made(await closeWallet(wallets.database, acme, it.walletId, { requiresZeroBalance: false }));
  const back = await wallets.database.row(
    z.object({ requestId: z.string() }),
    `select request_id as "requestId" from borsello.bank_request
     where wallet_id = $1 and kind = 'return'`,
    [it.walletId],
  );
  await tells(back?.requestId ?? "", "booked");
  await tells(requestId, "returned");
  expect((await suspense()) - before.suspense).toBe(-100_00n);
  expect((await bank()) - before.bank).toBe(100_00n);
  const [held] = await heldFor(requestId);
  expect(held).toMatchObject({ status: "Rejected" });
  expect(held?.feedback).toContain("which had been sent back before");
});

test("the books are right after all of this", async () => {
  const { findings } = await proveBook({ kind: "url", url: wallets.url });
  expect(findings).toEqual([]);
});
