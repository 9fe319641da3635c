/** Lists and figures of operations through HTTP: filters, pages, timelines, the overview, a store's days. */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { cashDepositRoutes, paymentRoutes } from "../../shared/contracts/operations/families.js";
import * as groups from "../../shared/contracts/operations/groups.js";
import * as lists from "../../shared/contracts/operations/lists.js";
import * as statistics from "../../shared/contracts/operations/statistics.js";
import type { NoFields } from "../../shared/contracts/route.js";
import type { Database } from "../../shared/database/platform/database.js";
import type { CallInput, Client } from "../../shared/http/client.js";
import { clientOf, openStackDatabase, valueOf } from "../support/platform/api.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";
import { openStore } from "../support/stores/store-fixtures.js";
import { openWallet } from "../support/wallet/wallet-fixtures.js";

let stack: TestStack;
let database: Database;
let acme: Client;

beforeAll(async () => {
  stack = await startTestStack();
  database = openStackDatabase(stack);
  acme = clientOf(stack, "acme");
});
afterAll(async () => {
  await database.close();
  await stack.stop();
});

type ListQuery = NonNullable<
  CallInput<
    NoFields,
    NonNullable<(typeof lists.listOperationsRoute)["query"]>,
    z.ZodUndefined
  >["query"]
>;

const key = (): string => randomBytes(16).toString("hex");
const Initialised = z.looseObject({ operationId: z.uuid() });

const till = async () => {
  const { walletId } = await openWallet(database);
  const { storeId } = await openStore(database);
  const params = { walletId };
  const confirm = async (operationId: string) =>
    valueOf(await acme.call(cashDepositRoutes.confirm, { params: { ...params, operationId } }));
  const deposit = async (amount: number, more: object = {}) => {
    const body = { idempotencyKey: key(), amount, storeId, operationGroupId: null };
    const made = await acme.call(cashDepositRoutes.initialise, {
      params,
      body: { ...body, tags: { till: "1" }, ...more },
    });
    return Initialised.parse(valueOf(made)).operationId;
  };
  const pay = async (amount: number, tags: Record<string, string>) => {
    const body = { idempotencyKey: key(), amount, storeId, operationGroupId: null, tags };
    const more = { fundsType: "Standard", bucketId: null } as const;
    const made = await acme.call(paymentRoutes.initialise, { params, body: { ...body, ...more } });
    return Initialised.parse(valueOf(made)).operationId;
  };
  return { walletId, storeId, params, confirm, deposit, pay };
};

test("a wallet's operations are found by every filter, and by several at once", async () => {
  const { storeId, params, confirm, deposit, pay } = await till();
  const group = valueOf(
    await acme.call(groups.initialiseGroupRoute, { params, body: { idempotencyKey: key() } }),
  );
  const { operationGroupId } = group;
  const first = await deposit(100);
  await confirm(first);
  const idempotencyKey = key();
  const grouped = await deposit(10, { operationGroupId, idempotencyKey });
  const paid = await pay(5, { till: "2", "a.b": "c&d=e" });
  const found = async (query: ListQuery) =>
    valueOf(await acme.call(lists.listOperationsRoute, { params, query })).items.map(
      ({ operationId }) => operationId,
    );
  expect(await found({})).toEqual([first, grouped, paid]);
  expect(await found({ type: "Payment" })).toEqual([paid]);
  expect(await found({ status: "Confirmed" })).toEqual([first]);
  expect(await found({ fundsType: "Loyalty" })).toEqual([]);
  expect(await found({ storeId })).toEqual([first, grouped, paid]);
  expect(await found({ operationGroupId })).toEqual([grouped]);
  expect(await found({ idempotencyKey })).toEqual([grouped]);
  expect(await found({ "tag.": { till: "1" } })).toEqual([first, grouped]);
  expect(await found({ "tag.": { till: "2", "a.b": "c&d=e" } })).toEqual([paid]);
  expect(await found({ "tag.": { till: "2", "a.b": "other" } })).toEqual([]);
  expect(await found({ type: "CashDeposit", status: "Initialized" })).toEqual([grouped]);
  expect(await found({ toDate: "2020-01-01T00:00:00Z" })).toEqual([]);
});

