/** What the wallet API answers, refusals among it, fits the OpenAPI document that it serves; story.test.ts calls every route. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { customer } from "../../bench/platform/customers.js";
import type { ErrorCode } from "../../shared/contracts/errors.js";
import type { BinarySuccess, JsonSuccess, Route, TextShape } from "../../shared/contracts/route.js";
import { sendBankNotificationRoute } from "../../shared/contracts/sandbox/bank.js";
import * as notifications from "../../shared/contracts/accounting/bank-notifications.js";
import { getAuditRoute } from "../../shared/contracts/accounting/audit.js";
import { getProofRoute } from "../../shared/contracts/accounting/proof.js";
import { getStatementRoute } from "../../shared/contracts/accounting/statement.js";
import { forcePushes } from "../../shared/contracts/events/force-push.js";
import * as eventLog from "../../shared/contracts/events/log.js";
import { getWalletBalanceRoute } from "../../shared/contracts/ledger/balance.js";
import * as buckets from "../../shared/contracts/ledger/buckets.js";
import * as contract from "../../shared/contracts/onboarding/contract.js";
import { getDiagnosticsRoute } from "../../shared/contracts/wallet/diagnostics.js";
import * as iban from "../../shared/contracts/onboarding/iban.js";
import { getWalletLimitsRoute } from "../../shared/contracts/ledger/limits.js";
import { triggerMandateDepositRequestRoute } from "../../shared/contracts/settlement/deposit-trigger.js";
import * as mandateList from "../../shared/contracts/mandates/list.js";
import * as mandates from "../../shared/contracts/mandates/mandates.js";
import { bulkCancelRoute, bulkConfirmRoute } from "../../shared/contracts/operations/bulk.js";
import * as groups from "../../shared/contracts/operations/groups.js";
import { getOnboarding } from "../../shared/contracts/onboarding/onboarding.js";
import * as search from "../../shared/contracts/wallet/search.js";
import * as states from "../../shared/contracts/wallet/states.js";
import * as statistics from "../../shared/contracts/wallet/statistics.js";
import * as storeMandates from "../../shared/contracts/stores/store-mandate.js";
import * as storeMandateList from "../../shared/contracts/stores/store-mandates.js";
import * as stores from "../../shared/contracts/stores/stores.js";
import * as wallets from "../../shared/contracts/wallet/wallets.js";
import type { Database } from "../../shared/database/platform/database.js";
import { families, type FamilyType } from "../../shared/domain/operations/families.js";
import { client, type CallInput, type Client } from "../../shared/http/client.js";
import { clientOf, openStackDatabase, partnerNamed, type Answer } from "../support/platform/api.js";
import { freshKey } from "../support/operations/commands.js";
import { operationStates, routesOf } from "../support/operations/operation-states.js";
import { readOpenApi, type Misfits } from "../support/platform/openapi-check.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";
import { someStore } from "../support/stores/store-fixtures.js";

let stack: TestStack;
let database: Database;
let misfits: Misfits;
let acme: Client;
let last: Answer;

beforeAll(async () => {
  stack = await startTestStack();
  database = openStackDatabase(stack);
  misfits = await readOpenApi(stack, "wallet");
  // Keeps each answer as it came, before the client reads it.
  acme = client(stack.url, partnerNamed("acme"), async (address, init) => {
    const answer = await fetch(address, init);
    const text = await answer.clone().text();
    const isJson = answer.headers.get("content-type")?.startsWith("application/json") === true;
    const body: unknown = isJson ? JSON.parse(text) : text;
    last = { status: answer.status, headers: answer.headers, body };
    return answer;
  });
});

afterAll(async () => {
  await database.close();
  await stack.stop();
});

/** Calls as acme, and holds the answer to the document before handing it on. */
const call = async <
  Path extends string,
  Params extends TextShape,
  Query extends TextShape,
  Body extends z.ZodType,
  Ok extends JsonSuccess | BinarySuccess,
  Code extends ErrorCode,
