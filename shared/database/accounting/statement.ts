/** A wallet's movements of a period, read a page at a time: a stream holds no connection. */
import { z } from "zod";
import {
  withBalances,
  type Period,
  type StatementHead,
  type StatementLine,
} from "../../domain/ledger/statement.js";
import { success, type Outcome } from "../../domain/outcome.js";
import { readOwned, type Reader, type WalletRefusal } from "../access/wallet-access.js";
import type { Queryable } from "../platform/database.js";

const Head = z.object({
  partnerKey: z.string(),
  holder: z.string(),
  accountIds: z.array(z.string()),
  openingCents: z.bigint(),
  closingCents: z.bigint(),
  movements: z.bigint(),
  lastId: z.bigint(),
});

const selectHead = `
  with moved as (
    select transaction_id, posted_at, amount_cents
    from borsello.bucket join borsello.entry using (account_id)
      join borsello.ledger_transaction using (transaction_id)
    where wallet_id = $1
  ), summed as (
    select coalesce(sum(amount_cents) filter (where posted_at < $2), 0)::bigint as "openingCents",
      coalesce(sum(amount_cents) filter (where posted_at <= $3), 0)::bigint as "closingCents",
      count(distinct transaction_id) filter (where posted_at between $2 and $3) as movements,
      coalesce(max(transaction_id), 0) as "lastId"
    from moved
  )
  select partner_key as "partnerKey", first_name || ' ' || last_name as holder,
    array(select account_id from borsello.bucket where wallet_id = $1) as "accountIds", summed.*
  from borsello.wallet, summed where wallet_id = $1`;

export interface Statement {
  readonly head: StatementHead;
  /** In the order in which they were posted; no page is empty. */
  readonly pages: () => AsyncGenerator<readonly StatementLine[]>;
}

const Movement = z.object({
  transactionId: z.string(),
  date: z.iso.datetime().transform((text) => new Date(text)),
  kind: z.string(),
  operationId: z.string().nullable(),
  type: z.string().nullable(),
  description: z.string().nullable(),
  store: z.string().nullable(),
  changeCents: z.string().transform(BigInt),
  feeCents: z.string().transform(BigInt),
});

const Page = z.object({ lastId: z.bigint().nullable(), movements: z.array(Movement) });

const movementsPerPage = 500;

/**
 * The metadata of operations that are born without a call are the platform's own words: they name what
 * a credit comes from.
 *
 * The next transactions are taken before the dates are looked at, so that each page costs the same.
 * Whoever moves a wallet's funds holds its row: its transactions are numbered as they commit, so
 * none can appear later among those up to the last one that the head saw.
 */
const selectPage = `
  with next as (
    select distinct transaction_id
    from unnest($1::bigint[]) as own (account_id) cross join lateral (
      select transaction_id from borsello.entry
      where entry.account_id = own.account_id and transaction_id > $2 and transaction_id <= $3
      order by transaction_id limit ${movementsPerPage}
    ) as entry
    order by transaction_id limit ${movementsPerPage}
  ), moved as (
    select transaction_id, posted_at, kind, operation_id, (
        select sum(amount_cents)::text from borsello.entry
        where entry.transaction_id = next.transaction_id and account_id = any($1)
      ) as change_cents, (
        select coalesce(sum(amount_cents), 0)::text
        from borsello.entry join borsello.account using (account_id)
        where entry.transaction_id = next.transaction_id and account.kind = 'Fees'
      ) as fee_cents
    from next join borsello.ledger_transaction using (transaction_id)
    where posted_at between $4 and $5
  )
  select (select max(transaction_id) from next) as "lastId", coalesce((
    select json_agg(json_build_object(
      'transactionId', transaction_id::text, 'date', borsello.iso(moved.posted_at),
      'kind', moved.kind, 'operationId', moved.operation_id, 'type', o.type,
      'description', case
        when o.type = 'SctWithdrawal' then concat_ws(' ', case
          when o.idempotency_key is null and o.metadata ->> 'reason' = 'Closing' then 'Closing:' end,
          o.creditor_name, o.creditor_iban)
        when o.type = 'SddDeposit' then nullif(concat_ws(': ',
          mandate.mandate_unique_reference, case when moved.kind = 'Reversal' then o.feedback end), '')
        when sent_back.operation_id is not null
          then concat_ws(' ', 'Returned:', sent_back.creditor_name, sent_back.creditor_iban)
        when credit.bank_notification_id is not null
          then concat_ws(': ', credit.debtor_name, nullif(credit.reason, ''))
        end,
      'store', store.name, 'changeCents', change_cents, 'feeCents', fee_cents
    ) order by transaction_id)
    from moved left join borsello.operation as o using (operation_id)
      left join borsello.store on store.store_id = o.store_id
      left join borsello.operation as sent_back
        on sent_back.operation_id = case when o.type = 'SctStandardDeposit'
          then (o.metadata ->> 'returnOf')::uuid end
      left join borsello.mandate
        on mandate.mandate_id = case when o.type = 'SddDeposit'
          then (o.metadata ->> 'mandateId')::uuid end
      left join borsello.bank_notification as credit
        on credit.bank_notification_id = o.bank_notification_id), '[]') as movements`;

export const findStatement = async (
  database: Queryable,
  reader: Reader,
  walletId: string,
  { fromDate, toDate }: Period,
): Promise<Outcome<Statement, WalletRefusal>> => {
  const row = await database.row(Head, selectHead, [walletId, fromDate, toDate]);
  const found = readOwned(row, reader, walletId);
  if (!found.ok) return found;
  const { holder, accountIds, openingCents, closingCents, movements, lastId } = found.value;
  async function* pages(): AsyncGenerator<readonly StatementLine[]> {
    let balance = openingCents;
    for (let after: bigint | null = 0n; after !== null;) {
      const values: unknown[] = [accountIds, after, lastId, fromDate, toDate];
      const page: z.infer<typeof Page> | undefined = await database.row(Page, selectPage, values);
      const lines = withBalances(balance, page?.movements ?? []);
      balance = lines.at(-1)?.balanceCents ?? balance;
      if (lines.length > 0) yield lines;
      after = page?.lastId ?? null;
    }
  }
  const head = {
    walletId,
    holder,
    fromDate,
    toDate,
    openingCents,
    closingCents,
    movements: Number(movements),
  };
  return success({ head, pages });
};
