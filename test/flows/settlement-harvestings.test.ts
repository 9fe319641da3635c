/** A day's operations at stores, of dealers and of cards, harvested and settled as one each. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { customer } from "../../bench/platform/customers.js";
import * as decisions from "../../shared/contracts/accounting/bank-notifications.js";
import { getProofRoute } from "../../shared/contracts/accounting/proof.js";
import {
  countHarvestingsRoute,
  listHarvestingsRoute,
} from "../../shared/contracts/settlement/harvestings.js";
import { triggerStoresCompensationRoute } from "../../shared/contracts/settlement/flows.js";
import { listPendingReconciliationsRoute } from "../../shared/contracts/settlement/reconciliations.js";
import { createStoreRoute, deleteStoreRoute } from "../../shared/contracts/stores/stores.js";
import type { BankDecision } from "../../shared/domain/bank/sandbox-script.js";
import {
  accountCents,
  confirmOperation,
  eventsOf,
  timelineOf,
  type Confirmed,
} from "../support/settlement/confirmed-operations.js";
import { activateMandate, groupsOf, requestsOf } from "../support/settlement/store-money.js";
import { valueOf } from "../support/platform/api.js";
import { sendTransfer } from "../support/settlement/store-transfers.js";
import { startSettlement, type Settlement } from "../support/settlement/settlement-stack.js";
import { someStore } from "../support/stores/store-fixtures.js";

let day: Settlement;
let walletId: string;
beforeAll(async () => {
  day = await startSettlement();
  walletId = (await day.openWallet()).walletId;
});
afterAll(async () => {
  await day.stop();
});

const dealerKey = "dealer-rome";
const collectionAccount = "IT83X0999903200ACME00000001";

const openStore = async () => {
  const body = someStore();
  return valueOf(await day.acme.call(createStoreRoute, { params: { dealerKey }, body }));
};

/** All on one day, whenever the tests run. */
const confirmedOn = "2026-01-15T10:00:00.000Z";
const confirm = (operation: Omit<Confirmed, "walletId">): Promise<string> =>
  confirmOperation(day.database, { walletId, confirmedOn, ...operation });

const harvestingOf = async (operationId: string): Promise<string> => {
  const { harvestingId } = await day.operation(operationId);
  if (harvestingId === null) throw new Error(`${operationId} is not harvested`);
  return harvestingId;
};

const pending = async (storeId: string) =>
  valueOf(await day.acme.call(listPendingReconciliationsRoute, { params: { storeId } }));

const wholeWay = [
  "Confirmed TransferInitializeRequested",
  "TransferInitializeRequested TransferInitialized",
  "TransferInitialized TransferConfirmRequested",
  "TransferConfirmRequested TransferConfirmed",
  "TransferConfirmed TransferCompleted",
  "TransferCompleted Completing",
  "Completing Completed",
];

test("a store's payments become one harvesting that its members follow, fees and all", async () => {
  const { storeId, ownerIban } = await openStore();
  const fees = await accountCents(day.database, "Fees", "platform");
  const members = [
    await confirm({ type: "Payment", cents: 30_00n, feesCents: 50n, storeId, dealerKey }),
    await confirm({ type: "Payment", cents: 12_34n, storeId, dealerKey }),
  ];
  expect(await accountCents(day.database, "Fees", "platform")).toBe(fees);
  expect(await day.harvest("Payment")).toMatchObject({ status: "Completed", items: 2 });
  const harvestingId = await harvestingOf(members[0] ?? "");
  await day.becomes(harvestingId, "Completed");
  const harvesting = await day.operation(harvestingId);
  expect(harvesting).toMatchObject({
    ...{ walletId: null, bucketId: null, type: "Payment", storeId, amount: 42.34 },
    ...{ customerFinalAmount: 42.84, customerFeesAmount: 0.5, harvestingId },
    fees: [{ amount: 0.5, beneficiary: "platform", debtor: "wallet" }],
  });
  for (const member of members) {
    expect(await day.operation(member)).toMatchObject({
      ...{ status: "Completed", harvestingId, reconciliationId: harvesting.reconciliationId },
    });
    expect(await timelineOf(day.database, member)).toEqual(wholeWay);
    const events = await eventsOf(day.database, member);
    expect(events.map(({ subject }) => subject)).toEqual([
      "OperationCompleted",
      "TransactionCompleted",
    ]);
    expect(events[1]?.body).toMatchObject({
      externalReference: harvestingId,
      transferCompletionDate: expect.any(String) as string,
    });
  }
  expect(await accountCents(day.database, "Fees", "platform")).toBe(fees + 50n);
  expect(await pending(storeId)).toMatchObject([{ totalAmount: 42.34, targetIban: ownerIban }]);
});

