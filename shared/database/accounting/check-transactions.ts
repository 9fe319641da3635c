/** Every ledger transaction sums to zero within one partner's books, and books what its cause says. */
import { z } from "zod";
import type { Book, Report } from "./book.js";

const Page = z.object({
  rows: z.int(),
  last: z.string().nullable(),
  wrong: z.array(z.object({ subject: z.string(), detail: z.string() })),
});

const rowsPerPage = 10_000;

/** A notification's booking is the amount that arrived: −Bank +Suspense. */
const selectPage = `
  with page as (
    select transaction_id, kind, bank_notification_id from borsello.ledger_transaction
    where transaction_id > $1::bigint order by transaction_id limit ${rowsPerPage}
  ), summed as (
    select transaction_id, page.kind, bank_notification_id, count(amount_cents) as entries,
      coalesce(sum(amount_cents), 0) as cents,
      count(distinct account.partner_key) as partners,
      coalesce(sum(amount_cents) filter (where account.kind = 'Suspense'), 0) as suspense_cents,
      coalesce(sum(amount_cents) filter (where account.kind = 'Bank'), 0) as bank_cents
    from page left join borsello.entry using (transaction_id)
      left join borsello.account using (account_id)
    group by transaction_id, page.kind, bank_notification_id
  ), judged as (
    select transaction_id, case
      when entries < 2 then 'it has ' || entries || ' entries'
      when cents <> 0 then 'its entries sum to ' || cents || ' cents, not to 0'
      when partners <> 1 then 'its entries lie in the books of ' || partners || ' partners'
      when summed.kind = 'Notification'
        and (suspense_cents <> amount_cents or bank_cents <> -amount_cents)
        then 'it books ' || suspense_cents || ' cents of a notification of ' || amount_cents
      end as detail
    from summed left join borsello.bank_notification using (bank_notification_id)
  )
  select (select count(*)::int from page) as rows,
    (select max(transaction_id)::text from page) as last,
    coalesce((
      select json_agg(json_build_object('subject', 'transaction ' || transaction_id,
        'detail', detail) order by transaction_id)
      from judged where detail is not null), '[]') as wrong`;

/** Entries that no transaction holds together, which no page shows. */
const selectOrphans = `
  select count(*) as orphans from borsello.entry
  where not exists (
    select from borsello.ledger_transaction
    where ledger_transaction.transaction_id = entry.transaction_id)`;

export const checkTransactions = async (book: Book, report: Report): Promise<void> => {
  let last: string | null = "0";
  while (last !== null) {
    const page: z.infer<typeof Page> = await book.row(Page, selectPage, [last]);
    for (const { subject, detail } of page.wrong) report.find(subject, detail);
    report.advance(page.rows);
    last = page.last;
  }
  const { orphans } = await book.row(z.object({ orphans: z.bigint() }), selectOrphans);
  if (orphans > 0n) report.find("entries", `${orphans} of them belong to no transaction`);
};
