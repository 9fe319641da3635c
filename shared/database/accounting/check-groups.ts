/** Every reconciliation group is in the state that its harvestings and payments say; stores owe the rest. */
import { z } from "zod";
import type { Book, Report } from "./book.js";

const Findings = z.array(z.object({ subject: z.string(), detail: z.string() }));
const Page = z.object({ rows: z.int(), last: z.string().nullable(), wrong: Findings });

const rowsPerPage = 2_000;

/** What is in transit to a store is what the bank was asked to pay and has not decided. */
const selectPage = `
  with page as (
    select * from borsello.reconciliation_group
    where reconciliation_id > $1::uuid order by reconciliation_id limit ${rowsPerPage}
  ), judged as (
    select reconciliation_id, case
      when audited.to_status <> page.status
        then 'it is ' || page.status || ', and was last audited as ' || audited.to_status
      when moved.foreign_cents <> 0
        then moved.foreign_cents || ' cents of its entries lie on another store''s account'
      when moved.transit_cents <> asked.paying_cents
        then moved.transit_cents || ' cents of it are in transit, the bank is asked to pay '
          || asked.paying_cents
      when (page.status = 'Collecting') <> (asked.requests > 0)
        then 'it is ' || page.status || ', and ' || asked.requests
          || ' requests of it wait for the bank'
      when page.status = 'Pending' and open_cents = 0
        or page.status = 'Reconciled' and open_cents <> 0
        then 'it is ' || page.status || ' with ' || open_cents || ' cents open'
      end as detail
    from page cross join lateral (
      select coalesce(sum(amount_cents) filter (where account.kind = 'Transit'), 0) as transit_cents,
        coalesce(sum(abs(amount_cents)) filter (where account.kind = 'Store'
          and account.reference <> page.store_id::text), 0) as foreign_cents
      from borsello.ledger_transaction as t join borsello.entry using (transaction_id)
        join borsello.account using (account_id)
      where t.cause_id = page.reconciliation_id
    ) as moved cross join lateral (
      select count(*) as requests, coalesce(sum(borsello.cents(payload -> 'amount'))
        filter (where kind = 'payment'), 0) as paying_cents
      from borsello.bank_request as r
      where r.reconciliation_id = page.reconciliation_id and r.status in ('Requested', 'Accepted')
    ) as asked left join lateral (
      select to_status from borsello.audit
      where entity = 'Reconciliation' and entity_id = page.reconciliation_id::text
        and to_status is not null
      order by audit_id desc limit 1
    ) as audited on true
  )
  select (select count(*)::int from page) as rows,
    (select reconciliation_id::text from page order by reconciliation_id desc limit 1) as last,
    coalesce((
      select json_agg(json_build_object('subject', 'group ' || reconciliation_id, 'detail', detail)
        order by reconciliation_id)
      from judged where detail is not null), '[]') as wrong`;

/**
 * What its harvestings owe, what was paid of it, and what the store's account has. Where a wallet was
 * deleted for good (outside production only) the harvestings still owe what its operations had moved.
 */
const selectMismatches = `
  with emptied as (
    select store_id from borsello.audit, json_array_elements_text(detail -> 'stores') as store_id
    where entity = 'Wallet' and action = 'forceDelete'
  )
  select coalesce(json_agg(json_build_object(
    'subject', case when reconciliation_id is null then 'store ' || store_id
      else 'group ' || reconciliation_id end,
    'detail', rule || ': it says ' || expected_cents || ' cents, the entries '
      || found_cents) order by store_id, reconciliation_id), '[]') as wrong
  from borsello.store_mismatch
  where rule <> 'Balance' or store_id::text not in (select store_id from emptied)`;

const beforeAll = "00000000-0000-0000-0000-000000000000";

export const checkGroups = async (book: Book, report: Report): Promise<void> => {
  let last: string | null = beforeAll;
  while (last !== null) {
    const page: z.infer<typeof Page> = await book.row(Page, selectPage, [last]);
    for (const { subject, detail } of page.wrong) report.find(subject, detail);
    report.advance(page.rows);
    last = page.last;
  }
  const { wrong } = await book.row(z.object({ wrong: Findings }), selectMismatches);
  for (const { subject, detail } of wrong) report.find(subject, detail);
  report.advance(1);
};