>(
  route: Route<Path, Params, Query, Body, Ok, Code>,
  input: CallInput<Params, Query, Body>,
) => {
  const result = await acme.call(route, input);
  expect(misfits(route, last), route.id).toEqual([]);
  if (!result.ok) return result;
  return result;
};

const valueOf = <Value>(
  result: { readonly ok: true; readonly value: Value } | { readonly ok: false },
): Value => {
  if (result.ok) return result.value;
  throw new Error(`refused: ${JSON.stringify(last.body)}`);
};

const unknownId = "01890a5d-ac96-774b-bcce-b302099a8057";
const { owner, iban: ownIban } = customer(4_711);
const { iban: otherIban } = customer(4_713);

test("every route of the wallet API answers as its document says, refusals included", async () => {
  const { walletId } = valueOf(await call(wallets.createWalletRoute, { body: owner }));
  const params = { walletId };
  expect(await call(wallets.createWalletRoute, { body: owner })).toMatchObject({ status: 400 });
  valueOf(await call(wallets.getWalletRoute, { params }));
  const { taxId, firstName, lastName, phoneNumber } = owner;
  valueOf(
    await call(wallets.updateWalletRoute, { params, body: { taxId, email: "new@example.com" } }),
  );
  valueOf(
    await call(wallets.updateWalletAttributesRoute, {
      params,
      body: { firstName, lastName, phoneNumber, city: "Roma", metadata: { level: 1 } },
    }),
  );
  valueOf(await call(getDiagnosticsRoute, {}));
  valueOf(await call(getWalletBalanceRoute, { params }));
  valueOf(await call(contract.getContractTemplateRoute, {}));
  valueOf(await call(contract.getContractFilledRoute, { params }));
  expect(await call(contract.getContractSignedRoute, { params })).toMatchObject({ status: 400 });
  valueOf(await call(contract.signContractRoute, { params }));
  await expect
    .poll(async () => (await call(contract.getContractSignedRoute, { params })).status)
    .toBe(200);

  expect(await call(iban.getSctInstructionsRoute, { params })).toMatchObject({ status: 400 });
  const asked = valueOf(
    await call(iban.updateWalletIbanRoute, { params, body: { iban: ownIban } }),
  );
  valueOf(await call(iban.getSctInstructionsRoute, { params }));
  expect(
    await call(mandates.initialiseMandateRoute, { params, body: { amount: 50 } }),
  ).toMatchObject({ status: 400, error: { errorCode: "IbanNotValidated" } });

  valueOf(
    await acme.call(sendBankNotificationRoute, {
      body: {
        type: "IncomingSctStandard",
        debtorName: `${owner.lastName} ${owner.firstName}`,
        debtorIban: ownIban,
        creditorIban: asked.destinationIban,
        amount: asked.transferAmount,
        reason: asked.ibanValidationCode,
      },
    }),
  );
  await expect
    .poll(async () => valueOf(await call(wallets.getWalletRoute, { params })).isIbanValidated)
    .toBe(true);
  const query = { type: "IncomingSctStandard", status: "Consumed" } as const;
  expect(valueOf(await call(notifications.listBankNotificationsRoute, { query }))).toMatchObject({
    totalCount: 1,
    items: [
      { walletId, reconciliationType: "IbanValidation", consumableAmount: 0, feedback: null },
    ],
  });

  for (const amount of [7, 8.98])
    valueOf(
      await acme.call(sendBankNotificationRoute, {
        body: {
          ...{ type: "IncomingSctInstant", debtorName: "A Friend", amount, reason: "a present" },
          ...{ debtorIban: otherIban, creditorIban: asked.destinationIban },
        },
      }),
    );
  const waiting = { query: { status: "Received" } } as const;
  await expect
    .poll(
      async () => valueOf(await call(notifications.listBankNotificationsRoute, waiting)).totalCount,
    )
    .toBe(2);
  const [friendly, unwanted] = valueOf(
    await call(notifications.listBankNotificationsRoute, waiting),
  ).items.map(({ bankNotificationId }) => ({ bankNotificationId }));
  if (friendly === undefined || unwanted === undefined) throw new Error("no transfer waits");
  const approval = { params: friendly, body: { walletId } };
  expect(valueOf(await call(notifications.approveBankNotificationRoute, approval))).toMatchObject({
    status: "Consumed",
    walletId,
    reconciliationType: "WalletDeposit",
  });
  expect(
    valueOf(await call(notifications.rejectBankNotificationRoute, { params: unwanted })),
  ).toMatchObject({ status: "RejectionRequested" });

  expect(await call(mandates.getWalletMandateRoute, { params })).toMatchObject({ status: 404 });
  valueOf(await call(mandates.initialiseMandateRoute, { params, body: { amount: 50 } }));
  valueOf(await call(mandates.getWalletMandateRoute, { params }));
  valueOf(await call(mandates.fillMandateRoute, { params }));
  valueOf(await call(mandates.signMandateRoute, { params }));
  await expect
    .poll(async () => (await call(mandates.getMandatePdfRoute, { params })).status)
    .toBe(200);
  await expect
    .poll(async () => valueOf(await call(mandates.getWalletMandateRoute, { params })).status)
    .toBe("Active");
  const later = { newDepositDate: "2099-06-03" };
  const put = valueOf(await call(mandates.postponeDepositRoute, { params, query: later }));
  expect(put).toMatchObject({
    nextDepositDate: "2099-06-03",
    nextDepositRequestDate: "2099-06-02",
  });
  const active = { status: "Active", walletId } as const;
  expect(valueOf(await call(mandateList.listMandatesRoute, { query: active }))).toMatchObject({
    totalCount: 1,
    items: [put],
  });
  const { mandateId } = put;
  expect(valueOf(await call(mandateList.getMandateRoute, { params: { mandateId } }))).toEqual(put);
  const trigger = (query: { readonly amount?: string; readonly reconciliationId?: string } = {}) =>
    call(triggerMandateDepositRequestRoute, { query: { mandateId, ...query } });
  // Its date is another one, and it is a wallet's.
  expect(valueOf(await trigger())).toMatchObject({ status: "Ignored" });
  expect(await trigger({ amount: "10.50" })).toMatchObject({ status: 400 });
  expect(await trigger({ reconciliationId: mandateId })).toMatchObject({ status: 400 });
  await expect
    .poll(async () => (await call(mandates.disableMandateRoute, { params })).status)
    .toBe(200);
  valueOf(await call(getOnboarding, { params }));
  valueOf(await call(iban.deleteWalletIbanRoute, { params }));
  valueOf(await call(buckets.getWalletBucketsRoute, { params }));
  valueOf(await call(buckets.resyncBucketsRoute, { params }));
  valueOf(await call(getWalletLimitsRoute, { params }));
  valueOf(await call(getStatementRoute, { params }));
  valueOf(await call(getStatementRoute, { params, headers: { Accept: "application/pdf" } }));
  const at = new Date(0).toISOString();
  expect(valueOf(await call(getWalletBalanceRoute, { params, query: { at } }))).toEqual({
    availableBalance: 0,
  });
  expect(valueOf(await call(getProofRoute, {}))).toMatchObject({
    debits: 24.98,
    credits: 24.98,
    balanced: true,
    headHash: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
    mismatches: [],
  });
  expect(valueOf(await call(getProofRoute, { query: { at } }))).toMatchObject({ debits: 0 });
  const { items: audited } = valueOf(
    await call(getAuditRoute, { params: { entity: "Wallet", id: walletId } }),
  );
  expect(audited.slice(0, 2)).toMatchObject([
    { actor: "acme-client", action: "create", fromStatus: null, toStatus: "Active" },
    { actor: "acme-client", entityId: walletId },
  ]);

  const listed = valueOf(await call(search.getAllWalletsRoute, { query: { pageSize: 1 } }));
  expect(listed).toMatchObject({ totalCount: 1, limitCount: 1, items: [{ walletId }] });
  const found = valueOf(await call(search.searchWalletRoute, { body: { lastName } }));
  expect(found).toMatchObject({ totalCount: 1, limitCount: 50, items: [{ walletId }] });
  const counted = valueOf(await call(statistics.getPartnerStatisticsRoute, {}));
  expect(counted).toMatchObject({ walletsCount: 1, walletsTotalAvailableBalance: 8 });
  const dealerKey = owner.originatingDealerKey;
  expect(
    valueOf(await call(statistics.getDealerStatisticsRoute, { params: { dealerKey } })),
  ).toEqual(counted);

  valueOf(await call(states.suspendWalletRoute, { params }));
  valueOf(await call(states.reactivateWalletRoute, { params }));
  valueOf(await call(states.suspendWalletRoute, { params }));
  valueOf(await call(states.closeWalletRoute, { params }));
  valueOf(await call(states.reopenWalletRoute, { params }));
  valueOf(await call(states.closeWalletRoute, { params }));
  valueOf(await call(states.destroyWalletRoute, { params }));
  expect(await call(wallets.getWalletRoute, { params })).toMatchObject({ status: 404 });
});

