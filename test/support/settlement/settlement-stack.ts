/** Settlement through the front door: a running platform, its sandbox bank, and what operations became. */
import { expect } from "vitest";
import { z } from "zod";
import { customer } from "../../../bench/platform/customers.js";
import { scriptBankRoute, type BankScriptBody } from "../../../shared/contracts/sandbox/bank.js";
import { moveClockRoute } from "../../../shared/contracts/sandbox/clock.js";
import {
  getFlowRunRoute,
  triggerAccountingOperationsRoute,
  triggerHarvestingsRoute,
  type FlowRun,
} from "../../../shared/contracts/settlement/flows.js";
import { getWalletBalanceRoute } from "../../../shared/contracts/ledger/balance.js";
import { createWalletRoute } from "../../../shared/contracts/wallet/wallets.js";
import { Operation } from "../../../shared/contracts/operations/operations.js";
import type { OperationType } from "../../../shared/domain/operations/families.js";
import type { Client } from "../../../shared/http/client.js";
import { platformNow } from "../../../shared/database/platform/platform-time.js";
import { clientOf, openStackDatabase, valueOf } from "../platform/api.js";
import { startTestStack, type TestStackOptions } from "../platform/stack.js";

const patience = { interval: 50 };
let people = 50_000;

export const startSettlement = async (options: TestStackOptions = {}) => {
  const stack = await startTestStack(options);
  const database = openStackDatabase(stack);
  const acme: Client = clientOf(stack, "acme");

  const operation = async (operationId: string): Promise<Operation> => {
    const found = await database.row(
      z.object({ record: Operation }),
      "select borsello.operation_record(o) as record from borsello.operation as o where operation_id = $1",
      [operationId],
    );
    if (found === undefined) throw new Error(`no operation ${operationId}`);
    return found.record;
  };

  const becomes = async (operationId: string, status: Operation["status"]): Promise<void> => {
    await expect.poll(() => operation(operationId), patience).toMatchObject({ status });
  };

  /** Moves platform time forward by so many seconds; resolves when the engine is quiet again. */
  const pass = async (seconds: number): Promise<void> => {
    const now = new Date(Date.parse(await platformNow(database)) + seconds * 1_000).toISOString();
    valueOf(await acme.call(moveClockRoute, { body: { now } }));
  };

  const runIsOver = async (runId: string): Promise<FlowRun> => {
    const read = async () => valueOf(await acme.call(getFlowRunRoute, { params: { runId } }));
    await expect
      .poll(async () => (await read()).status, patience)
      .toMatch(/Completed|Ignored|Failed/);
    return read();
  };

  return {
    stack,
    database,
    acme,
    operation,
    becomes,
    pass,
    /** Lets time pass, as often as it takes, until the operation is in this state. */
    passUntil: async (operationId: string, status: Operation["status"], seconds: number) => {
      for (let times = 0; times < 40; times += 1) {
        if ((await operation(operationId)).status === status) return;
        await pass(seconds);
      }
      await becomes(operationId, status);
    },
    runIsOver,
    account: async (operationId?: string): Promise<FlowRun> => {
      const query = operationId === undefined ? {} : { operationId };
      const run = valueOf(await acme.call(triggerAccountingOperationsRoute, { query }));
      return runIsOver(run.runId);
    },
    harvest: async (type: OperationType, harvestingId?: string): Promise<FlowRun> => {
      const query = harvestingId === undefined ? { type } : { type, harvestingId };
      return runIsOver(valueOf(await acme.call(triggerHarvestingsRoute, { query })).runId);
    },
    script: async (body: z.input<typeof BankScriptBody>): Promise<void> => {
      valueOf(await acme.call(scriptBankRoute, { body }));
    },
    balance: async (walletId: string): Promise<number> =>
      valueOf(await acme.call(getWalletBalanceRoute, { params: { walletId } })).availableBalance,
    /** A wallet with a validated account; the withdrawals of each test go to an account of their own. */
    openWallet: async (): Promise<{ walletId: string; iban: string }> => {
      people += 1;
      const { owner, iban } = customer(people);
      const { walletId } = valueOf(await acme.call(createWalletRoute, { body: owner }));
      await database.execute(
        "update borsello.wallet set iban = $2, is_iban_validated = true where wallet_id = $1",
        [walletId, iban],
      );
      return { walletId, iban };
    },
    stop: async (): Promise<void> => {
      await database.close();
      await stack.stop();
    },
  };
};

export type Settlement = Awaited<ReturnType<typeof startSettlement>>;
