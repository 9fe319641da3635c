-- Clearing (card seed, 2.5 and 2.6; contract 4.5): what the processor presented is cut into the files of a
-- day, imported, summed by affiliate, and written into the affiliates' files.

-- A presentment or a fee, as the processor's event told it: once each, however often it is told.
create table borsello.clearing_item (
  item_no bigint generated always as identity primary key,
  type text not null check (type in ('CLEARINGMULTISCHEME', 'FEEMULTISCHEME')),
  -- The processor's presentmentId or feeId.
  item_id text not null,
  -- One line of JSON: the very text that stands in the processor's file, and that its hash is made of.
  record text not null,
  partner_key text not null references borsello.partner,
  -- Of a presentment: the transaction that it is or settles, and when that was authorised (null: never).
  transaction_id text,
  authorised_at timestamptz,
  received_at timestamptz not null default borsello.platform_now(),
  -- The file that it was cut into, and its place there; null: it waits for one.
  incoming_clearing_id uuid,
  ordinal bigint,
  constraint clearing_item_once unique (type, item_id),
  constraint clearing_item_placed check ((incoming_clearing_id is null) = (ordinal is null))
);
create index clearing_item_waiting on borsello.clearing_item (type, item_no)
  where incoming_clearing_id is null;
create unique index clearing_item_of_file on borsello.clearing_item (incoming_clearing_id, ordinal)
  where incoming_clearing_id is not null;

-- One day of an issuer.
create table borsello.clearing_bookmark (
  clearing_bookmark_id uuid primary key default uuidv7(),
  issuer_key text not null,
  clearing_date date not null,
  status text not null default 'Queued' check (status in
    ('Queued', 'Importing', 'Aggregating', 'Exporting', 'Completed', 'Failed')),
  -- How far it was asked to go.
  mode text not null check (mode in ('Full', 'ImportOnly', 'ExportOnly')),
  -- Whose files were asked for; null: everybody's.
  affiliate_keys text[],
  -- Exporting, and nothing goes on by itself: it waits for somebody to ask for its files.
  is_resting boolean not null default false,
  -- Counts what it was asked for: each time has a flow of its own.
  round integer not null default 1,
  -- Tries of this round.
  attempts integer not null default 0,
  feedback text,
  -- Queued: not before.
  due_at timestamptz not null default borsello.platform_now(),
  creation_date timestamptz not null default borsello.platform_now(),
  last_update_date timestamptz,
  start_date timestamptz,
  end_date timestamptz,
  version bigint not null default 1,
  constraint clearing_bookmark_once unique (clearing_date, issuer_key),
  constraint clearing_bookmark_rests check (not is_resting or status = 'Exporting')
);
create index clearing_bookmark_by_date
  on borsello.clearing_bookmark (issuer_key, clearing_date, clearing_bookmark_id);
-- Those whose flow must run, for the sweep.
create index clearing_bookmark_open on borsello.clearing_bookmark (clearing_bookmark_id)
  where status in ('Queued', 'Importing', 'Aggregating', 'Exporting') and not is_resting;

-- A file of the processor's, of one day and type.
create table borsello.incoming_clearing (
  incoming_clearing_id uuid primary key default uuidv7(),
  clearing_bookmark_id uuid not null references borsello.clearing_bookmark,
  type text not null check (type in ('CLEARINGMULTISCHEME', 'FEEMULTISCHEME')),
  -- 1, and one more for each file that replaces one that was deleted.
  file_sequence_number integer not null,
  file_name text not null,
  -- What its header declares; null: it was not opened yet.
  records_in_file bigint,
  sha256 bytea check (octet_length(sha256) = 32),
  -- What was found in it.
  available_records bigint not null default 0,
  readable_records bigint not null default 0,
  is_verified boolean not null default false,
  -- So many of its records have their row in clearing_record.
  imported_records bigint not null default 0,
  feedback text,
  creation_date timestamptz not null default borsello.platform_now(),
  last_update_date timestamptz,
  -- Deleted: no list shows it. What it took is given back page by page, until it is empty.
  deletion_date timestamptz,
  is_emptied boolean not null default false
);
create unique index incoming_clearing_once on borsello.incoming_clearing (clearing_bookmark_id, type)
  where deletion_date is null;
