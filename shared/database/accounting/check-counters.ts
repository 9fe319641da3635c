/** Every counter says what the rows say: operations by status, wallets and their funds, days. */
import { z } from "zod";
import type { Book, Report } from "./book.js";

const Wrong = z.object({
  wrong: z.array(z.object({ subject: z.string(), detail: z.string() })),
});

const walletCounts = [
  "active",
  "suspended",
  "closed",
  "active_unused",
  "suspended_unused",
  "closed_unused",
  "iban_validated",
  "iban_pending",
  "iban_absent",
  "available_cents",
] as const;

/** Kept and counted side by side: rows `subject`, `kept`, `counted`. */
const comparisons = [
  `with kept as (
     select partner_key, type, status, sum(operations) as rows
     from borsello.operation_count group by 1, 2, 3
   ), counted as (
     select partner_key, type, status, count(*) as rows from borsello.operation
     where wallet_id is not null group by 1, 2, 3
   )
   select concat_ws(' ', partner_key, type, status) as subject, coalesce(kept.rows, 0) as kept,
     coalesce(counted.rows, 0) as counted
   from kept full join counted using (partner_key, type, status)`,
  `with kept as (
     select partner_key, dealer_key, ${walletCounts.map((name) => `sum(${name}) as ${name}`).join(", ")}
     from borsello.wallet_count group by 1, 2
   )
   select concat_ws(' ', partner_key, dealer_key, name) as subject, coalesce(k, 0) as kept,
     coalesce(c, 0) as counted
   from kept full join borsello.wallet_count_of_wallets as counted using (partner_key, dealer_key),
     lateral (values ${walletCounts.map((name) => `('${name}', kept.${name}, counted.${name})`).join(", ")})
       as pair (name, k, c)`,
  `with kept as (
     select partner_key, day, sum(wallets) as wallets from borsello.wallet_day group by 1, 2
   ), counted as (
     select partner_key, (creation_date at time zone 'UTC')::date as day, count(*) as wallets
     from borsello.wallet group by 1, 2
   )
   select concat_ws(' ', partner_key, 'wallets of', day) as subject,
     coalesce(kept.wallets, 0) as kept, coalesce(counted.wallets, 0) as counted
   from kept full join counted using (partner_key, day)`,
] as const;

export const checkCounters = async (book: Book, report: Report): Promise<void> => {
  for (const comparison of comparisons) {
    const { wrong } = await book.row(
      Wrong,
      `select coalesce(json_agg(json_build_object('subject', 'counter of ' || subject,
         'detail', 'it says ' || kept || ', the rows say ' || counted) order by subject)
         filter (where kept <> counted), '[]') as wrong
       from (${comparison}) as compared`,
    );
    for (const { subject, detail } of wrong) report.find(subject, detail);
    report.advance(1);
  }
};