const answersOfStoreMandates = async (storeId: string): Promise<void> => {
  const body = { storeId, mandateUniqueReference: "ACME-1" };
  const made = valueOf(await call(storeMandateList.createStoreMandateRoute, { body }));
  expect(await call(storeMandateList.createStoreMandateRoute, { body })).toMatchObject({
    ...{ status: 400, error: { errorCode: "MandateReferenceAlreadyPresent" } },
  });
  const params = { storeMandateId: made.storeMandateId };
  expect(valueOf(await call(storeMandateList.getStoreMandateByIdRoute, { params }))).toEqual(made);
  const listed = valueOf(
    await call(storeMandateList.listStoreMandatesRoute, { query: { storeId } }),
  );
  expect(listed).toMatchObject({ totalCount: 2, limitCount: 10 });
  expect(listed.items.at(-1)).toEqual(made);
  expect(valueOf(await call(storeMandateList.fillStoreMandateRoute, { params }))).toMatchObject({
    status: "Filled",
  });
  expect(valueOf(await call(storeMandateList.deleteStoreMandateRoute, { params }))).toMatchObject({
    status: "Cancelled",
  });
};

test("every route of stores answers as its document says, refusals included", async () => {
  const dealerKey = "dealer-rome";
  const inDealer = { params: { dealerKey } };
  const body = someStore({ code: "Caffè 1/2 50%" });
  const store = valueOf(await call(stores.createStoreRoute, { ...inDealer, body }));
  expect(await call(stores.createStoreRoute, { ...inDealer, body })).toMatchObject({ status: 400 });
  const { storeId } = store;
  const params = { dealerKey, storeId };
  expect(valueOf(await call(stores.getStoreRoute, { params }))).toEqual(store);
  expect(
    valueOf(await call(stores.getStoreByCodeRoute, { params: { dealerKey, code: body.code } })),
  ).toEqual(store);
  const page = { ...inDealer, query: { pageSize: 1 } };
  expect(valueOf(await call(stores.listStoresRoute, page))).toEqual({
    totalCount: 1,
    limitCount: 1,
    items: [store],
  });
  expect(valueOf(await call(stores.searchStoresRoute, { body: [storeId] }))).toEqual([store]);
  const { name, city, address, email, phoneNumber, code } = body;
  const empty = { type: "", ownerName: " " };
  const least = { name, city, address, email, phoneNumber, code, isActive: false };
  const emptied = { params, body: { ...least, ...empty } };
  expect(valueOf(await call(stores.updateStoreRoute, emptied))).toMatchObject({
    ...least,
    type: null,
    ownerName: null,
    ownerIban: null,
    metadata: null,
  });

  expect(await call(storeMandates.putStoreMandateRoute, { params })).toMatchObject({ status: 400 });
  const { ownerName, ownerIban } = body;
  const owned = { ...least, isActive: true, ownerName, ownerIban };
  valueOf(await call(stores.updateStoreRoute, { params, body: owned }));
  expect(await call(storeMandates.getStoreMandateRoute, { params })).toMatchObject({ status: 404 });
  const mandate = valueOf(await call(storeMandates.putStoreMandateRoute, { params }));
  expect(valueOf(await call(storeMandates.getStoreMandateRoute, { params }))).toEqual(mandate);
  const collect = (more: { readonly amount?: string; readonly reconciliationId?: string } = {}) =>
    call(triggerMandateDepositRequestRoute, { query: { mandateId: mandate.mandateId, ...more } });
  // The store owes nothing, and has no such group.
  expect(valueOf(await collect())).toMatchObject({ status: "Ignored" });
  expect(await collect({ amount: "0.01" })).toMatchObject({ status: 400 });
  expect(await collect({ reconciliationId: storeId })).toMatchObject({ status: 400 });
  valueOf(await call(storeMandates.disableStoreMandateRoute, { params: { storeId } }));
  await answersOfStoreMandates(storeId);
  valueOf(await call(stores.deleteStoreRoute, { params }));
  expect(await call(stores.getStoreRoute, { params })).toMatchObject({ status: 404 });
});

