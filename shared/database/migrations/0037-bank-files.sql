-- The bank by files of ISO 20022 (setting BANK_CHANNEL): which order is in which file to it, which of its
-- files were read, and its statements beside the ledger's bank account.

-- A file to the bank. Claimed: its orders are fixed. Releasing: it is written, under a name that the bank
-- does not look at. Released: it was renamed. Each step happens once, whoever is killed in between.
create table borsello.bank_order_file (
  file_id uuid primary key default uuidv7(),
  message text not null check (message in ('creditTransfers', 'directDebits')),
  partner_key text not null references borsello.partner,
  -- The partner's side: name, IBAN, of collections the creditor identifier.
  account jsonb not null,
  day date not null,
  status text not null default 'Claimed' check (status in ('Claimed', 'Releasing', 'Released')),
  -- Which writing of the file is the one that counts.
  attempt integer not null default 0,
  created_at timestamptz not null default borsello.platform_now(),
  released_at timestamptz
);
create index bank_order_file_open on borsello.bank_order_file (file_id) where status <> 'Released';

-- What is asked of the bank by file, as it was when it was asked: a request is in one file and no more.
create table borsello.bank_order (
  request_id uuid primary key references borsello.bank_request on delete cascade,
  message text not null check (message in ('creditTransfers', 'directDebits')),
  partner_key text not null references borsello.partner,
  account jsonb not null,
  -- The first day on which the bank may do it.
  day date not null,
  content json not null,
  file_id uuid references borsello.bank_order_file
);
create index bank_order_waiting on borsello.bank_order (request_id) where file_id is null;
create index bank_order_by_file on borsello.bank_order (file_id, request_id)
  where file_id is not null;

-- Puts orders that wait into a file: those of one partner, account and day, at most so many. Null: none
-- waits. A day that has passed is today, the next day on which banks work.
create function borsello.claim_order_file(today date, orders_max integer) returns uuid
language plpgsql volatile as $$
declare
  first borsello.bank_order;
  fresh uuid;
begin
  select * into first from borsello.bank_order where file_id is null
  order by request_id limit 1 for update skip locked;
  if first.request_id is null then return null; end if;
  insert into borsello.bank_order_file (message, partner_key, account, day)
  values (first.message, first.partner_key, first.account, greatest(first.day, today))
  returning file_id into fresh;
  with taken as materialized (
    select request_id from borsello.bank_order
    where file_id is null and message = first.message and partner_key = first.partner_key
      and account = first.account and greatest(day, today) = greatest(first.day, today)
    order by request_id limit orders_max for update skip locked
  )
  update borsello.bank_order as o set file_id = fresh from taken
  where o.request_id = taken.request_id;
  return fresh;
end $$;

-- Files of the bank's that were read to their end, by what they hold.
create table borsello.bank_file_read (
  content_hash bytea primary key,
  name text not null,
  message text,
  items bigint not null,
  read_at timestamptz not null default borsello.platform_now()
);

-- Statements of the partners' accounts. A statement sent again, in another file, is the first one.
create table borsello.bank_statement (
  statement_id uuid primary key default uuidv7(),
  partner_key text not null references borsello.partner,
  iban text not null,
  -- The bank's own name of it.
  reference text not null,
  from_date date not null,
  to_date date not null,
  opening_cents bigint not null,
  closing_cents bigint not null,
  entries bigint not null default 0,
  creation_date timestamptz not null default borsello.platform_now(),
  unique (iban, reference, to_date)
);
create index bank_statement_by_date on borsello.bank_statement
  (partner_key, creation_date, statement_id);

create table borsello.bank_statement_entry (
  statement_id uuid not null references borsello.bank_statement,
  line integer not null,
  -- Credits are positive.
  cents bigint not null,
  booking_date date not null,
  -- The request of ours that it names by its end-to-end id.
  request_id uuid,
  gateway_reference text,
  reference text,
  name text,
  iban text,
  reason text not null,
  primary key (statement_id, line)
);
create index bank_statement_entry_by_request on borsello.bank_statement_entry (request_id)
  where request_id is not null;
create index bank_statement_entry_by_reference on borsello.bank_statement_entry (gateway_reference)
  where gateway_reference is not null;

