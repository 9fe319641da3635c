/** What stores owe is collected, what they are owed is paid: each word of the bank, in every order (contract 4.6). */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { BankOutcomeMessage } from "../../../shared/contracts/platform/bank-messages.js";
import { platformNow } from "../../../shared/database/platform/platform-time.js";
import {
  collectableCents,
  compensationState,
  inquireCompensations,
  openCompensations,
  requestStoreCollection,
} from "../../../shared/database/settlement/compensations.js";
import { pendingReconciliations } from "../../../shared/database/settlement/reconciliations.js";
import { findRun, requestRun, workRun } from "../../../shared/database/settlement/runs.js";
import { termsOf } from "../../../shared/database/settlement/terms.js";
import { deleteStore } from "../../../shared/database/stores/deletion.js";
import { disableStoreMandate } from "../../../shared/database/stores/mandates.js";
import { updateStore } from "../../../shared/database/stores/stores.js";
import { addBankDays, romeDate } from "../../../shared/domain/bank/bank-days.js";
import { accountCents } from "../../support/settlement/confirmed-operations.js";
import {
  activateMandate,
  compensate,
  credit,
  creditBy,
  groupBy,
  mismatches,
  owe,
  requestsOf,
  tellBank,
  type Group,
} from "../../support/settlement/store-money.js";
import { openStore, someStore } from "../../support/stores/store-fixtures.js";
import { countOf } from "../../support/wallet/bank-fixtures.js";
import {
  acme,
  made,
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

const dealerKey = "dealer-rome";
const oweFor = (storeId: string, cents: bigint, day?: string): Promise<Group> =>
  owe(opened.database, { walletId, storeId, cents, ...(day === undefined ? {} : { day }) });
const again = ({ reconciliationId }: Group): Promise<Group> =>
  groupBy(opened.database, reconciliationId);
const requests = ({ reconciliationId }: Group) => requestsOf(opened.database, reconciliationId);
const tell = (
  { reconciliationId }: Group,
  outcome: BankOutcomeMessage["outcome"],
  place?: number,
) => tellBank(opened.database, reconciliationId, outcome, place);
const run = () => compensate(opened.database);

/** What the accounts of the movement hold. */
const books = async (storeId: string) => ({
  store: await accountCents(opened.database, "Store", storeId),
  bank: await accountCents(opened.database, "Bank", "safeguarding"),
  transit: await accountCents(opened.database, "Transit", "outgoing"),
  suspense: await accountCents(opened.database, "Suspense", "received"),
});

/** A store with an Active mandate that owes 80.00 (or is owed them), and what it was asked for. */
const asked = async (cents = -80_00n) => {
  const { storeId } = await openStore(opened.database);
  const mandateId = await activateMandate(opened.database, storeId);
  const group = await oweFor(storeId, cents);
  const before = await books(storeId);
  expect(await run()).toBe(1);
  return { storeId, mandateId, group, before };
};

const MandateRow = z.object({
  isPaid: z.boolean(),
  isAsked: z.boolean(),
  lastError: z.string().nullable(),
});
const mandateOf = (mandateId: string) =>
  opened.database.row(
    MandateRow,
    `select last_payment_receive_date is not null as "isPaid",
       last_deposit_requested_date is not null as "isAsked", last_error as "lastError"
     from borsello.mandate where mandate_id = $1`,
    [mandateId],
  );

describe("what a store owes", () => {
  test("is collected by its mandate, once by a timer and a trigger at the same moment", async () => {
    const { storeId } = await openStore(opened.database);
    const mandateId = await activateMandate(opened.database, storeId);
    const group = await oweFor(storeId, -80_00n);
    const before = await books(storeId);
    const items = await Promise.all([run(), compensate(opened.database, true), run()]);
    expect(items.reduce((sum, count) => sum + count)).toBe(1);
    const today = romeDate(new Date(await platformNow(opened.database)));
    expect(await requests(group)).toMatchObject([
      {
        ...{ kind: "directDebit", status: "Requested" },
        payload: {
          ...{ mandateId, amount: 80, reconciliationCode: group.code },
          ...{ reason: `Reconciliation ${group.code}`, debtorIban: someStore().ownerIban },
          ...{ sequenceType: "RCUR", depositDate: addBankDays(today, 1) },
        },
      },
    ]);
    expect(await mandateOf(mandateId)).toEqual({ isPaid: false, isAsked: true, lastError: null });
    expect(await books(storeId)).toEqual(before);
    const pending = await pendingReconciliations(opened.database, reader, storeId, null);
    expect(pending).toEqual({ ok: true, value: [] });
    await tell(group, "accepted");
    expect(await again(group)).toMatchObject({ status: "Collecting" });
    await tell(group, "booked");
    expect(await again(group)).toMatchObject({ status: "Reconciled", openCents: 0n });
    expect(await books(storeId)).toEqual({ ...before, store: 0n, bank: before.bank - 80_00n });
    expect(await mandateOf(mandateId)).toEqual({ isPaid: true, isAsked: true, lastError: null });
    expect(await run()).toBe(0);
  });

  test.each([
    [["accepted", "booked", "booked", "accepted"], "Reconciled"],
    [["booked"], "Reconciled"],
    [["refused", "refused"], "Pending"],
    [["accepted", "refused", "accepted"], "Pending"],
    [["accepted", "booked", "returned", "returned", "booked"], "Pending"],
    [["returned", "booked", "accepted"], "Pending"],
  ] as const)("is settled by %j as the last word says: %s", async (told, status) => {
    const { storeId, mandateId, group, before } = await asked();
    for (const outcome of told) await tell(group, outcome);
    const isPaid = status === "Reconciled";
    expect(await again(group)).toMatchObject({ status, openCents: isPaid ? 0n : -80_00n });
    expect(await books(storeId)).toEqual({
      ...before,
      store: isPaid ? 0n : -80_00n,
      bank: isPaid ? before.bank - 80_00n : before.bank,
    });
    expect(await mandateOf(mandateId)).toMatchObject({ lastError: isPaid ? null : "AM04" });
    if (isPaid) return;
    expect(await run()).toBe(1);
    const [first, second] = await requests(group);
    expect(second?.requestId).not.toBe(first?.requestId);
    await tell(group, "booked");
    expect(await again(group)).toMatchObject({ status: "Reconciled" });
  });

  test("is asked for once in a run, whatever the bank says meanwhile", async () => {
    const { storeId } = await openStore(opened.database);
    await activateMandate(opened.database, storeId);
    const group = await oweFor(storeId, -80_00n);
    const terms = await termsOf(opened.database, "acme", {
      ...{ silenceSeconds: 10, collectionAccount: null },
    });
    const { runId = "" } =
      (await requestRun(opened.database, {
        ...{ partnerKey: "acme", flow: "SddStoresCompensation", actor: "test", type: null },
        ...{ subjectId: null, upTo: "now", isScheduled: false, isIgnored: false },
      })) ?? {};
    expect((await workRun(opened.database, runId, terms)).isLast).toBe(false);
    await tell(group, "refused");
    expect((await workRun(opened.database, runId, terms)).isLast).toBe(true);
    expect(await findRun(opened.database, "acme", runId)).toMatchObject({ items: 1 });
    expect(await run()).toBe(1);
    await tell(group, "booked");
  });

  test("waits for the store's own transfer where it has no mandate", async () => {
    const { storeId } = await openStore(opened.database);
    const group = await oweFor(storeId, -80_00n);
    expect(await run()).toBe(0);
    expect(await again(group)).toEqual(group);
  });

  test("is taken from suspense where the bank's credit came before its word", async () => {
    const { storeId, group, before } = await asked();
    const [request] = await requests(group);
    const early = await credit(opened.database, 80_00n, "DD", {
      namedRequestId: request?.requestId ?? null,
    });
    await tell(group, "booked");
    expect(await creditBy(opened.database, early.bankNotificationId)).toMatchObject({
      ...{ status: "Consumed", reconciliationType: "Mandate" },
    });
    expect(await again(group)).toMatchObject({ status: "Reconciled" });
    const paid = { ...before, store: 0n, bank: before.bank - 80_00n };
    expect(await books(storeId)).toEqual(paid);
    await tell(group, "returned");
    expect(await books(storeId)).toEqual(before);
    expect(await run()).toBe(1);
    await tell(group, "booked");
  });

  test.each(["booked", "refused"] as const)(
    "is settled by the word '%s' though its mandate was disabled meanwhile",
    async (outcome) => {
      const { storeId, group } = await asked();
      made(await disableStoreMandate(opened.database, acme, storeId));
      await tell(group, outcome);
      expect(await again(group)).toMatchObject({
        status: outcome === "booked" ? "Reconciled" : "Pending",
      });
      expect(await run()).toBe(0);
    },
  );

  test("and was collected after the bank had refused it counts: what is too much is paid back", async () => {
    const { storeId, group, before } = await asked();
    await tell(group, "refused");
    expect(await run()).toBe(1);
    await tell(group, "booked", 0);
    expect(await again(group)).toMatchObject({ status: "Collecting", openCents: 0n });
    await tell(group, "booked");
    expect(await again(group)).toMatchObject({ status: "Pending", openCents: 80_00n });
    expect(await run()).toBe(1);
    expect((await requests(group)).at(-1)).toMatchObject({ kind: "payment" });
    await tell(group, "booked");
    expect(await again(group)).toMatchObject({ status: "Reconciled" });
    expect(await books(storeId)).toEqual({ ...before, store: 0n, bank: before.bank - 80_00n });
  });

  test("of today is left to the day's end by the timer, and taken by a trigger", async () => {
    const { storeId } = await openStore(opened.database);
    await activateMandate(opened.database, storeId);
    const group = await oweFor(
      storeId,
      -5_00n,
      romeDate(new Date(await platformNow(opened.database))),
    );
    expect(await compensate(opened.database, true)).toBe(0);
    expect(await run()).toBe(1);
    await tell(group, "booked");
  });
});

const reader = { partnerKey: "acme", isOperator: false };

describe("what a store is owed", () => {
  test("is paid to its owner's account, and lies in transit until the bank has booked it", async () => {
    const { storeId, group, before } = await asked(80_00n);
    expect(await requests(group)).toMatchObject([
      {
        kind: "payment",
        payload: {
          ...{ creditorName: "Bottega Srl", creditorIban: someStore().ownerIban, amount: 80 },
          ...{ reconciliationCode: group.code, reason: `Reconciliation ${group.code}` },
        },
      },
    ]);
    expect(await books(storeId)).toEqual({
      ...before,
      store: 0n,
      transit: before.transit + 80_00n,
    });
    expect(await again(group)).toMatchObject({ status: "Collecting" });
    const path = { dealerKey, storeId };
    expect(await deleteStore(opened.database, acme, path)).toMatchObject({
      ...{ code: "StoreHasPendingReconciliations", properties: { reconciliations: "1" } },
    });
    await tell(group, "booked");
    expect(await again(group)).toMatchObject({ status: "Reconciled", openCents: 0n });
    expect(await books(storeId)).toEqual({ ...before, store: 0n, bank: before.bank + 80_00n });
    made(await deleteStore(opened.database, acme, path));
  });

  test.each([
    [["accepted", "booked", "booked"], "Reconciled"],
    [["refused", "refused"], "Pending"],
    [["accepted", "booked", "returned", "returned", "booked"], "Pending"],
    [["returned", "booked"], "Pending"],
  ] as const)("is settled by %j as the last word says: %s", async (told, status) => {
    const { storeId, group, before } = await asked(80_00n);
    for (const outcome of told) await tell(group, outcome);
    const isPaid = status === "Reconciled";
    expect(await again(group)).toMatchObject({ status, openCents: isPaid ? 0n : 80_00n });
    expect(await books(storeId)).toEqual({
      ...before,
      store: isPaid ? 0n : 80_00n,
      bank: isPaid ? before.bank + 80_00n : before.bank,
    });
    if (isPaid) return;
    expect(await run()).toBe(1);
    await tell(group, "booked");
    expect(await again(group)).toMatchObject({ status: "Reconciled" });
  });

  test("and came back is taken from suspense where the credit came before the bank's word", async () => {
    const { storeId, group, before } = await asked(80_00n);
    const [request] = await requests(group);
    await tell(group, "booked");
    const early = await credit(opened.database, 80_00n, "AC04", {
      namedRequestId: request?.requestId ?? null,
    });
    await tell(group, "returned");
    expect(await creditBy(opened.database, early.bankNotificationId)).toMatchObject({
      ...{ status: "Consumed", reconciliationType: "Return" },
    });
    expect(await books(storeId)).toEqual(before);
    await run();
    await tell(group, "booked");
  });

  test("waits from day to day for an account, and goes to the one that the store has then", async () => {
    const store = await openStore(opened.database, { ownerIban: null, ownerName: null });
    const { storeId, code, name } = store;
    const group = await oweFor(storeId, 12_34n);
    expect(await run()).toBe(0);
    expect(await again(group)).toEqual(group);
    const ownerIban = "IT28W8000000292100645211151";
    const body = { ...someStore({ name, code, ownerIban, ownerName: null }), isActive: true };
    made(await updateStore(opened.database, acme, { dealerKey, storeId }, body));
    expect(await run()).toBe(1);
    expect(await requests(group)).toMatchObject([
      { payload: { creditorIban: ownerIban, creditorName: name, amount: 12.34 } },
    ]);
    const other = { ...body, ownerIban: someStore().ownerIban, ownerName: "Altra Srl" };
    made(await updateStore(opened.database, acme, { dealerKey, storeId }, other));
    await tell(group, "refused");
    expect(await run()).toBe(1);
    expect((await requests(group)).at(-1)?.payload).toMatchObject({
      ...{ creditorIban: other.ownerIban, creditorName: "Altra Srl" },
    });
    await tell(group, "booked");
  });
});

describe("by one mandate at once", () => {
  test("so much is collected as is asked for, the oldest groups first, never more than is owed", async () => {
    const { storeId } = await openStore(opened.database);
    const mandateId = await activateMandate(opened.database, storeId);
    const newer = await oweFor(storeId, -50_00n, "2026-01-16");
    const older = await oweFor(storeId, -30_00n);
    const { reconciliationId } = older;
    const { database } = opened;
    expect(await collectableCents(database, mandateId, null)).toBe(80_00n);
    expect(await collectableCents(database, mandateId, reconciliationId)).toBe(30_00n);
    expect(await collectableCents(database, mandateId, mandateId)).toBeUndefined();
    expect(await collectableCents(database, storeId, null)).toBeUndefined();
    const collect = (cents: bigint | null, of: string | null) =>
      database.transaction((tx) =>
        requestStoreCollection(tx, { mandateId, cents, reconciliationId: of, actor: "test" }),
      );
    expect(await collect(10_00n, reconciliationId)).toBe(1);
    await tell(older, "booked");
    expect(await again(older)).toMatchObject({ status: "Pending", openCents: -20_00n });
    expect(await collect(35_00n, null)).toBe(2);
    expect((await requests(older)).at(-1)?.payload["amount"]).toBe(20);
    expect((await requests(newer)).at(-1)?.payload["amount"]).toBe(15);
    expect(await collect(null, null)).toBe(0);
    await tell(older, "booked");
    await tell(newer, "booked");
    expect(await collect(99_999n, newer.reconciliationId)).toBe(1);
    expect((await requests(newer)).at(-1)?.payload["amount"]).toBe(35);
    await tell(newer, "booked");
    expect(await again(newer)).toMatchObject({ status: "Reconciled" });
    expect(await collectableCents(database, mandateId, null)).toBe(0n);
  });

  test("nothing is collected once it is disabled", async () => {
    const { storeId } = await openStore(opened.database);
    const mandateId = await activateMandate(opened.database, storeId);
    await oweFor(storeId, -30_00n);
    made(await disableStoreMandate(opened.database, acme, storeId));
    const collection = { mandateId, cents: null, reconciliationId: null, actor: "test" };
    expect(await opened.database.transaction((tx) => requestStoreCollection(tx, collection))).toBe(
      0,
    );
    expect(await collectableCents(opened.database, mandateId, null)).toBe(0n);
  });
});

test("after silence the bank is asked for the same again, less and less often", async () => {
  const { group } = await asked();
  const { reconciliationId } = group;
  const { database } = opened;
  expect(await openCompensations(database, null, 200)).toContainEqual({
    ...{ reconciliationId, partnerKey: "acme" },
  });
  const [request] = await requests(group);
  const messages = () =>
    countOf(database, "select count(*) from borsello.outbox where body ->> 'requestId' = $1", [
      request?.requestId,
    ]);
  const state = () => compensationState(database, reconciliationId, 10);
  expect(await state()).toEqual({ status: "Collecting", silenceSeconds: 10 });
  for (let times = 0; times < 30; times += 1)
    await inquireCompensations(database, reconciliationId);
  expect(await state()).toEqual({ status: "Collecting", silenceSeconds: 240 });
  expect(await messages()).toBe(31);
  expect(await requests(group)).toHaveLength(1);
  await tell(group, "booked");
  await inquireCompensations(database, reconciliationId);
  expect(await messages()).toBe(31);
  expect(await state()).toEqual({ status: "Reconciled", silenceSeconds: 10 });
  expect(await compensationState(database, walletId, 10)).toEqual({
    ...{ status: "Unknown", silenceSeconds: 10 },
  });
});

test("after all of this the stores' accounts are what their groups say", async () => {
  expect(await mismatches(opened.database)).toEqual([]);
});
