/** Kills the platform under a load of money, and holds its books against its customers' own records. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { startSurvivor } from "../durable/survivor.js";
import { seededBelow } from "../platform/seeded-random.js";
import { untilNone } from "../platform/progress.js";
import { rulesOfBooks } from "./books.js";
import {
  customerOf,
  hearOfTransfers,
  openAccount,
  openStoreBy,
  type Account,
} from "./customer-load.js";

const recordOf = ({ operations, groups }: Account) => ({
  operations: [...operations]
    .map(([key, { operationId, ended }]) => ({ key, id: operationId, ended }))
    .sort((one, other) => (one.key < other.key ? -1 : 1)),
  groups: [...groups]
    .map(([key, { operationGroupId, ended }]) => ({ key, id: operationGroupId, ended }))
    .sort((one, other) => (one.key < other.key ? -1 : 1)),
});

export interface KillRun {
  readonly kills: number;
  readonly customers: number;
  readonly betweenMs: number;
  readonly seed: number;
  /** Told of each errand that a customer has done. */
  readonly done?: () => void;
}

const openTransfers = `
  select count(*)::int as open from borsello.operation
  where type = 'SctWithdrawal' and confirmation_date is not null
    and status not in ('Completed', 'OutgoingPaymentRejected')`;

/** Resolves to how many operations were asked for. */
export const killUnderLoad = async (run: KillRun): Promise<number> => {
  const survivor = await startSurvivor();
  try {
    // What customers do in a minute here would be months of cash elsewhere.
    await survivor.query(
      `update borsello.partner set settings = settings || '{"limits": {
         "lastMonthCashDepositCents": 1000000000, "lastMonthCashWithdrawalCents": 1000000000}}'
       where partner_key = 'acme'`,
    );
    const storeId = await openStoreBy(survivor.send);
    const accounts = await Promise.all(
      Array.from({ length: run.customers }, (_, index) => openAccount(survivor.send, index)),
    );
    for (const { walletId, iban } of accounts)
      await survivor.query(
        `update borsello.wallet set iban = '${iban}', is_iban_validated = true
         where wallet_id = '${walletId}'`,
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
    await untilNone(async () => Number((await survivor.query(openTransfers))[0]?.["open"]));
    for (const account of accounts) account.cents += hearOfTransfers(account);

    expect(await survivor.query(`select * from (${rulesOfBooks}) as wrong limit 20`)).toEqual([]);
    for (const account of accounts) {
      const [found] = await survivor.query(
        `select borsello.available_cents('${account.walletId}')::int as cents,
           (select coalesce(json_agg(json_build_object('key', idempotency_key, 'id', operation_id,
              'ended', status) order by idempotency_key collate "C"), '[]')
            from borsello.operation where wallet_id = '${account.walletId}') as operations,
           (select coalesce(json_agg(json_build_object('key', idempotency_key, 'id',
              operation_group_id, 'ended', status) order by idempotency_key collate "C"), '[]')
            from borsello.operation_group where wallet_id = '${account.walletId}') as groups`,
      );
      expect(found).toEqual({ cents: account.cents, ...recordOf(account) });
    }
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