test("what a store took in and gave out on a day is one group, owed by one of the two", async () => {
  const { storeId } = await openStore();
  const params = { dealerKey, storeId };
  const deposit = await confirm({
    ...{ type: "CashDeposit", cents: 100_00n, feesCents: 100n, storeId, dealerKey },
  });
  await day.harvest("CashDeposit");
  await day.becomes(await harvestingOf(deposit), "Completed");
  const [first] = await pending(storeId);
  expect(first).toMatchObject({
    ...{ totalAmount: 100, targetIban: collectionAccount },
    reason: `Reconciliation ${first?.reconciliationCode ?? ""}`,
  });
  const payment = await confirm({ type: "Payment", cents: 40_00n, storeId, dealerKey });
  expect(await day.acme.call(deleteStoreRoute, { params })).toMatchObject({ status: 400 });
  await day.harvest("Payment");
  await day.becomes(await harvestingOf(payment), "Completed");
  expect(await pending(storeId)).toEqual([{ ...first, totalAmount: 60 }]);
  expect(await day.acme.call(deleteStoreRoute, { params })).toMatchObject({
    status: 400,
    error: {
      errorCode: "StoreHasPendingReconciliations",
      errorProperties: { reconciliations: "1" },
    },
  });
});

test("operations without a store are harvested by dealer and by cards, and reconciled with no store", async () => {
  const welfare = [
    await confirm({ type: "WelfareDeposit", cents: 50_00n, dealerKey: "dealer-rome" }),
    await confirm({ type: "WelfareDeposit", cents: 60_00n, dealerKey: "dealer-milan" }),
    await confirm({ type: "WelfareDeposit", cents: 70_00n, dealerKey: "dealer-rome" }),
  ];
  const card = await confirm({ type: "Payment", cents: 9_00n });
  await day.harvest("WelfareDeposit");
  await day.harvest("Payment");
  const ids = await Promise.all([...welfare, card].map(harvestingOf));
  for (const harvestingId of ids) await day.becomes(harvestingId, "Completed");
  expect(ids[0]).toBe(ids[2]);
  expect(new Set(ids).size).toBe(3);
  expect(await day.operation(ids[0] ?? "")).toMatchObject({
    ...{ amount: 120, dealerKey: "dealer-rome", storeId: null, reconciliationId: null },
  });
});

test("a trigger beside others takes each operation once, and each into one harvesting", async () => {
  const { storeId } = await openStore();
  const members: string[] = [];
  for (let count = 0; count < 20; count += 1)
    members.push(await confirm({ type: "LoyaltyDeposit", cents: 1_00n, storeId, dealerKey }));
  const runs = await Promise.all(Array.from({ length: 4 }, () => day.harvest("LoyaltyDeposit")));
  expect(runs.reduce((items, run) => items + run.items, 0)).toBe(members.length);
  const ids = new Set(await Promise.all(members.map(harvestingOf)));
  let cents = 0;
  for (const harvestingId of ids) {
    await day.becomes(harvestingId, "Completed");
    cents += Math.round((await day.operation(harvestingId)).amount * 100);
  }
  expect(cents).toBe(members.length * 100);
  const [group, ...more] = await pending(storeId);
  expect([group?.totalAmount, more]).toEqual([20, []]);
});

test("a failed harvesting leaves its members failed with it, until it is asked for again", async () => {
  const { storeId } = await openStore();
  const member = await confirm({ type: "CashWithdrawal", cents: 20_00n, storeId, dealerKey });
  await day.script({ kind: "transfer", iban: null, outcome: "refused" });
  await day.harvest("CashWithdrawal");
  const harvestingId = await harvestingOf(member);
  await day.passUntil(harvestingId, "TransferFailed", 36_060);
  await day.becomes(member, "TransferFailed");
  expect(await day.operation(member)).toMatchObject({ attempts: 8, feedback: "MS03" });
  const failures = (await timelineOf(day.database, member)).filter((step) =>
    step.endsWith("TransferInitializeUnaccomplished"),
  );
  expect(failures).toHaveLength(8);
  await day.script({ kind: "transfer", iban: null, outcome: "accepted" });
  expect(await day.harvest("CashWithdrawal", harvestingId)).toMatchObject({ items: 1 });
  await day.becomes(member, "Completed");
  await day.becomes(harvestingId, "Completed");
  expect(await day.harvest("CashWithdrawal", harvestingId)).toMatchObject({ status: "Ignored" });
});

test("a night harvests what was confirmed up to yesterday, without being asked", async () => {
  const { storeId } = await openStore();
  const member = await confirmOperation(day.database, {
    ...{ walletId, type: "CashDeposit", cents: 5_00n, storeId, dealerKey },
  });
  await day.pass(86_400);
  await day.becomes(member, "Completed");
  const runs = await day.database.rows(
    z.object({ type: z.string() }),
    `select distinct type from borsello.flow_run
     where is_scheduled and flow = 'Harvestings' and items > 0`,
  );
  expect(runs).toEqual([{ type: "CashDeposit" }]);
});

