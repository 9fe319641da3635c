/** The flow of an operation group on the whole platform: out of time, confirmed, and its own loss. */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { groupSweep } from "../../functions/schedule/group-sweep.js";
import { sweepFlowsOf } from "../../functions/schedule/sweep.js";
import { cashDepositRoutes } from "../../shared/contracts/operations/families.js";
import * as groups from "../../shared/contracts/operations/groups.js";
import { getOperationRoute } from "../../shared/contracts/operations/lists.js";
import { moveClockRoute } from "../../shared/contracts/sandbox/clock.js";
import type { Database } from "../../shared/database/platform/database.js";
import type { FlowClient } from "../../shared/durable/flow-client.js";
import type { Client } from "../../shared/http/client.js";
import { clientOf, openStackDatabase, valueOf } from "../support/platform/api.js";
import { instanceOf } from "../support/platform/partner.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";
import { openStore } from "../support/stores/store-fixtures.js";
import { silentLogger } from "../support/wallet/bank-fixtures.js";
import { openWallet } from "../support/wallet/wallet-fixtures.js";

let stack: TestStack;
let database: Database;
let acme: Client;
let storeId: string;

beforeAll(async () => {
  stack = await startTestStack();
  database = openStackDatabase(stack);
  acme = clientOf(stack, "acme");
  ({ storeId } = await openStore(database));
});
afterAll(async () => {
  await database.close();
  await stack.stop();
});

const Initialised = z.looseObject({ operationId: z.uuid() });
const patience = { interval: 50 };
const key = (): string => randomBytes(16).toString("hex");

const openGroup = async () => {
  const { walletId } = await openWallet(database);
  const body = { idempotencyKey: key() };
  const input = { params: { walletId }, body };
  const { operationGroupId, expiryDate } = valueOf(
    await acme.call(groups.initialiseGroupRoute, input),
  );
  const { operationId } = Initialised.parse(
    valueOf(
      await acme.call(cashDepositRoutes.initialise, {
        params: { walletId },
        body: { idempotencyKey: key(), amount: 20, storeId, operationGroupId, tags: { till: "1" } },
      }),
    ),
  );
  return { walletId, operationGroupId, operationId, expiryDate };
};

type Group = Awaited<ReturnType<typeof openGroup>>;

const flowSays = async ({ operationGroupId }: Group, status: string): Promise<void> => {
  await expect
    .poll(
      async () => (await instanceOf(stack, `group-${operationGroupId}`))?.customStatus,
      patience,
    )
    .toContain(status);
};

const statusOf = async ({ walletId, operationGroupId, operationId }: Group) => {
  const params = { walletId };
  const group = { params: { ...params, operationGroupId } };
  const operation = { params: { ...params, operationId } };
  return [
    valueOf(await acme.call(groups.getGroupRoute, group)).status,
    valueOf(await acme.call(getOperationRoute, operation)).status,
  ];
};

const moveClock = async (from: string, minutes: number): Promise<void> => {
  const now = new Date(Date.parse(from) + minutes * 60_000).toISOString();
  valueOf(await acme.call(moveClockRoute, { body: { now } }));
};

test("a group expires with its operations at its time, while a confirmed one stays as it is", async () => {
  const [forgotten, confirmed] = [await openGroup(), await openGroup()];
  for (const group of [forgotten, confirmed]) await flowSays(group, "Pending until");
  const { walletId, operationGroupId } = confirmed;
  valueOf(await acme.call(groups.confirmGroupRoute, { params: { walletId, operationGroupId } }));
  await flowSays(confirmed, "The group is over: Confirmed");
  await moveClock(forgotten.expiryDate, -1);
  expect(await statusOf(forgotten)).toEqual(["Initialized", "Initialized"]);
  await moveClock(forgotten.expiryDate, 1);
  await expect.poll(() => statusOf(forgotten), patience).toEqual(["Expired", "Expired"]);
  await flowSays(forgotten, "The group is over: Expired");
  expect(await statusOf(confirmed)).toEqual(["Confirmed", "Confirmed"]);
});

test("a pending group that has lost its flow is given another, one that has it is left alone", async () => {
  const [kept, lost] = [await openGroup(), await openGroup()];
  for (const group of [kept, lost]) await flowSays(group, "Pending until");
  await moveClock(lost.expiryDate, -20);
  const started: string[] = [];
  const client = {
    getStatus: async (instanceId: string) => {
      if (instanceId.endsWith(lost.operationGroupId)) throw new Error("HTTP 404");
      return { runtimeStatus: "Running" };
    },
    startNew: async (_name: string, { instanceId }: { readonly instanceId: string }) => {
      started.push(instanceId);
    },
  } as unknown as FlowClient;
  const means = { database, logger: silentLogger };
  const swept = await sweepFlowsOf(means, client, groupSweep(means));
  expect(swept).toEqual([`group-${lost.operationGroupId}`]);
  expect(started).toEqual(swept);
});