-- The ledger's movements on the bank account that a statement's entry may be: those that its request, the
-- notification that names its request, or the notification of this very credit caused, in its direction.
create function borsello.movements_of_entry(e borsello.bank_statement_entry, of_partner text)
returns table (transaction_id bigint, cents bigint)
language sql stable
begin atomic
  with cause (cause_id) as (
    select cause_id from borsello.bank_request as r,
      lateral (values (r.operation_id), (r.reconciliation_id), (r.bank_notification_id)) as c (cause_id)
    where r.request_id = (e).request_id
    union
    -- The deposit that a collection became.
    select borsello.derived_id('deposit', (e).request_id, 1) where (e).request_id is not null
    union
    select bank_notification_id from borsello.bank_notification
    where named_request_id = (e).request_id
    union
    -- References of the bank's are looked for as repeats are.
    select bank_notification_id from borsello.bank_notification
    where repeat_key = borsello.repeat_key((e).gateway_reference, '')
      and (e).gateway_reference is not null
  )
  select t.transaction_id, -entry.amount_cents
  from cause
    join borsello.ledger_transaction as t using (cause_id)
    join borsello.entry using (transaction_id)
    join borsello.account using (account_id)
  where account.kind = 'Bank' and account.partner_key = of_partner
    and sign(-entry.amount_cents) = sign((e).cents);
end;

-- Movements on the ledger's bank account that were posted on a statement's days, on its account, and are in
-- no statement. Which account it was, the order or the notification says; else it is the collecting one.
create function borsello.movements_without_booking(s borsello.bank_statement)
returns table (transaction_id bigint, cents bigint, posted_on date, request_id uuid,
  reference text, name text, iban text, reason text)
language sql stable
begin atomic
  with moved as (
    select t.transaction_id, t.operation_id, t.bank_notification_id, t.reconciliation_id,
      -entry.amount_cents as cents, borsello.rome_date(t.posted_at) as posted_on
    from borsello.account
      join borsello.entry using (account_id)
      join borsello.ledger_transaction as t using (transaction_id)
    where account.kind = 'Bank' and account.partner_key = (s).partner_key
      and borsello.rome_date(t.posted_at) between (s).from_date and (s).to_date
  ), asked as (
    select moved.transaction_id, r.request_id
    from moved join borsello.bank_request as r on r.operation_id = moved.operation_id
    where r.kind <> 'transfer'
    union
    select moved.transaction_id, r.request_id
    from moved join borsello.bank_request as r on r.reconciliation_id = moved.reconciliation_id
    union
    select moved.transaction_id, r.request_id
    from moved join borsello.bank_request as r
      on r.bank_notification_id = moved.bank_notification_id
    union
    select moved.transaction_id, n.named_request_id
    from moved join borsello.bank_notification as n using (bank_notification_id)
    where n.named_request_id is not null
    union
    select moved.transaction_id, r.request_id
    from moved join borsello.operation as o using (operation_id)
      join borsello.bank_request as r on r.mandate_id = (o.metadata ->> 'mandateId')::uuid
        and r.kind = 'directDebit'
    where o.type = 'SddDeposit'
      and borsello.derived_id('deposit', r.request_id, 1) = o.operation_id
  ), named as (
    select distinct on (asked.transaction_id) asked.transaction_id, r.request_id,
      r.transaction_reference, r.payload, bank_order.account ->> 'iban' as iban
    from asked join borsello.bank_request as r using (request_id)
      left join borsello.bank_order using (request_id)
    order by asked.transaction_id, r.request_id
  ), booked as (
    select moved.transaction_id
    from moved join asked using (transaction_id)
      join borsello.bank_statement_entry as e using (request_id)
    where sign(e.cents) = sign(moved.cents)
    union
    select moved.transaction_id
    from moved join borsello.bank_notification as n using (bank_notification_id)
      join borsello.bank_statement_entry as e
        on e.gateway_reference = n.payment_gateway_reference
    where sign(e.cents) = sign(moved.cents)
  )
  select moved.transaction_id, moved.cents, moved.posted_on, named.request_id,
    coalesce(n.payment_gateway_reference, n.transaction_reference, named.transaction_reference),
    case when moved.cents > 0 then n.debtor_name else named.payload ->> 'creditorName' end,
    case when moved.cents > 0 then n.debtor_iban else named.payload ->> 'creditorIban' end,
    coalesce(n.reason, named.payload ->> 'reason')
  from moved
    left join named using (transaction_id)
    left join borsello.bank_notification as n using (bank_notification_id)
  where (s).iban = coalesce(named.iban, borsello.account_key(n.creditor_iban),
      (select borsello.collection_account(p) from borsello.partner as p
       where p.partner_key = (s).partner_key), (s).iban)
    and moved.transaction_id not in (select transaction_id from booked);
end;
