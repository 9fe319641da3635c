/** Every bank notification holds in suspense what it has not given away, and nothing else lies there. */
import { z } from "zod";
import type { Book, Report } from "./book.js";

const Findings = z.array(z.object({ subject: z.string(), detail: z.string() }));
const Page = z.object({ rows: z.int(), last: z.string().nullable(), wrong: Findings });

const rowsPerPage = 2_000;

/**
 * What lies in suspense for a notification: what it booked itself, what was sent back and bounced, what
 * operations, stores and collections drew from it, and what an operation of a closed wallet left there.
 * A bounced return may have been drawn from the notification that told of it: the two are judged as one.
 */
const selectPage = `
  with page as (
    select n.*, coalesce(sent_back.bank_notification_id, n.bank_notification_id) as root
    from borsello.bank_notification as n
      left join borsello.bank_request as sent_back
        on sent_back.request_id = n.named_request_id and sent_back.kind = 'return'
    where n.bank_notification_id > $1::uuid order by n.bank_notification_id limit ${rowsPerPage}
  ), root as (
    select root from page where root = bank_notification_id
  ), member as (
    select root, root as bank_notification_id from root
    union
    select root, n.bank_notification_id
    from root join borsello.bank_request as sent_back
        on sent_back.bank_notification_id = root and sent_back.kind = 'return'
      join borsello.bank_notification as n on n.named_request_id = sent_back.request_id
  ), family as (
    select root, n.* from member join borsello.bank_notification as n using (bank_notification_id)
  ), cause as (
    select root, transaction_id from family
      join borsello.ledger_transaction as t on t.cause_id = family.bank_notification_id
    union
    select root, transaction_id from family
      join borsello.operation as o on o.bank_notification_id = family.bank_notification_id
      join borsello.ledger_transaction as t on t.cause_id = o.operation_id
    union
    select root, transaction_id from family
      join borsello.operation as o on o.operation_id = family.operation_id
        and o.bank_notification_id is null
      join borsello.ledger_transaction as t on t.cause_id = o.operation_id
    where family.is_booked
    union
    select root, transaction_id from family
      join borsello.ledger_transaction as t on t.cause_id = family.source_operation_id
    union
    select root, transaction_id from family
      join borsello.bank_request as r on r.request_id = family.named_request_id
      join borsello.ledger_transaction as t
        on t.cause_id = r.reconciliation_id and t.occurrence = r.attempt
    where family.is_booked
  ), lying as (
    select root, sum(amount_cents) as cents,
      -- Money that the bank took back while it was on its way to the one who had sent it.
      sum(amount_cents) filter (where t.kind = 'Reversal' and t.bank_notification_id is not null)
        as taken_cents
    from cause join borsello.ledger_transaction as t using (transaction_id)
      join borsello.entry using (transaction_id) join borsello.account using (account_id)
    where account.kind = 'Suspense' group by root
  ), held as (
    select root, coalesce(sum(amount_cents - consumed_amount_cents) filter (where is_booked), 0)
        as cents,
      bool_or(is_booked and exists (select from borsello.ledger_transaction as t
        where t.cause_id = family.bank_notification_id and t.kind = 'SentBack')) as was_sent_back
    from family group by root
  ), judged as (
    select page.bank_notification_id, case
      when audited.to_status is distinct from page.status and not (audited.to_status is null
        and page.creation_date <= (select through from borsello.audit_forgotten))
        then 'it is ' || page.status || ', and was last audited as '
          || coalesce(audited.to_status, 'nothing')
      when page.status in ('Consumed', 'Rejected') and consumed_amount_cents <> amount_cents
        then 'it is ' || page.status || ' and used ' || consumed_amount_cents || ' of '
          || amount_cents || ' cents'
      when page.status = 'PartiallyConsumed'
        and consumed_amount_cents not between 1 and amount_cents - 1
        then 'it is PartiallyConsumed and used ' || consumed_amount_cents || ' of '
          || amount_cents || ' cents'
      when not is_booked and named_request_id is null and consumed_amount_cents <> (
        select coalesce(sum(o.net_amount_cents), 0) from borsello.operation as o
        where o.bank_notification_id = page.bank_notification_id)
        then 'it used ' || consumed_amount_cents || ' cents, and its operations credit others'
      when coalesce(lying.cents, 0) <> held.cents and not (
        held.was_sent_back and lying.cents - lying.taken_cents = held.cents)
        then 'it holds ' || held.cents || ' cents, and ' || coalesce(lying.cents, 0)
          || ' of it lie in suspense'
      end as detail
    from page left join held on held.root = page.bank_notification_id
      left join lying on lying.root = page.bank_notification_id
      left join lateral (
        select to_status from borsello.audit
        where entity = 'BankNotification' and entity_id = page.bank_notification_id::text
          and to_status is not null
        order by audit_id desc limit 1
      ) as audited on true
  )
  select (select count(*)::int from page) as rows,
    (select bank_notification_id::text from page order by bank_notification_id desc limit 1) as last,
    coalesce((
      select json_agg(json_build_object('subject', 'notification ' || bank_notification_id,
        'detail', detail) order by bank_notification_id)
      from judged where detail is not null), '[]') as wrong`;

/** Per partner; what was lost (see above) is the one difference that is no mistake of the books. */
const selectTotals = `
  with lying as (
    select partner_key, sum(amount_cents) as cents
    from borsello.account join borsello.entry using (account_id)
    where kind = 'Suspense' group by partner_key
  ), lost as (
    select partner_key, sum(amount_cents) as cents
    from borsello.ledger_transaction as t join borsello.entry using (transaction_id)
      join borsello.account using (account_id)
    where t.kind = 'Reversal' and t.bank_notification_id is not null and account.kind = 'Suspense'
      and exists (select from borsello.ledger_transaction as sent
        where sent.cause_id = t.bank_notification_id and sent.kind = 'SentBack')
    group by partner_key
  ), held as (
    select partner_key, sum(amount_cents - consumed_amount_cents) as cents
    from borsello.bank_notification where is_booked group by partner_key
  )
  select coalesce(json_agg(json_build_object('subject', 'suspense account of ' || partner_key,
    'detail', 'it has ' || coalesce(lying.cents, 0) || ' cents, the notifications hold '
      || coalesce(held.cents, 0)) order by partner_key), '[]') as wrong
  from lying full join held using (partner_key) left join lost using (partner_key)
  where coalesce(lying.cents, 0) <> coalesce(held.cents, 0) + coalesce(lost.cents, 0)`;

const beforeAll = "00000000-0000-0000-0000-000000000000";

export const checkNotifications = async (book: Book, report: Report): Promise<void> => {
  let last: string | null = beforeAll;
  while (last !== null) {
    const page: z.infer<typeof Page> = await book.row(Page, selectPage, [last]);
    for (const { subject, detail } of page.wrong) report.find(subject, detail);
    report.advance(page.rows);
    last = page.last;
  }
  const { wrong } = await book.row(z.object({ wrong: Findings }), selectTotals);
  for (const { subject, detail } of wrong) report.find(subject, detail);
  report.advance(1);
};
