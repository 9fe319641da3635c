/** Every reconciliation group is in the state that its harvestings and payments say; stores owe the rest. */
import { z } from "zod";
import type { Book, Report } from "./book.js";

const Findings = z.array(z.object({ subject: z.string(), detail: z.string() }));
const Page = z.object({ rows: z.int(), last: z.string().nullable(), wrong: Findings });

const rowsPerPage = 2_000;

/** A collection or a payment that is out is a request that the bank has not decided. */
const selectPage = `
  with page as (
    select * from borsello.reconciliation_group
    where reconciliation_id > $1::uuid order by reconciliation_id limit ${rowsPerPage}
  ), judged as (
    select reconciliation_id, case
      when harvested.cents <> owed_to_store_cents
        then 'its harvestings owe the store ' || harvested.cents || ' cents, not '
          || owed_to_store_cents
      when own.store_cents + paid.cents <> settled_cents
        then 'it says that ' || settled_cents || ' cents were paid, its entries '
          || own.store_cents + paid.cents
      when own.foreign_cents <> 0
        then own.foreign_cents || ' cents of its entries lie on another store''s account'
      when status = 'Pending' and (open_cents = 0 or own.transit_cents <> 0)
        then 'it is Pending with ' || open_cents || ' cents open and ' || own.transit_cents
          || ' in transit'
      when status = 'Reconciled' and (open_cents <> 0 or own.transit_cents <> 0)
        then 'it is Reconciled with ' || open_cents || ' cents open and ' || own.transit_cents
          || ' in transit'
      when status = 'Collecting' and not exists (
        select from borsello.bank_request as r
        where r.reconciliation_id = page.reconciliation_id
          and r.status in ('Requested', 'Accepted'))
        then 'it is Collecting, and the bank was asked for nothing that it has not decided'
      end as detail
    from page cross join lateral (
      select coalesce(sum(case when type in ('CashWithdrawal', 'Payment') then amount_cents
        else -amount_cents end), 0) as cents
      from borsello.operation as o
      where o.reconciliation_id = page.reconciliation_id and o.wallet_id is null
    ) as harvested cross join lateral (
      select coalesce(sum(amount_cents) filter (where account.kind = 'Store'), 0) as store_cents,
        coalesce(sum(amount_cents) filter (where account.kind = 'Transit'), 0) as transit_cents,
        coalesce(sum(abs(amount_cents)) filter (where account.kind = 'Store'
          and account.reference <> page.store_id::text), 0) as foreign_cents
      from borsello.ledger_transaction as t join borsello.entry using (transaction_id)
        join borsello.account using (account_id)
      where t.cause_id = page.reconciliation_id
    ) as own cross join lateral (
      select coalesce(sum(entry.amount_cents), 0) as cents
      from borsello.reconciliation_payment as p
        join borsello.ledger_transaction as t on t.cause_id = p.bank_notification_id
          and t.kind = 'Reconciliation' and t.occurrence = p.occurrence
        join borsello.entry using (transaction_id) join borsello.account using (account_id)
      where p.reconciliation_id = page.reconciliation_id and account.kind = 'Store'
        and account.reference = page.store_id::text
    ) as paid
  )
  select (select count(*)::int from page) as rows,
    (select reconciliation_id::text from page order by reconciliation_id desc limit 1) as last,
    coalesce((
      select json_agg(json_build_object('subject', 'group ' || reconciliation_id, 'detail', detail)
        order by reconciliation_id)
      from judged where detail is not null), '[]') as wrong`;

const selectStores = `
  select coalesce(json_agg(json_build_object('subject', 'store ' || store_id, 'detail', detail)
    order by store_id), '[]') as wrong
  from borsello.store_mismatch`;

const beforeAll = "00000000-0000-0000-0000-000000000000";

export const checkGroups = async (book: Book, report: Report): Promise<void> => {
  let last: string | null = beforeAll;
  while (last !== null) {
    const page: z.infer<typeof Page> = await book.row(Page, selectPage, [last]);
    for (const { subject, detail } of page.wrong) report.find(subject, detail);
    report.advance(page.rows);
    last = page.last;
  }
  const { wrong } = await book.row(z.object({ wrong: Findings }), selectStores);
  for (const { subject, detail } of wrong) report.find(subject, detail);
};
