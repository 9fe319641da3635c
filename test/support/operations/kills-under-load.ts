/** Kills the platform under a load of money, and holds its books against its customers' own records. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { startSurvivor } from "../durable/survivor.js";
import { seededBelow } from "../platform/seeded-random.js";
import { untilNone } from "../platform/progress.js";
import { judgeAccounts, untilSettled } from "./account-records.js";
import { customerOf, openAccounts, openStoreBy } from "./customer-load.js";

export interface KillRun {
  readonly kills: number;
  readonly customers: number;
  readonly betweenMs: number;
  readonly seed: number;
  /** Told of each errand that a customer has done. */
  readonly done?: () => void;
}

/** Resolves to how many operations were asked for. */
export const killUnderLoad = async (run: KillRun): Promise<number> => {
  const survivor = await startSurvivor();
  try {
    const storeId = await openStoreBy(survivor.send);
    const accounts = await openAccounts(
      survivor.send,
      (text) => survivor.query(text),
      run.customers,
    );
    const finishing = new AbortController();
    const load = Promise.all(
      accounts.map(async (account, index) => {
        const errand = customerOf(survivor.send, account, storeId, seededBelow(run.seed + index));
        while (!finishing.signal.aborted) {
          await errand();
          run.done?.();
        }
      }),
    );
    const next = seededBelow(run.seed - 1);
    const killing = (async () => {
      for (let kill = 0; kill < run.kills && !finishing.signal.aborted; kill += 1) {
        await sleep(run.betweenMs / 2 + next(run.betweenMs));
        await survivor.killAndRestart();
      }
      await sleep(run.betweenMs);
      finishing.abort();
    })();
    try {
      await Promise.all([load, killing]);
    } finally {
      // A platform that is started while the test gives up would outlive it.
      finishing.abort();
      await Promise.allSettled([load, killing]);
    }
    expect(await survivor.send("POST", "/wallet/flows/accountingoperations")).toMatchObject({
      status: 202,
    });
    const query = (text: string) => survivor.query(text);
    await untilSettled(query);
    await judgeAccounts(query, accounts);
    const told = await survivor.query(
      `select message_id as id from borsello.outbox
       where 'acme' = any(destinations) and subject like any('{Operation%,Transaction%,WireTransfer%}')`,
    );
    await untilNone(() => {
      const arrived = new Set<unknown>(survivor.deliveries.map(({ id }) => id));
      return told.filter(({ id }) => !arrived.has(id)).length;
    });
    return accounts.reduce((sum, { operations }) => sum + operations.size, 0);
  } finally {
    await survivor.stop();
  }
};
