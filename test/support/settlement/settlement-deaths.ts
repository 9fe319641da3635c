/** Settles operations with a platform that dies again and again, and holds the end against one without deaths. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import {
  triggerAccountingOperationsRoute,
  triggerHarvestingsRoute,
} from "../../../shared/contracts/settlement/flows.js";
import { accountCents, confirmOperation, eventsOf, timelineOf } from "./confirmed-operations.js";
import { startSettlement, type Settlement } from "./settlement-stack.js";
import { openStore } from "../stores/store-fixtures.js";

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const patienceMs = 60_000;

/** A life that ends before the platform answers is a death like any other. */
const restart = async ({ stack }: Settlement): Promise<void> => {
  try {
    await stack.restart();
  } catch (error) {
    if (!String(error).includes("The platform did not start")) throw error;
  }
};

/** Makes each call until it is answered: fetch's own failure is a connection that a death has cut. */
const answeredOnce = (calls: readonly (() => Promise<unknown>)[]) => {
  const waiting = [...calls];
  return async (): Promise<void> => {
    for (let call = waiting[0]; call !== undefined; call = waiting[0]) {
      try {
        await call();
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        return;
      }
      waiting.shift();
    }
  };
};

/** Starts the platform again after each of its deaths, until all is at its end; resolves to how many there were. */
const outlive = async (
  bank: Settlement,
  begin: () => Promise<void>,
  isOver: () => Promise<boolean>,
): Promise<number> => {
  const giveUpAt = Date.now() + patienceMs;
  let deaths = 0;
  await begin();
  while (!(await isOver())) {
    if (Date.now() > giveUpAt) throw new Error(`not over after ${deaths} deaths`);
    if (!isAlive(bank.stack.pid)) {
      deaths += 1;
      await restart(bank);
      await begin();
    }
    await sleep(50);
  }
  if (deaths > 0) return deaths;
  // Where the very last deed was the one to die of, all is over before the platform is.
  await expect.poll(() => isAlive(bank.stack.pid)).toBe(false);
  await restart(bank);
  return 1;
};

/** Each life ends right after so many deeds of this kind, before the engine has written the last one down. */
export const settleThroughDeaths = async (activity: string, hits: number): Promise<void> => {
  const bank = await startSettlement({
    environment: { FAULT_POINTS: `activity.${activity}.done:${hits}` },
  });
  try {
    const { database, acme } = bank;
    const transit = await accountCents(database, "Transit", "outgoing");
    const withdrawals: string[] = [];
    const members: string[] = [];
    const { storeId } = await openStore(database);
    for (const cents of [10_00n, 20_99n]) {
      const { walletId } = await bank.openWallet();
      const own = { walletId, cents, feesCents: 50n };
      withdrawals.push(await confirmOperation(database, { ...own, type: "SctWithdrawal" }));
      members.push(await confirmOperation(database, { ...own, type: "Payment", storeId }));
      const deposit = { ...own, type: "CashDeposit", storeId } as const;
      members.push(await confirmOperation(database, deposit));
    }
    const fees = await accountCents(database, "Fees", "platform");
    const begin = answeredOnce([
      () => acme.call(triggerAccountingOperationsRoute, {}),
      () => acme.call(triggerHarvestingsRoute, { query: { type: "Payment" } }),
      () => acme.call(triggerHarvestingsRoute, { query: { type: "CashDeposit" } }),
    ]);
    const isOver = async (): Promise<boolean> => {
      const found = await Promise.all([...withdrawals, ...members].map(bank.operation));
      return found.every(({ status }) => /^(Completed|OutgoingPaymentRejected)$/.test(status));
    };
    expect(await outlive(bank, begin, isOver)).toBeGreaterThan(0);
    for (const operationId of [...withdrawals, ...members]) {
      const steps = await timelineOf(database, operationId);
      expect(new Set(steps).size).toBe(steps.length);
      const events = (await eventsOf(database, operationId)).map(({ subject }) => subject);
      expect(new Set(events).size).toBe(events.length);
    }
    // One of the withdrawals was refused, and its fee went back; each payment paid its own.
    expect(await accountCents(database, "Transit", "outgoing")).toBe(transit);
    expect(await accountCents(database, "Fees", "platform")).toBe(fees - 50n + 100n);
    const rejected = await bank.operation(withdrawals[1] ?? "");
    expect(rejected.status).toBe("OutgoingPaymentRejected");
  } finally {
    await bank.stop();
  }
};
