/** Each word of the bank about a collection, in every order and in every state of its neighbours: what it moves. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { findBalanceAt } from "../../../shared/database/accounting/balance-at.js";
import { proveBook } from "../../../shared/database/accounting/prove.js";
import { listBuckets, resyncBuckets } from "../../../shared/database/ledger/buckets.js";
import { platformNow } from "../../../shared/database/platform/platform-time.js";
import { advanceSettlement } from "../../../shared/database/settlement/operations.js";
import { termsOf, type SettlementTerms } from "../../../shared/database/settlement/terms.js";
import { closeWallet, suspendWallet } from "../../../shared/database/wallet/states.js";
import { commandsOn } from "../../support/operations/commands.js";
import { eventsOf, timelineOf } from "../../support/settlement/confirmed-operations.js";
import { deskOf, type Word } from "../../support/wallet/collection-desk.js";
import { moveToBankDay, type Collected } from "../../support/wallet/collections.js";
import { openStore } from "../../support/stores/store-fixtures.js";
import {
  acme,
  made,
  openWalletTest,
  type WalletTest,
} from "../../support/wallet/wallet-fixtures.js";

let wallets: WalletTest;
let terms: SettlementTerms;
beforeAll(async () => {
  wallets = await openWalletTest();
  terms = await termsOf(wallets.database, "acme", { silenceSeconds: 10, collectionAccount: null });
  await moveToBankDay(wallets.database);
});
afterAll(() => wallets.end());

const { opened, collected, tells, mandate, balance, bank, suspense, depositsOf } = deskOf(
  () => wallets.database,
);

const limitUsed = async ({ walletId }: Collected): Promise<bigint> =>
  (
    await wallets.database.row(
      z.object({ used: z.bigint() }),
      "select (borsello.limits_used($1)).sdd_deposit as used",
      [walletId],
    )
  )?.used ?? -1n;

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
    // Whoever reads the wallet sees the same, now and of this moment later on.
    const reader = { ...acme, isOperator: false };
    const shown = made(await listBuckets(wallets.database, reader, walletId));
    expect(shown.map(({ availableBalance }) => availableBalance).sort()).toEqual([-71, 50]);
    const at = new Date(await platformNow(wallets.database));
    expect(made(await findBalanceAt(wallets.database, reader, walletId, at))).toBe(-21_00n);
    expect(made(await resyncBuckets(wallets.database, acme, walletId))).toMatchObject({
      ...{ createdBuckets: 0, updatedBuckets: 0 },
    });
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

test("the books are right after all of this", async () => {
  const { findings } = await proveBook({ kind: "url", url: wallets.url });
  expect(findings).toEqual([]);
});