create index incoming_clearing_to_empty on borsello.incoming_clearing (clearing_bookmark_id)
  where deletion_date is not null and not is_emptied;

-- A record as it was cleared; everything that the affiliate's file shows of it, so that a file that is
-- written twice has the same bytes.
create table borsello.clearing_record (
  incoming_clearing_id uuid not null references borsello.incoming_clearing,
  -- Its place in the processor's file.
  ordinal bigint not null,
  clearing_bookmark_id uuid not null,
  type text not null,
  partner_key text not null,
  -- The processor's presentmentId or feeId.
  item_id text not null,
  card_id uuid not null,
  account_id uuid not null,
  customer_id uuid not null,
  pan_token text,
  kind text not null check (kind in ('Debit', 'DebitReversal', 'Credit', 'CreditReversal')),
  is_euro_zone boolean not null,
  -- Of a fee 0: all of it is its fee.
  amount_cents bigint not null check (amount_cents >= 0),
  fee_cents bigint not null check (fee_cents >= 0),
  interchange_deduction_cents bigint not null check (interchange_deduction_cents >= 0),
  fee_deduction_cents bigint not null check (fee_deduction_cents >= 0),
  currency text not null,
  transaction_id text,
  -- As the processor codes it (card seed, 2.7).
  transaction_type integer,
  is_reversal boolean not null,
  transaction_date timestamptz,
  authorised_at timestamptz,
  received_at timestamptz not null,
  merchant_name text,
  merchant_country text,
  mcc integer,
  fee_type text,
  fee_code text,
  fee_description text,
  primary key (incoming_clearing_id, ordinal)
);
-- A record is cleared once, whatever day.
create unique index clearing_record_once on borsello.clearing_record (type, item_id);
-- In the order of its affiliate's file.
create unique index clearing_record_of_affiliate
  on borsello.clearing_record (clearing_bookmark_id, type, partner_key, ordinal);

-- What an affiliate gets of a day: a row, and a file, only where it has records.
create table borsello.outgoing_clearing (
  outgoing_clearing_id uuid primary key default uuidv7(),
  clearing_bookmark_id uuid not null references borsello.clearing_bookmark,
  partner_key text not null references borsello.partner,
  type text not null check (type in ('CLEARINGMULTISCHEME', 'FEEMULTISCHEME')),
  file_name text not null,
  available_records bigint not null check (available_records > 0),
  creation_date timestamptz not null default borsello.platform_now(),
  last_update_date timestamptz,
  -- Its file: which writing of it counts, where it lies, what was written. Delivered: it may be fetched.
  attempt integer not null default 0,
  document_key text,
  byte_count bigint,
  sha256 bytea check (octet_length(sha256) = 32),
  written_records bigint,
  delivered_at timestamptz,
  constraint outgoing_clearing_once unique (clearing_bookmark_id, type, partner_key)
);

-- The sums of an incoming or outgoing clearing: a row for each kind and zone that has records.
create table borsello.clearing_sum (
  clearing_id uuid not null,
  kind text not null check (kind in ('Debit', 'DebitReversal', 'Credit', 'CreditReversal')),
  is_euro_zone boolean not null,
  records bigint not null,
  interchange_cents bigint not null,
  fee_cents bigint not null,
  interchange_deduction_cents bigint not null default 0,
  fee_deduction_cents bigint not null default 0,
  primary key (clearing_id, kind, is_euro_zone)
);

-- A file of the source that cuts what waits into files: what its header declares.
create table borsello.clearing_source_file (
  incoming_clearing_id uuid primary key,
  records bigint not null,
  sha256 bytea not null check (octet_length(sha256) = 32),
  made_at timestamptz not null default borsello.platform_now()
);

-- A percentage of cents, half up; cents are not negative.
create function borsello.clearing_share(cents bigint, percent numeric) returns bigint
language sql immutable parallel safe
return case when percent = 0 then 0 else round(cents * percent / 100)::bigint end;

