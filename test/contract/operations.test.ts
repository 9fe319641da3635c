/** The six families through HTTP: amounts, fees, limits, holds, and each command's answer. */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import {
  cashDepositRoutes,
  cashWithdrawalRoutes,
  loyaltyDepositRoutes,
  paymentRoutes,
  sctWithdrawalRoutes,
  welfareDepositRoutes,
} from "../../shared/contracts/operations/families.js";
import * as groups from "../../shared/contracts/operations/groups.js";
import { getWalletBalanceRoute } from "../../shared/contracts/ledger/balance.js";
import { getWalletLimitsRoute } from "../../shared/contracts/ledger/limits.js";
import type { Database } from "../../shared/database/platform/database.js";
import type { ErrorCode } from "../../shared/contracts/errors.js";
import type {
  BinarySuccess,
  BodyDeclaration,
  JsonSuccess,
  Route,
  TextShape,
} from "../../shared/contracts/route.js";
import type { CallInput, Client } from "../../shared/http/client.js";
import { clientOf, openStackDatabase } from "../support/platform/api.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";
import { openStore } from "../support/stores/store-fixtures.js";
import { openValidatedWallet, openWallet } from "../support/wallet/wallet-fixtures.js";

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

/** The value of a success; a refusal is the test's failure. */
const call = async <
  Path extends string,
  Params extends TextShape,
  Query extends TextShape,
  Body extends BodyDeclaration,
  Ok extends JsonSuccess | BinarySuccess,
  Code extends ErrorCode,
>(
  route: Route<Path, Params, Query, Body, Ok, Code>,
  input: CallInput<Params, Query, Body>,
) => {
  const answer = await acme.call(route, input);
  if (!answer.ok) throw new Error(`${route.id}: ${JSON.stringify(answer)}`);
  return answer.value;
};

const key = (): string => randomBytes(16).toString("hex");
const tags = { till: "3" };
const Initialised = z.looseObject({ operationId: z.uuid() });

const deposit = async (walletId: string, amount: number): Promise<string> => {
  const made = Initialised.parse(
    await call(cashDepositRoutes.initialise, {
      params: { walletId },
      body: { idempotencyKey: key(), amount, storeId, operationGroupId: null, tags },
    }),
  );
  await call(cashDepositRoutes.confirm, {
    params: { walletId, operationId: made.operationId },
  });
  return made.operationId;
};

const balanceOf = async (walletId: string): Promise<number> =>
  (await call(getWalletBalanceRoute, { params: { walletId } })).availableBalance;

describe("a cash deposit", () => {
  test("credits the amount minus its fee, once it is confirmed", async () => {
    const { walletId } = await openWallet(database);
    const body = { idempotencyKey: key(), amount: 100, storeId, operationGroupId: null, tags };
    const made = await call(cashDepositRoutes.initialise, { params: { walletId }, body });
    const fees = [{ amount: 1, beneficiary: "platform", debtor: "wallet" }];
    expect(made).toMatchObject({
      ...{ operationAmount: 100, finalAmount: 100, netAmount: 99, feesAmount: 1, fees },
      ...{ operationGroupId: null, fundsType: "Standard", tags },
    });
    expect(await balanceOf(walletId)).toBe(0);
    const { operationId } = Initialised.parse(made);
    const confirmed = await call(cashDepositRoutes.confirm, {
      params: { walletId, operationId },
    });
    expect(confirmed).toMatchObject({ status: "Confirmed", amount: 100, customerNetAmount: 99 });
    expect(await balanceOf(walletId)).toBe(99);
    expect(await call(cashDepositRoutes.confirm, { params: { walletId, operationId } })).toEqual(
      confirmed,
    );
    expect(await call(cashDepositRoutes.initialise, { params: { walletId }, body })).toEqual(made);
    const limits = await call(getWalletLimitsRoute, { params: { walletId } });
    expect(limits.maximumLastMonthCashDeposit).toMatchObject({ limit: 2500, current: 100 });
    const terminated = await call(cashDepositRoutes.terminate, {
      params: { walletId, operationId },
    });
    expect(terminated).toMatchObject({ status: "Terminated" });
    expect(await balanceOf(walletId)).toBe(0);
  });
});

test("every family is initialised, simulated and confirmed", async () => {
  const { walletId } = await openValidatedWallet(database);
  await deposit(walletId, 500);
  const params = { walletId };
  const cases = [
    [cashWithdrawalRoutes, { amount: 50, storeId, tags }],
    [loyaltyDepositRoutes, { amount: 20, storeId, fundsExpiryDate: "2099-01-01", tags }],
    [welfareDepositRoutes, { amount: 30, dealerKey: "dealer-rome", fundsExpiryDate: null, tags }],
    [paymentRoutes, { amount: 30, storeId, fundsType: "Standard", bucketId: null, tags }],
    [paymentRoutes, { amount: 10, storeId, fundsType: "Loyalty", bucketId: null, tags }],
    [sctWithdrawalRoutes, { amount: 100, tags }],
  ] as const;
  for (const [routes, body] of cases) {
    const { limits, ...simulated } = z
      .looseObject({ limits: z.unknown(), bucketId: z.unknown() })
      .parse(await call(routes.simulate, { params, body: body }));
    const { limits: bound, ...made } = z
      .looseObject({ operationId: z.uuid(), limits: z.unknown(), bucketId: z.unknown() })
      .parse(
        await call(routes.initialise, {
          params,
          body: { ...body, idempotencyKey: key() },
        }),
      );
    expect(bound).toEqual(limits);
    expect(made).toMatchObject({ ...simulated, bucketId: expect.any(String) as string });
    const confirmed = await call(routes.confirm, {
      params: { ...params, operationId: made.operationId },
    });
    expect(confirmed.status).toBe("Confirmed");
  }
  expect(await balanceOf(walletId)).toBe(499 - 51 + 20 + 30 - 30 - 10 - 100.5);
});

test("a group is confirmed as one, or not at all", async () => {
  const { walletId } = await openWallet(database);
  await deposit(walletId, 100);
  const params = { walletId };
  const group = await call(groups.initialiseGroupRoute, {
    params,
    body: { idempotencyKey: key() },
  });
  const { operationGroupId } = group;
  const body = {
    amount: 30,
    storeId,
    fundsType: undefined,
    bucketId: null,
    operationGroupId,
    tags,
  };
  await call(paymentRoutes.initialise, { params, body: { ...body, idempotencyKey: key() } });
  await call(loyaltyDepositRoutes.initialise, {
    params,
    body: {
      idempotencyKey: key(),
      amount: 3,
      storeId,
      fundsExpiryDate: null,
      operationGroupId,
      tags,
    },
  });
  expect(await call(groups.getPendingGroupRoute, { params })).toMatchObject({
    walletAvailableBalance: 69,
    groupOperations: [{ type: "Payment" }, { type: "LoyaltyDeposit" }],
  });
  const done = await call(groups.confirmGroupRoute, {
    params: { ...params, operationGroupId },
  });
  expect(done).toMatchObject({ status: "Confirmed", walletAvailableBalance: 72 });
  expect(done.groupOperations.map(({ status }) => status)).toEqual(["Confirmed", "Confirmed"]);
});
