/** Holds the books against what customers wrote down themselves: each command once, each cent where it belongs. */
import { expect } from "vitest";
import { untilNone } from "../platform/progress.js";
import { rulesOfBooks } from "./books.js";
import { hearOfTransfers, type Account } from "./customer-load.js";

type Query = (text: string) => Promise<readonly Record<string, unknown>[]>;

const recordOf = ({ operations, groups }: Account) => ({
  operations: [...operations]
    .map(([key, { operationId, ended }]) => ({ key, id: operationId, ended }))
    .sort((one, other) => (one.key < other.key ? -1 : 1)),
  groups: [...groups]
    .map(([key, { operationGroupId, ended }]) => ({ key, id: operationGroupId, ended }))
    .sort((one, other) => (one.key < other.key ? -1 : 1)),
});

const openTransfers = `
  select count(*)::int as open from borsello.operation
  where type = 'SctWithdrawal' and confirmation_date is not null
    and status not in ('Completed', 'OutgoingPaymentRejected')`;

/** Once settlement has been asked for: until the bank has answered for every withdrawal by transfer. */
export const untilSettled = (query: Query): Promise<void> =>
  untilNone(async () => Number((await query(openTransfers))[0]?.["open"]));

/** What came in without an idempotency key is the bank's transfers: they are no command of the customer's. */
export const judgeAccounts = async (query: Query, accounts: readonly Account[]): Promise<void> => {
  for (const account of accounts) account.cents += hearOfTransfers(account);
  expect(await query(`select * from (${rulesOfBooks}) as wrong limit 20`)).toEqual([]);
  for (const account of accounts) {
    const [found] = await query(
      `select borsello.available_cents('${account.walletId}')::int as cents,
         (select coalesce(json_agg(json_build_object('key', idempotency_key, 'id', operation_id,
            'ended', status) order by idempotency_key collate "C"), '[]')
          from borsello.operation
          where wallet_id = '${account.walletId}' and bank_notification_id is null) as operations,
         (select coalesce(json_agg(json_build_object('key', idempotency_key, 'id',
            operation_group_id, 'ended', status) order by idempotency_key collate "C"), '[]')
          from borsello.operation_group where wallet_id = '${account.walletId}') as groups`,
    );
    expect(found).toEqual({ cents: account.cents, ...recordOf(account) });
  }
};