-- What an affiliate's clearings are reduced by (partner setting cards.deductions).
create function borsello.clearing_percents(
  of_partner text, out interchange numeric, out fee numeric
)
language sql stable
begin atomic
  select coalesce((settings #>> '{cards,deductions,interchangePercent}')::numeric, 0),
    coalesce((settings #>> '{cards,deductions,feePercent}')::numeric, 0)
  from borsello.partner where partner_key = of_partner;
end;

-- The amounts and counts of an incoming or outgoing clearing, by kind and zone (card seed, 2.6).
create function borsello.clearing_figures(of_clearing uuid) returns json
language sql stable
return (
  select json_object_agg(field, value order by place, kind_no, zone_no)
  from (values ('Debit', 'debits', 1), ('DebitReversal', 'debitReversals', 2),
      ('Credit', 'credits', 3), ('CreditReversal', 'creditReversals', 4)) as k (kind, plural, kind_no)
    cross join (values ('EuroZone', true, 1), ('NonEuroZone', false, 2)) as z (zone, is_euro_zone, zone_no)
    left join borsello.clearing_sum as s
      on s.clearing_id = of_clearing and s.kind = k.kind and s.is_euro_zone = z.is_euro_zone
    cross join lateral (values
      ('interchange' || k.kind || 'Amount' || zone, borsello.money(coalesce(interchange_cents, 0)), 1),
      ('fee' || k.kind || 'Amount' || zone, borsello.money(coalesce(fee_cents, 0)), 2),
      (plural || 'Count' || zone, coalesce(records, 0), 3)) as f (field, value, place)
);

create function borsello.clearing_deductions(of_clearing uuid) returns json
language sql stable
return (
  select json_object_agg(field, borsello.money(cents) order by place, kind_no, zone_no)
  from (values ('Credit', 1), ('CreditReversal', 2), ('Debit', 3), ('DebitReversal', 4)) as k (kind, kind_no)
    cross join (values ('EuroZone', true, 1), ('NonEuroZone', false, 2)) as z (zone, is_euro_zone, zone_no)
    left join borsello.clearing_sum as s
      on s.clearing_id = of_clearing and s.kind = k.kind and s.is_euro_zone = z.is_euro_zone
    cross join lateral (values
      ('deduction' || k.kind || zone, coalesce(interchange_deduction_cents, 0), 1),
      ('deductionFee' || k.kind || zone, coalesce(fee_deduction_cents, 0), 2)) as f (field, cents, place)
);

create function borsello.incoming_clearing_record(
  i borsello.incoming_clearing, b borsello.clearing_bookmark
) returns json
language sql stable
return borsello.json_joined(json_build_object(
  'incomingClearingId', i.incoming_clearing_id, 'clearingBookmarkId', i.clearing_bookmark_id,
  'clearingDate', b.clearing_date, 'type', i.type, 'fileName', i.file_name,
  'recordsInFile', coalesce(i.records_in_file, 0), 'availableRecordsInFile', i.available_records,
  'readableRecordsInFile', i.readable_records, 'fileSequenceNumber', i.file_sequence_number,
  'fileVersion', '1.0', 'fileType', 'JSONL', 'isFinalFile', true, 'isFileVerified', i.is_verified,
  'feedback', i.feedback, 'creationDate', borsello.iso(i.creation_date),
  'lastUpdateDate', borsello.iso(i.last_update_date), 'issuerKey', b.issuer_key),
  borsello.clearing_figures(i.incoming_clearing_id));

create function borsello.outgoing_clearing_record(
  o borsello.outgoing_clearing, b borsello.clearing_bookmark
) returns json
language sql stable
return borsello.json_joined(borsello.json_joined(json_build_object(
  'outgoingClearingId', o.outgoing_clearing_id, 'clearingBookmarkId', o.clearing_bookmark_id,
  'issuerKey', b.issuer_key, 'affiliateKey', o.partner_key, 'clearingDate', b.clearing_date,
  'type', o.type, 'fileName', o.file_name, 'creationDate', borsello.iso(o.creation_date),
  'lastUpdateDate', borsello.iso(o.last_update_date), 'availableRecords', o.available_records),
  borsello.clearing_figures(o.outgoing_clearing_id)),
  borsello.clearing_deductions(o.outgoing_clearing_id));

-- With the sums of its files, as far as they were read.
create function borsello.clearing_bookmark_record(b borsello.clearing_bookmark) returns json
language sql stable
return borsello.json_joined(json_build_object(
  'clearingBookmarkId', b.clearing_bookmark_id, 'clearingDate', b.clearing_date,
  'status', b.status, 'feedback', b.feedback, 'attempts', b.attempts,
  'creationDate', borsello.iso(b.creation_date), 'lastUpdateDate', borsello.iso(b.last_update_date),
  'startDate', borsello.iso(b.start_date), 'endDate', borsello.iso(b.end_date),
  'issuerKey', b.issuer_key),
  (select json_object_agg(field, borsello.money(cents) order by place, kind_no)
   from (
     select kind_no, kind, coalesce(sum(interchange_cents), 0) as interchange_cents,
       coalesce(sum(s.fee_cents), 0) as fee_cents
     from (values ('Debit', 1), ('DebitReversal', 2), ('Credit', 3), ('CreditReversal', 4))
         as k (of_kind, kind_no)
       cross join lateral (select of_kind as kind) as named
       left join (
         select sums.kind, sums.interchange_cents, sums.fee_cents
         from borsello.incoming_clearing as i
           join borsello.clearing_sum as sums on sums.clearing_id = i.incoming_clearing_id
         where i.clearing_bookmark_id = b.clearing_bookmark_id and i.deletion_date is null
       ) as s using (kind)
     group by kind_no, kind
   ) as total
     cross join lateral (values
       ('interchange' || kind || 'Amount', interchange_cents::bigint, 1),
       ('fee' || kind || 'Amount', fee_cents::bigint, 2)) as f (field, cents, place)));

-- Runs of every flow; a clearing's run is about its bookmark and ends with it.
alter table borsello.flow_run
  drop constraint flow_run_flow_check,
  add constraint flow_run_flow_check check (flow in ('Harvestings', 'AccountingOperations',
    'BankNotifications', 'MandateDepositRequest', 'StoreMandates', 'SddStoresCompensation',
    'Clearing', 'ClearingExport', 'ThreeDsCleanup'));
create index flow_run_of_clearing on borsello.flow_run (subject_id)
  where flow in ('Clearing', 'ClearingExport') and status in ('Queued', 'Running');

-- A bookmark that moved on: its audit row and, where it has come to an end or a rest, the end of the runs
-- that asked for it.
create function borsello.record_clearing_change(
  b borsello.clearing_bookmark, by_actor text, of_action text, before text
) returns void
language plpgsql volatile as $$
begin
  insert into borsello.audit (actor, entity, entity_id, action, from_status, to_status, detail)
  values (by_actor, 'ClearingBookmark', b.clearing_bookmark_id::text, of_action, before, b.status,
    json_build_object('mode', b.mode, 'attempts', b.attempts, 'feedback', b.feedback));
  if b.status = 'Importing' then
    update borsello.flow_run
    set status = 'Running', started_at = coalesce(started_at, borsello.platform_now())
    where subject_id = b.clearing_bookmark_id and flow in ('Clearing', 'ClearingExport')
      and status in ('Queued', 'Running');
  elsif b.status in ('Completed', 'Failed') or b.is_resting then
    update borsello.flow_run
    set status = case when b.status = 'Failed' then 'Failed' else 'Completed' end,
      started_at = coalesce(started_at, borsello.platform_now()),
      ended_at = borsello.platform_now(),
      failures = (b.status = 'Failed')::integer,
      items = (select coalesce(sum(imported_records), 0) from borsello.incoming_clearing
        where clearing_bookmark_id = b.clearing_bookmark_id and deletion_date is null)
    where subject_id = b.clearing_bookmark_id and flow in ('Clearing', 'ClearingExport')
      and status in ('Queued', 'Running');
  end if;
end $$;