/** A store of its own account, with an Active mandate, and how it stands with the partner after a harvest. */
const settleWith = async (person: number, owes: boolean, outcome: BankDecision) => {
  const { iban } = customer(person);
  const body = someStore({ ownerIban: iban });
  const params = { dealerKey };
  const { storeId } = valueOf(await day.acme.call(createStoreRoute, { params, body }));
  await activateMandate(day.database, storeId);
  await day.script({ kind: owes ? "directDebit" : "payment", iban, outcome });
  await confirm({ type: owes ? "CashDeposit" : "Payment", cents: 50_00n, storeId, dealerKey });
  return { storeId, iban };
};

test("what stores owe and are owed is settled with a bank that books, refuses, is silent and sends back", async () => {
  const stores = [
    await settleWith(60_001, true, "accepted"),
    await settleWith(60_002, true, "refused"),
    await settleWith(60_003, true, "silent"),
    await settleWith(60_004, true, "returned"),
    await settleWith(60_005, false, "accepted"),
    await settleWith(60_006, false, "refused"),
    await settleWith(60_007, false, "returned"),
  ];
  const states = async () =>
    Promise.all(
      stores.map(async ({ storeId }) => {
        const [group] = await groupsOf(day.database, storeId);
        const asked =
          group === undefined ? [] : await requestsOf(day.database, group.reconciliationId);
        return `${group?.status ?? "none"} ${asked.at(-1)?.status ?? "unasked"}`;
      }),
    );
  await day.harvest("CashDeposit");
  await day.harvest("Payment");
  await expect.poll(states).toEqual(stores.map(() => "Pending unasked"));
  const trigger = valueOf(await day.acme.call(triggerStoresCompensationRoute, {}));
  const { items } = await day.runIsOver(trigger.runId);
  expect(items).toBeGreaterThanOrEqual(stores.length);
  await expect
    .poll(states)
    .toEqual([
      ...["Reconciled Booked", "Pending Refused", "Collecting Requested", "Pending Returned"],
      ...["Reconciled Booked", "Pending Refused", "Pending Returned"],
    ]);
  expect(await pending(stores[3]?.storeId ?? "")).toMatchObject([{ totalAmount: 50 }]);
  for (const { iban } of stores)
    for (const kind of ["directDebit", "payment"] as const)
      await day.script({ kind, iban, outcome: "accepted" });
  // Over a weekend at the most: the bank is asked again about what it was silent about, the rest is asked for.
  await day.pass(4 * 86_400);
  await expect.poll(states).toEqual(stores.map(() => "Reconciled Booked"));
  for (const { storeId } of stores)
    expect(await accountCents(day.database, "Store", storeId)).toBe(0n);
});

test("a store's transfers settle its group, and a person decides about too little and too much", async () => {
  const { storeId } = await openStore();
  await confirm({ type: "CashDeposit", cents: 50_00n, storeId, dealerKey });
  await day.harvest("CashDeposit");
  await expect.poll(() => pending(storeId)).toMatchObject([{ totalAmount: 50 }]);
  const reason = (await pending(storeId))[0]?.reason ?? "";
  const pay = (amount: number) =>
    sendTransfer(day.acme, { creditorIban: collectionAccount, amount, reason });
  const small = await pay(30);
  expect(await small.read()).toMatchObject({ storeId, status: "Received", consumableAmount: 30 });
  const { params } = small;
  valueOf(await day.acme.call(decisions.approveBankNotificationRoute, { params }));
  expect(await small.read()).toMatchObject({ status: "Consumed" });
  expect(await pending(storeId)).toMatchObject([{ totalAmount: 20 }]);
  const large = await pay(25);
  expect(await large.read()).toMatchObject({ status: "PartiallyConsumed", consumableAmount: 5 });
  expect(await pending(storeId)).toEqual([]);
  valueOf(await day.acme.call(decisions.rejectBankNotificationRoute, { params: large.params }));
  await expect.poll(large.read).toMatchObject({ status: "Consumed", consumableAmount: 0 });
});

test("types that are not harvested are left to the other flow", async () => {
  expect(await day.harvest("SctWithdrawal")).toMatchObject({ status: "Ignored", items: 0 });
});

test("harvestings are listed and counted by type, status and date", async () => {
  const count = async (query: Record<string, string>) =>
    valueOf(await day.acme.call(countHarvestingsRoute, { query })).value;
  const all = valueOf(await day.acme.call(listHarvestingsRoute, { query: { pageSize: 200 } }));
  expect(all.totalCount).toBe(await count({}));
  expect(all.items).toHaveLength(all.totalCount);
  const welfare = { type: "WelfareDeposit", status: "Completed", pageSize: 1 };
  const page = valueOf(await day.acme.call(listHarvestingsRoute, { query: welfare }));
  expect(page).toMatchObject({ totalCount: 2, limitCount: 1, items: [{ type: "WelfareDeposit" }] });
  expect(await count({ toDate: "2020-01-01T00:00:00Z" })).toBe(0);
  expect(await count({ status: "TransferFailed" })).toBe(0);
});

test("after all of this the books are proved", async () => {
  const proof = valueOf(await day.acme.call(getProofRoute, {}));
  expect(proof).toMatchObject({ balanced: true, mismatches: [] });
  expect(proof.debits).toBeGreaterThan(0);
});