test("every route of operations answers as its document says, refusals included", async () => {
  const states = operationStates(() => database);
  const walletId = await states.walletId();
  const params = { walletId };
  const Made = z.looseObject({ operationId: z.uuid() });
  await states.fund(walletId, 20_000n);
  for (const type of Object.keys(families) as FamilyType[]) {
    const routes = routesOf(type);
    const make = async () => {
      const body = await states.body(type);
      const made = valueOf(await call(routes.initialise, { params, body }));
      expect(valueOf(await call(routes.initialise, { params, body }))).toEqual(made);
      return { walletId, operationId: Made.parse(made).operationId };
    };
    expect(await call(routes.simulate, { params, body: { amount: -1 } })).toMatchObject({
      status: 422,
    });
    valueOf(await call(routes.simulate, { params, body: await states.simulation(type) }));
    const operation = await make();
    valueOf(await call(routes.confirm, { params: operation }));
    expect(await call(routes.cancel, { params: operation })).toMatchObject({ status: 400 });
    valueOf(await call(routes.terminate, { params: operation }));
    valueOf(await call(routes.cancel, { params: await make() }));
  }
});

test("every route of groups and of many operations answers as its document says", async () => {
  const states = operationStates(() => database);
  const walletId = await states.walletId();
  const params = { walletId };
  for (const route of [
    groups.confirmGroupRoute,
    groups.cancelGroupRoute,
    groups.terminateGroupRoute,
  ]) {
    const body = { idempotencyKey: freshKey() };
    const group = valueOf(await call(groups.initialiseGroupRoute, { params, body }));
    expect(
      await call(groups.initialiseGroupRoute, { params, body: { idempotencyKey: freshKey() } }),
    ).toMatchObject({ status: 400 });
    const { operationGroupId } = group;
    await states.pending(walletId, "Payment", { operationGroupId });
    const pending = valueOf(await call(groups.getPendingGroupRoute, { params }));
    expect(pending.groupOperations).toHaveLength(1);
    const one = { params: { walletId, operationGroupId } };
    expect(valueOf(await call(groups.getGroupRoute, one))).toEqual(pending);
    const changed = valueOf(await call(route, one));
    expect(valueOf(await call(route, one))).toEqual(changed);
    expect(valueOf(await call(groups.getGroupRoute, one))).toEqual(changed);
  }
  expect(valueOf(await call(groups.listGroupsRoute, { params })).totalCount).toBe(3);
  for (const route of [bulkConfirmRoute, bulkCancelRoute]) {
    const operationId = await states.pending(walletId, "Payment");
    const operationIds = [operationId, unknownId];
    const done = valueOf(await call(route, { body: { operationIds, atomic: false } }));
    expect(done).toMatchObject([
      { operationId, errorCode: null },
      { operationId: unknownId, status: null, errorCode: "OperationNotFound" },
    ]);
  }
});

