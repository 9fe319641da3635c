/** Every bucket's balance is the sum of its entries, covers what is held, and is the wallet's own. */
import { z } from "zod";
import type { Book, Report } from "./book.js";

const Page = z.object({
  rows: z.int(),
  last: z.string().nullable(),
  wrong: z.array(z.object({ subject: z.string(), detail: z.string() })),
});

const rowsPerPage = 2_000;

/**
 * Only a collection that the bank takes back may bring a bucket of standard funds below zero, or
 * below what is held of it (contract 4.3), and by no more than was collected.
 */
const selectPage = `
  with page as (
    select * from borsello.bucket where bucket_id > $1::uuid order by bucket_id limit ${rowsPerPage}
  ), judged as (
    select page.bucket_id, case
      when balance_cents <> replayed_cents
        then 'its balance is ' || balance_cents || ' cents, its entries sum to ' || replayed_cents
      when account.kind <> 'Bucket' or account.reference <> page.bucket_id::text
        or account.partner_key <> page.partner_key
        then 'its account is ' || account.kind || ' ' || account.reference || ' of '
          || account.partner_key
      when wallet.partner_key <> page.partner_key
        then 'it is ' || page.partner_key || '''s, its wallet is ' || wallet.partner_key || '''s'
      when held_cents < 0 then held_cents || ' cents are held of it'
      when balance_cents - held_cents < 0 and balance_cents - held_cents < (
        select coalesce(sum(entry.amount_cents), 0)
        from borsello.entry join borsello.ledger_transaction using (transaction_id)
          join borsello.operation using (operation_id)
        where entry.account_id = page.account_id and ledger_transaction.kind = 'Reversal'
          and operation.type = 'SddDeposit' and page.funds_type = 'Standard')
        then 'it has ' || balance_cents || ' cents, of which ' || held_cents || ' are held'
      end as detail
    from page join borsello.account using (account_id)
      join borsello.wallet using (wallet_id)
      cross join lateral (
        select coalesce(sum(amount_cents), 0) as replayed_cents from borsello.entry
        where entry.account_id = page.account_id
      ) as replayed
      cross join lateral (
        select coalesce(sum(borsello.held_cents(o)), 0) as held_cents
        from borsello.operation as o
        where o.wallet_id = page.wallet_id and o.bucket_id = page.bucket_id
          and (o.status = 'Initialized' or (o.type = 'Payment' and o.fees_amount_cents > 0))
          and not o.income
      ) as held
  )
  select (select count(*)::int from page) as rows,
    (select bucket_id::text from page order by bucket_id desc limit 1) as last,
    coalesce((
      select json_agg(json_build_object('subject', 'bucket ' || bucket_id, 'detail', detail)
        order by bucket_id)
      from judged where detail is not null), '[]') as wrong`;

const beforeAll = "00000000-0000-0000-0000-000000000000";

export const checkBuckets = async (book: Book, report: Report): Promise<void> => {
  let last: string | null = beforeAll;
  while (last !== null) {
    const page: z.infer<typeof Page> = await book.row(Page, selectPage, [last]);
    for (const { subject, detail } of page.wrong) report.find(subject, detail);
    report.advance(page.rows);
    last = page.last;
  }
};