test("a cursor reads a list that grows without gap or repeat, and tags are bounded", async () => {
  const { params, deposit } = await till();
  const made: string[] = [];
  for (let amount = 1; amount <= 5; amount += 1) made.push(await deposit(amount));
  const read: string[] = [];
  let cursor: string | null = null;
  do {
    const query: ListQuery = { pageSize: 2, ...(cursor === null ? {} : { cursor }) };
    const page = valueOf(await acme.call(lists.listOperationsRoute, { params, query }));
    expect(page.limitCount).toBe(2);
    read.push(...page.items.map(({ operationId }) => operationId));
    if (cursor === null) made.push(await deposit(6));
    cursor = page.nextCursor;
  } while (cursor !== null);
  expect(read).toEqual(made);
  const second = { params, query: { pageSize: 2, pageNumber: 1 } };
  const page = valueOf(await acme.call(lists.listOperationsRoute, second));
  expect(page.items.map(({ operationId }) => operationId)).toEqual(made.slice(2, 4));
  expect(page.totalCount).toBe(6);
  const tags = Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`t${n}`, "1"]));
  for (const query of [{ "tag.": tags }, { cursor: "no" }, { type: "Refund" }] as const)
    expect(await acme.call(lists.listOperationsRoute, { params, query })).toMatchObject({
      error: { errorCode: "QueryParameterInvalid" },
    });
});

test("a timeline tells each transition once, with who asked for it", async () => {
  const { walletId, params, confirm, deposit } = await till();
  const operationId = await deposit(100);
  await confirm(operationId);
  await confirm(operationId);
  const one = { params: { ...params, operationId } };
  const record = valueOf(await acme.call(lists.getOperationRoute, one));
  expect(record).toMatchObject({ operationId, walletId, status: "Confirmed", amount: 100 });
  const timeline = valueOf(await acme.call(lists.getOperationTimelineRoute, one));
  const told = { actor: "acme-client", attempt: 0, feedback: null, nextRetry: null };
  expect(timeline).toEqual([
    { ...told, from: null, to: "Initialized", at: record.creationDate },
    { ...told, from: "Initialized", to: "Confirmed", at: record.confirmationDate },
  ]);
  const other = { params: { walletId: (await openWallet(database)).walletId, operationId } };
  const refused = { status: 404, error: { errorCode: "OperationNotFound" } };
  expect(await acme.call(lists.getOperationRoute, other)).toMatchObject(refused);
  expect(await acme.call(lists.getOperationTimelineRoute, other)).toMatchObject(refused);
});

const today = (): string =>
  new Intl.DateTimeFormat("sv-SE", { timeZone: "Europe/Rome" }).format(new Date());

test("a store's operations are counted and added up by day, type and status", async () => {
  const { storeId, confirm, deposit, pay } = await till();
  const day = today();
  const [first, second] = [await deposit(100), await deposit(50.5)];
  await deposit(7);
  for (const operationId of [first, second]) await confirm(operationId);
  await pay(5, {});
  const params = { storeId };
  const count = async (query: object) =>
    valueOf(await acme.call(statistics.countStoreOperationsRoute, { params, query })).value;
  expect(await count({})).toBe(4);
  expect(await count({ fromDate: day, toDate: today() })).toBe(4);
  expect(await count({ toDate: "2020-01-01" })).toBe(0);
  expect(await count({ operationType: "CashDeposit" })).toBe(3);
  expect(await count({ operationType: "CashDeposit", operationStatus: "Confirmed" })).toBe(2);
  expect(await count({ operationStatus: "Initialized" })).toBe(2);
  const query = { operationType: "CashDeposit", fromDate: day };
  const total = valueOf(await acme.call(statistics.totalStoreOperationsRoute, { params, query }));
  expect(total).toEqual({
    ...{ reconciliationCode: null, status: null, date: null },
    ...{ amount: 150.5, count: 2 },
  });
});

const Figures = z.record(z.string(), z.unknown());
const Overview = z.array(z.looseObject({ type: z.string() }));

test("the overview has every type and state, and counts what there is", async () => {
  const overview = async () =>
    Overview.parse(valueOf(await acme.call(statistics.getOperationsOverviewRoute, {})));
  const before = await overview();
  const { confirm, deposit } = await till();
  const operationId = await deposit(100);
  await deposit(10);
  await confirm(operationId);
  const after = await overview();
  expect(after).toHaveLength(9);
  for (const item of after) expect(Object.keys(item)).toHaveLength(23 * 3 + 3);
  const [was, is] = [before, after].map((items) =>
    items.find(({ type }) => type === "CashDeposit"),
  );
  const grown = (name: string) => Number(is?.[name]) - Number(was?.[name]);
  expect([grown("totalInitialized"), grown("totalConfirmed")]).toEqual([1, 1]);
  expect(grown("totalCancelled")).toBe(0);
  const { minConfirmedDate, maxConfirmedDate, minCreationDate, maxCreationDate } =
    Figures.parse(is);
  expect(String(minConfirmedDate) <= String(maxConfirmedDate)).toBe(true);
  expect(String(minCreationDate) <= String(maxCreationDate)).toBe(true);
});
