/** The bank's statements: kept once, listed, and laid beside the ledger's bank account. */
import { z } from "zod";
import {
  BankStatement,
  differencesMax,
  ReconciledBankStatement,
} from "../../contracts/accounting/bank-statements.js";
import type { Page, Paginated } from "../../contracts/pages.js";
import type { DateRange } from "../../domain/date-range.js";
import type { Queryable } from "../platform/database.js";
import { readPage } from "../platform/pages.js";

export interface FreshStatement {
  readonly iban: string;
  readonly reference: string;
  readonly fromDay: string;
  readonly toDay: string;
  readonly openingCents: bigint;
  readonly closingCents: bigint;
}

const Kept = z.object({ statementId: z.uuid() });

/** The statement's id; undefined: the bank sent it before. Whose account nobody has, is the operators'. */
export const keepStatement = async (
  tx: Queryable,
  { iban, reference, fromDay, toDay, openingCents, closingCents }: FreshStatement,
): Promise<string | undefined> =>
  (
    await tx.row(
      Kept,
      `insert into borsello.bank_statement
         (partner_key, iban, reference, from_date, to_date, opening_cents, closing_cents)
       values (coalesce(borsello.collecting_partner($1),
           (select min(partner_key) from borsello.partner
            where borsello.account_key(settings #>> '{settlement,safeguardingAccount}') = $1
            having count(*) = 1), borsello.operating_partner()),
         $1, $2, $3::date, $4::date, $5::bigint, $6::bigint)
       on conflict (iban, reference, to_date) do nothing
       returning statement_id as "statementId"`,
      [iban, reference.slice(0, 255), fromDay, toDay, openingCents, closingCents],
    )
  )?.statementId;

export interface KeptEntry {
  readonly line: number;
  /** Decimal digits; credits are positive. */
  readonly cents: string;
  readonly bookingDate: string;
  readonly requestId: string | null;
  readonly gatewayReference: string | null;
  readonly reference: string | null;
  readonly name: string | null;
  readonly iban: string | null;
  readonly reason: string;
}

export const keepStatementEntries = async (
  tx: Queryable,
  statementId: string,
  entries: readonly KeptEntry[],
): Promise<void> => {
  await tx.execute(
    `insert into borsello.bank_statement_entry (statement_id, line, cents, booking_date,
       request_id, gateway_reference, reference, name, iban, reason)
     select $1, line, cents, "bookingDate", "requestId", "gatewayReference", reference, name, iban,
       reason
     from json_to_recordset($2::json) as e (line integer, cents bigint, "bookingDate" date,
       "requestId" uuid, "gatewayReference" text, reference text, name text, iban text, reason text)`,
    [statementId, JSON.stringify(entries)],
  );
  await tx.execute(
    "update borsello.bank_statement set entries = entries + $2 where statement_id = $1",
    [statementId, entries.length],
  );
};

const record = `'statementId', s.statement_id, 'partnerKey', s.partner_key, 'iban', s.iban,
  'reference', s.reference, 'fromDate', s.from_date::text, 'toDate', s.to_date::text,
  'openingBalance', borsello.money(s.opening_cents), 'closingBalance', borsello.money(s.closing_cents),
  'entryCount', s.entries, 'creationDate', borsello.iso(s.creation_date)`;

/** Of one partner; null: of all. */
export const listStatements = (
  database: Queryable,
  partnerKey: string | null,
  { fromDate, toDate }: DateRange,
  page: Page,
): Promise<Paginated<BankStatement>> =>
  readPage(
    database,
    {
      item: BankStatement,
      record: `json_build_object(${record})`,
      from: `borsello.bank_statement as s where ($1::text is null or partner_key = $1)
        and ($2::timestamptz is null or creation_date >= $2)
        and ($3::timestamptz is null or creation_date <= $3)`,
      order: "creation_date, statement_id",
      values: [partnerKey, fromDate, toDate],
    },
    page,
  );

/**
 * Bookings and movements are paired one to one, over all statements of the partner, in the order of their
 * days: what the bank booked twice and the ledger once has its first booking matched.
 */
const reconcile = `
  with s as (
    select * from borsello.bank_statement
    where statement_id = $1 and ($2::text is null or partner_key = $2)
  ), own as (
    select e.*, r.kind as asked from s join borsello.bank_statement_entry as e using (statement_id)
      left join borsello.bank_request as r using (request_id)
  ), booking as (
    select o.* from (select distinct request_id from own where request_id is not null) as named
      join borsello.bank_statement_entry as o using (request_id)
    union
    select o.* from (
        select distinct gateway_reference from own where gateway_reference is not null) as named
      join borsello.bank_statement_entry as o using (gateway_reference)
  ), candidate as (
    select booking.statement_id, booking.line, moved.transaction_id, moved.cents,
      row_number() over (partition by moved.transaction_id
        order by moved.cents <> booking.cents, at.to_date, booking.statement_id, booking.line) as place_of_booking,
      row_number() over (partition by booking.statement_id, booking.line
        order by moved.cents <> booking.cents, moved.transaction_id) as place_of_movement
    from booking cross join s
      join borsello.bank_statement as at
        on at.statement_id = booking.statement_id and at.partner_key = s.partner_key
      cross join lateral borsello.movements_of_entry(booking, s.partner_key) as moved
  ), paired as (
    select line, transaction_id, cents from candidate
    where place_of_booking = place_of_movement and statement_id = $1
  ), compared as (
    select own.*, paired.transaction_id, paired.cents as ledger_cents, case
        when asked = 'transfer' then 'Internal'
        when paired.line is null then 'NotInLedger'
        when paired.cents <> own.cents then 'OtherAmount'
        else 'Matched' end as found
    from own left join paired using (line)
  ), unbooked as (
    select movement.* from s, lateral borsello.movements_without_booking(s) as movement
  ), difference as (
    select found as kind, cents as bank_cents, ledger_cents, booking_date as on_day, line,
      transaction_id, request_id, reference, name, iban, reason
    from compared where found in ('NotInLedger', 'OtherAmount')
    union all
    select 'NotAtBank', null, cents, posted_on, null, transaction_id, request_id, reference, name,
      iban, reason
    from unbooked
  ), shown as (
    select * from difference order by on_day, line nulls last, transaction_id limit ${differencesMax}
  )
  select json_build_object(${record},
    'ledgerBalance', borsello.money(coalesce((
      select -sum(entry.amount_cents)::bigint from borsello.account
        join borsello.entry using (account_id)
        join borsello.ledger_transaction as t using (transaction_id)
      where account.kind = 'Bank' and account.partner_key = s.partner_key
        and borsello.rome_date(t.posted_at) <= s.to_date), 0)),
    'internalCount', (select count(*) from compared where found = 'Internal'),
    'matchedCount', (select count(*) from compared where found = 'Matched'),
    'differenceCount', (select count(*) from difference),
    'differences', coalesce((
      select json_agg(json_build_object('kind', kind, 'bankAmount', borsello.money(bank_cents),
        'ledgerAmount', borsello.money(ledger_cents), 'date', on_day::text, 'line', line,
        'transactionId', transaction_id, 'requestId', request_id, 'reference', reference,
        'name', name, 'iban', iban, 'reason', reason)
        order by on_day, line nulls last, transaction_id) from shown), '[]')) as statement
  from s`;

/** Of this partner; null: of any. */
export const reconcileStatement = async (
  database: Queryable,
  partnerKey: string | null,
  statementId: string,
): Promise<ReconciledBankStatement | undefined> =>
  (
    await database.row(z.object({ statement: ReconciledBankStatement }), reconcile, [
      statementId,
      partnerKey,
    ])
  )?.statement;