test("of ten simultaneous requests for a store with one code, one is 200 and nine are 400", async () => {
  const input = { params: { dealerKey: "dealer-milan" }, body: someStore() };
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => acme.call(stores.createStoreRoute, input)),
  );
  expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
  for (const answer of answers.filter(({ ok }) => !ok))
    expect(answer).toMatchObject({
      status: 400,
      error: {
        errorCode: "StoreCodeAlreadyPresent",
        errorProperties: { code: input.body.code },
      },
    });
});

test("every route that forces an event answers as its document says, refusals included", async () => {
  for (const { event, route } of forcePushes) {
    const body = event.example;
    expect(valueOf(await call(route, { body }))).toMatchObject({ type: event.name });
    expect(await call(route, { body: { ...body, partnerKey: "globex" } })).toMatchObject({
      ...{ status: 403, error: { errorCode: "EventOfAnotherPartner" } },
    });
  }
});

test("the event log answers as its document says", async () => {
  const { items, nextAfter } = valueOf(
    await call(eventLog.listEventsRoute, { query: { limit: "3" } }),
  );
  expect(items.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
  expect(nextAfter).toBe(3);
  const [created] = items;
  expect(created).toMatchObject({
    type: "WalletCreated",
    body: { id: created?.id, messagePublishDate: created?.publishedAt, partnerKey: "acme" },
  });
  const query = {
    after: "1",
    types: "WalletSuspended,WalletClosed",
    from: created?.publishedAt ?? "",
  };
  const some = valueOf(await call(eventLog.listEventsRoute, { query }));
  expect(new Set(some.items.map(({ type }) => type))).toEqual(
    new Set(["WalletSuspended", "WalletClosed"]),
  );
  const one = { params: { id: created?.id ?? "" } };
  expect(valueOf(await call(eventLog.replayEventRoute, one))).toEqual({ count: 1 });
  const body = { after: 0, types: ["WalletSuspended"] };
  const { count } = valueOf(await call(eventLog.replayEventsRoute, { body }));
  expect(count).toBe(some.items.filter(({ type }) => type === "WalletSuspended").length);
  const undelivered = { body: { onlyUndelivered: true } };
  expect(valueOf(await call(eventLog.replayEventsRoute, undelivered))).toEqual({ count: 0 });
});

test("another partner's wallet is 403 on every route that names one", async () => {
  const created = valueOf(
    await acme.call(wallets.createWalletRoute, { body: customer(4_712).owner }),
  );
  const globex = clientOf(stack, "globex");
  const params = { walletId: created.walletId };
  const refused = [
    await globex.call(wallets.getWalletRoute, { params }),
    await globex.call(getWalletBalanceRoute, { params }),
    await globex.call(iban.deleteWalletIbanRoute, { params }),
    await globex.call(iban.updateWalletIbanRoute, { params, body: { iban: ownIban } }),
    await globex.call(contract.signContractRoute, { params }),
    await globex.call(mandates.getWalletMandateRoute, { params }),
    await globex.call(getOnboarding, { params }),
  ];
  for (const answer of refused)
    expect(answer).toMatchObject({ status: 403, error: { errorCode: "WalletOfAnotherPartner" } });
});
