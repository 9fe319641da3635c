-- Money: the accounts and movements of contract 4.6, groups of operations, counts of operations.

-- Two flat JSON objects as one, joined as texts: nothing is taken apart to be put together again.
create or replace function borsello.json_with(base json, more json) returns json
language sql immutable parallel safe
return (case
  when more::text ~ '^\s*\{\s*\}\s*$' then base::text
  when base::text ~ '^\s*\{\s*\}\s*$' then more::text
  else left(btrim(base::text, E' \t\r\n'), -1) || ', ' || substr(btrim(more::text, E' \t\r\n'), 2)
end)::json;

-- The same of two that have fields and begin with their bracket, as json_build_object writes them: each is
-- named once, so that the planner can write it into the statements that call it.
create function borsello.json_joined(base json, more json) returns json
language sql immutable parallel safe
return (left(base::text, -1) || ', ' || substr(more::text, 2))::json;

-- Stable, as to_char is: so the planner writes it into the statements that call it.
create or replace function borsello.iso(at timestamptz) returns text
language sql stable parallel safe
return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- The envelope of a business event (wallet seed, section 6) around its payload, as one flat object. A
-- payload has fields; each argument is used where the planner can put it, and so costs no call.
create or replace function borsello.event_body(event_id uuid, at timestamptz, payload json)
returns json language sql stable parallel safe
return borsello.json_joined(json_build_object(
  'messageVersion', 1, 'messagePublisher', 'Borsello', 'timestamp', borsello.iso(at),
  'id', event_id, 'messageCreationDate', borsello.iso(at),
  'messagePublishDate', borsello.iso(at), 'isLastRetry', false), payload);

create or replace function borsello.publish_event(
  subject text, partner_key text, session_id text, entity_version bigint, payload json
) returns void
language sql volatile
begin atomic
  insert into borsello.outbox (message_id, destinations, session_id, subject, partner_key,
    entity_version, body)
  select fresh.message_id, array[$2, 'platform-events'], $3, $1, $2, $4,
    borsello.event_body(fresh.message_id, fresh.at, $5)
  from (select uuidv7() as message_id, borsello.platform_now() as at) as fresh;
end;

-- Bank: the money at the bank. Suspense: it arrived and is nobody's yet. Transit: it left a wallet or
-- a store and the bank has not booked it yet. Fees are kept by beneficiary, Store by store id, Dealer by
-- dealer key; Cards is what the card platform owes for payments that it asked for.
alter table borsello.account
  drop constraint account_kind_check,
  add constraint account_kind_check check (kind in (
    'Bank', 'Suspense', 'Transit', 'Fees', 'Store', 'Dealer', 'Cards', 'Bucket'));

-- A movement belongs to what caused it: an operation, a bank notification, a reconciliation group.
-- (cause, kind, occurrence) is the proof that it happened once.
alter table borsello.ledger_transaction
  drop constraint ledger_transaction_once,
  drop constraint ledger_transaction_kind_check,
  alter column operation_id drop not null,
  add column bank_notification_id uuid references borsello.bank_notification,
  add column reconciliation_id uuid,
  add column cause_id uuid not null generated always as (
    coalesce(operation_id, bank_notification_id, reconciliation_id)) stored,
  add column occurrence integer not null default 1 check (occurrence > 0),
  add constraint ledger_transaction_kind_check check (kind in (
    'Deposit', 'Withdrawal', 'Payment', 'Fee', 'Reversal', 'Booking',
    'Notification', 'SentBack', 'Reconciliation', 'StorePayment')),
  add constraint ledger_transaction_once unique (cause_id, kind, occurrence);

-- What is posted by one statement balances, within one partner's books, in transactions that this
-- database transaction opened; and moves its buckets' balances.
create or replace function borsello.post_entries() returns trigger language plpgsql as $$
declare
  wrong record;
  at timestamptz := borsello.platform_now();
begin
  if exists (
    select from posted join borsello.ledger_transaction using (transaction_id)
    where posted_in <> pg_current_xact_id()
  ) then
    raise exception 'the ledger is append-only: a committed transaction takes no more entries'
      using errcode = 'check_violation', constraint = 'ledger_append_only';
  end if;
  select touched.transaction_id, lines.* into wrong
  from (select distinct transaction_id from posted) as touched
    cross join lateral (
      select count(*) as entries, sum(entry.amount_cents) as total,
        min(account.partner_key) as one_book, max(account.partner_key) as another_book
      from borsello.entry join borsello.account using (account_id)
      where entry.transaction_id = touched.transaction_id
    ) as lines
  where total <> 0 or entries < 2 or one_book <> another_book;
  if found then
    raise exception 'ledger transaction %: % entries in the books of % and % sum to % cents',
      wrong.transaction_id, wrong.entries, wrong.one_book, wrong.another_book, wrong.total
      using errcode = 'check_violation', constraint = 'ledger_transaction_balanced';
  end if;
  update borsello.bucket set
    balance_cents = balance_cents + moved.amount_cents,
    last_incoming_date = case when moved.amount_cents > 0 then at else last_incoming_date end,
    last_outgoing_date = case when moved.amount_cents < 0 then at else last_outgoing_date end
  from (
    select account_id, sum(amount_cents)::bigint as amount_cents from posted group by account_id
  ) as moved
  where bucket.account_id = moved.account_id;
  return null;
end $$;
-- What is left to the commit: a transaction has entries at all.
drop trigger entry_balanced on borsello.entry;
create or replace function borsello.refuse_unbalanced() returns trigger language plpgsql as $$
begin
  if exists (select from borsello.entry where transaction_id = new.transaction_id) then
    return null;
  end if;
  raise exception 'ledger transaction % has no entries', new.transaction_id
    using errcode = 'check_violation', constraint = 'ledger_transaction_balanced';
end $$;

-- Groups of operations (wallet seed, 2.5; states: contract 4.2).
create table borsello.operation_group (
  operation_group_id uuid primary key default uuidv7(),
  wallet_id uuid not null references borsello.wallet,
  partner_key text not null references borsello.partner,
  idempotency_key text not null check (length(idempotency_key) = 32),
  request_hash bytea not null,
  first_answer json,
  status text not null default 'Initialized'
    check (status in ('Initialized', 'Confirmed', 'Cancelled', 'Expired', 'Terminated')),
  creation_date timestamptz not null default borsello.platform_now(),
  confirmation_date timestamptz,
  expiry_date timestamptz not null,
  cancellation_date timestamptz,
  termination_date timestamptz,
  version bigint not null default 1,
  constraint operation_group_idempotency unique (partner_key, idempotency_key)
);
create unique index operation_group_one_pending on borsello.operation_group (wallet_id)
  where status = 'Initialized';
create index operation_group_by_wallet on borsello.operation_group
  (wallet_id, creation_date, operation_group_id);
create index operation_group_due on borsello.operation_group (expiry_date)
  where status = 'Initialized';

-- A harvesting is an operation record of its own, of no wallet (contract 0.4).
alter table borsello.operation
  alter column wallet_id drop not null,
  alter column bucket_id drop not null,
  -- What the caller asked for, so that the same key with another body is told from a repeat.
  add column request_hash bytea,
  -- The answer that a repeat gets, word for word.
  add column first_answer json,
  -- Where an SctWithdrawal goes: the customer's account as it was validated when it was asked for.
  add column creditor_name text,
  add column creditor_iban text,
  -- When a step that failed is tried again.
  add column next_attempt_at timestamptz,
  -- What TransactionCompleted tells of the transfer that settled it.
  add column settlement json,
  add constraint operation_group_known
    foreign key (operation_group_id) references borsello.operation_group,
  add constraint operation_of_wallet_or_harvesting check (
    (wallet_id is not null and bucket_id is not null)
    or (wallet_id is null and bucket_id is null and harvesting_id = operation_id));
create index operation_by_group on borsello.operation (operation_group_id)
  where operation_group_id is not null;
create index operation_due on borsello.operation (expiry_date) where status = 'Initialized';
-- What the monthly and yearly limits add up.
create index operation_limited on borsello.operation (wallet_id, creation_date)
  where type in ('CashDeposit', 'CashWithdrawal', 'SddDeposit', 'WelfareDeposit');

-- The operation record (wallet seed, 2.4), every field present.
create function borsello.operation_record(o borsello.operation) returns json
language sql stable parallel safe
return json_build_object(
  'operationId', o.operation_id, 'walletId', o.wallet_id, 'partnerKey', o.partner_key,
  'dealerKey', o.dealer_key, 'storeId', o.store_id, 'type', o.type,
  'idempotencyKey', o.idempotency_key, 'amount', borsello.money(o.amount_cents),
  'customerFinalAmount', borsello.money(o.final_amount_cents),
  'customerNetAmount', borsello.money(o.net_amount_cents),
  'customerFeesAmount', borsello.money(o.fees_amount_cents), 'fees', o.fees,
  'creationDate', borsello.iso(o.creation_date),
  'confirmationDate', borsello.iso(o.confirmation_date),
  'lastUpdateDate', borsello.iso(o.last_update_date),
  'cancellationDate', borsello.iso(o.cancellation_date),
  'expiryDate', borsello.iso(o.expiry_date),
  'terminationDate', borsello.iso(o.termination_date),
  'completionDate', borsello.iso(o.completion_date), 'status', o.status,
  'operationGroupId', o.operation_group_id, 'feedback', o.feedback, 'attempts', o.attempts,
  'bankNotificationId', o.bank_notification_id, 'harvestingId', o.harvesting_id,
  'tags', o.tags, 'metadata', o.metadata, 'fundsType', o.funds_type, 'bucketId', o.bucket_id,
  'reconciliationId', o.reconciliation_id, 'fundsExpiryDate', o.funds_expiry_date
);

-- How many operations of each type are in each state, and when the first and the last were created.
-- Each change adds its difference to its own connection's shard; who reads adds up the shards.
create table borsello.operation_count (
  partner_key text not null references borsello.partner,
  type text not null,
  status text not null,
  shard integer not null,
  operations bigint not null default 0,
  min_creation_date timestamptz,
  max_creation_date timestamptz,
  primary key (partner_key, type, status, shard)
) with (fillfactor = 50);
create index operation_by_status on borsello.operation
  (partner_key, type, status, last_update_date) where wallet_id is not null;

-- The differences that a statement made; harvestings do not count (contract 0.4).
create function borsello.count_operations() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into borsello.operation_count as known
    select partner_key, type, status, borsello.count_shard(), count(*), min(creation_date),
      max(creation_date)
    from added where wallet_id is not null group by partner_key, type, status
    on conflict (partner_key, type, status, shard) do update set
      operations = known.operations + excluded.operations,
      min_creation_date = least(known.min_creation_date, excluded.min_creation_date),
      max_creation_date = greatest(known.max_creation_date, excluded.max_creation_date);
  elsif tg_op = 'DELETE' then
    insert into borsello.operation_count as known (partner_key, type, status, shard, operations)
    select partner_key, type, status, borsello.count_shard(), -count(*)
    from removed where wallet_id is not null group by partner_key, type, status
    on conflict (partner_key, type, status, shard) do update set
      operations = known.operations + excluded.operations;
  else
    insert into borsello.operation_count as known (partner_key, type, status, shard, operations)
    select partner_key, type, status, borsello.count_shard(), sum(weight)
    from (
      select partner_key, type, status, wallet_id, 1 as weight from added
      union all
      select partner_key, type, status, wallet_id, -1 from removed
    ) as change
    where wallet_id is not null
    group by partner_key, type, status having sum(weight) <> 0
    on conflict (partner_key, type, status, shard) do update set
      operations = known.operations + excluded.operations;
  end if;
  return null;
end $$;
create trigger operation_inserted_counted after insert on borsello.operation
  referencing new table as added for each statement execute function borsello.count_operations();
create trigger operation_updated_counted after update on borsello.operation
  referencing new table as added old table as removed
  for each statement execute function borsello.count_operations();
create trigger operation_deleted_counted after delete on borsello.operation
  referencing old table as removed for each statement execute function borsello.count_operations();

-- The counts as the operations themselves give them, in the counters' own shape.
create view borsello.operation_count_of_operations as
select partner_key, type, status, 0 as shard, count(*) as operations,
  min(creation_date) as min_creation_date, max(creation_date) as max_creation_date
from borsello.operation where wallet_id is not null group by partner_key, type, status;
insert into borsello.operation_count select * from borsello.operation_count_of_operations;

-- What of a debit is held: from its initialisation all of it; a payment's fee until it is posted, at
-- Completing (wallet seed, 2.2).
create or replace function borsello.held_cents(o borsello.operation) returns bigint
language sql immutable parallel safe
return case
  when o.income or o.wallet_id is null then 0
  when o.status = 'Initialized' then o.final_amount_cents
  when o.type = 'Payment' and o.status in (
    'Confirmed', 'TransferInitializeRequested', 'TransferInitialized',
    'TransferInitializeUnaccomplished', 'TransferConfirmRequested', 'TransferConfirmed',
    'TransferConfirmUnaccomplished', 'TransferCompleted', 'TransferFailed')
    then o.fees_amount_cents
  else 0
end;
create index operation_holding on borsello.operation (wallet_id, bucket_id)
  where (status = 'Initialized' and not income) or (
    type = 'Payment' and fees_amount_cents > 0 and status in (
      'Confirmed', 'TransferInitializeRequested', 'TransferInitialized',
      'TransferInitializeUnaccomplished', 'TransferConfirmRequested', 'TransferConfirmed',
      'TransferConfirmUnaccomplished', 'TransferCompleted', 'TransferFailed'));

-- Adds what a statement changed of the wallets' funds to the counts of their dealers, each count once
-- and all in one order.
create function borsello.add_funds(wallet_ids uuid[], cents bigint[]) returns void
language sql volatile
begin atomic
  insert into borsello.wallet_count as known (partner_key, dealer_key, shard, available_cents)
  select w.partner_key, w.originating_dealer_key, borsello.count_shard(), sum(change.cents)
  from unnest(wallet_ids, cents) as change (wallet_id, cents)
    join borsello.wallet as w using (wallet_id)
  group by w.partner_key, w.originating_dealer_key having sum(change.cents) <> 0
  order by w.partner_key, w.originating_dealer_key
  on conflict (partner_key, dealer_key, shard) do update set
    available_cents = known.available_cents + excluded.available_cents;
end;

create or replace function borsello.count_hold() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform borsello.add_funds(array_agg(wallet_id), array_agg(-borsello.held_cents(o)))
    from added as o where borsello.held_cents(o) <> 0 having count(*) > 0;
  elsif tg_op = 'UPDATE' then
    perform borsello.add_funds(array_agg(wallet_id), array_agg(freed_cents))
    from (
      select wallet_id, borsello.held_cents(o) as freed_cents from removed as o
      union all
      select wallet_id, -borsello.held_cents(o) from added as o
    ) as change
    where freed_cents <> 0 having count(*) > 0;
  else
    perform borsello.add_funds(old.wallet_id, borsello.held_cents(old));
  end if;
  return null;
end $$;
drop trigger hold_counted on borsello.operation;
drop trigger hold_recounted on borsello.operation;
create trigger hold_counted after insert on borsello.operation
  referencing new table as added for each statement execute function borsello.count_hold();
create trigger hold_recounted after update on borsello.operation
  referencing new table as added old table as removed
  for each statement execute function borsello.count_hold();

create function borsello.count_moved() returns trigger language plpgsql as $$
begin
  perform borsello.add_funds(array_agg(wallet_id), array_agg(moved_cents))
  from (
    select wallet_id, balance_cents as moved_cents from added
    union all
    select wallet_id, -balance_cents from removed
  ) as change
  having count(*) > 0;
  return null;
end $$;
drop trigger bucket_recounted on borsello.bucket;
create trigger bucket_recounted after update on borsello.bucket
  referencing new table as added old table as removed
  for each statement execute function borsello.count_moved();

-- What the open operations of a wallet hold, of one bucket or (null) of all.
create function borsello.held_of(of_wallet uuid, of_bucket uuid) returns bigint
language sql stable parallel safe
return (
  select coalesce(sum(borsello.held_cents(o)), 0)::bigint from borsello.operation as o
  where o.wallet_id = of_wallet and (of_bucket is null or o.bucket_id = of_bucket)
    and ((o.status = 'Initialized' and not o.income) or (
      o.type = 'Payment' and o.fees_amount_cents > 0 and o.status in (
        'Confirmed', 'TransferInitializeRequested', 'TransferInitialized',
        'TransferInitializeUnaccomplished', 'TransferConfirmRequested', 'TransferConfirmed',
        'TransferConfirmUnaccomplished', 'TransferCompleted', 'TransferFailed')))
);

create or replace function borsello.available_cents(of_wallet uuid) returns bigint
language sql stable
return (
  coalesce((select sum(balance_cents) from borsello.bucket where wallet_id = of_wallet), 0)
  - borsello.held_of(of_wallet, null)
)::bigint;

create or replace function borsello.bucket_record(b borsello.bucket) returns json
language sql stable parallel safe
return json_build_object(
  'bucketId', b.bucket_id, 'walletId', b.wallet_id, 'partnerKey', b.partner_key,
  'availableBalance', borsello.money(
    b.balance_cents - borsello.held_of(b.wallet_id, b.bucket_id)),
  'creationDate', borsello.iso(b.creation_date),
  'lastIncomingDate', borsello.iso(b.last_incoming_date),
  'lastOutgoingDate', borsello.iso(b.last_outgoing_date), 'isWithdrawable', b.is_withdrawable
);

-- The movement of an operation, posted once: null where it was posted before. Amounts of zero are no
-- entries; accounts may repeat.
create function borsello.post_movement(
  of_operation uuid, of_kind text, account_ids bigint[], amounts_cents bigint[],
  of_occurrence integer default 1
) returns bigint language plpgsql volatile as $$
declare
  posted_id bigint;
begin
  insert into borsello.ledger_transaction (operation_id, kind, occurrence)
  values (of_operation, of_kind, of_occurrence)
  on conflict on constraint ledger_transaction_once do nothing
  returning transaction_id into posted_id;
  if posted_id is null then return null; end if;
  insert into borsello.entry (transaction_id, account_id, amount_cents)
  select posted_id, account_id, sum(cents)::bigint
  from unnest(account_ids, amounts_cents) as line (account_id, cents)
  group by account_id having sum(cents) <> 0;
  return posted_id;
end $$;

-- Posts the mirror of all that an operation moved so far; null where nothing is left to mirror. A
-- bucket of a closed wallet takes no money back: it goes to the suspense account, where a person decides.
create function borsello.reverse_movements(o borsello.operation) returns bigint
language plpgsql volatile as $$
declare
  mirrored_accounts bigint[];
  mirrored_cents bigint[];
  times integer;
begin
  select array_agg(case when returns_to_closed
      then borsello.account_for(o.partner_key, 'Suspense', 'received') else account_id end),
    array_agg(-cents) into mirrored_accounts, mirrored_cents
  from (
    select account_id, sum(amount_cents)::bigint as cents,
      account.kind = 'Bucket' and wallet.status = 'Closed' and sum(amount_cents) < 0
        as returns_to_closed
    from borsello.ledger_transaction join borsello.entry using (transaction_id)
      join borsello.account using (account_id)
      left join borsello.wallet on wallet.wallet_id = o.wallet_id
    where ledger_transaction.cause_id = o.operation_id
    group by account_id, account.kind, wallet.status
    having sum(amount_cents) <> 0
  ) as moved;
  if mirrored_accounts is null then return null; end if;
  select count(*) + 1 into times from borsello.ledger_transaction
  where cause_id = o.operation_id and kind = 'Reversal';
  return borsello.post_movement(o.operation_id, 'Reversal', mirrored_accounts, mirrored_cents, times);
end $$;

-- TransactionConfirmed (wallet seed, section 6); a reversal tells the opposite income.
create or replace function borsello.transaction_event(
  of_operation borsello.operation, transaction_id bigint, transaction_type text
) returns json
language sql stable
return json_build_object(
  'partnerKey', (of_operation).partner_key, 'dealerKey', (of_operation).dealer_key,
  'walletId', (of_operation).wallet_id, 'storeId', (of_operation).store_id,
  'operationType', (of_operation).type, 'amount', borsello.money((of_operation).amount_cents),
  'income', (of_operation).income <> (transaction_type = 'Reversal'),
  'operationId', (of_operation).operation_id,
  'transactionId', transaction_id, 'transactionType', transaction_type,
  'fees', (of_operation).fees, 'confirmationDate', borsello.iso((of_operation).confirmation_date),
  'initializationDate', borsello.iso((of_operation).creation_date)
);

-- What the audit keeps of an operation besides its states: how often a step of it failed, and why.
create function borsello.operation_audit_detail(o borsello.operation) returns json
language sql stable parallel safe
return case when o.feedback is null and o.attempts = 0 then null else
  json_build_object('feedback', o.feedback, 'attempts', o.attempts,
    'nextAttemptAt', borsello.iso(o.next_attempt_at)) end;

-- What a change of an operation leaves behind: its audit row and, where partners learn of it, its event.
create function borsello.record_operation_change(
  o borsello.operation, actor text, action text, from_status text, event text, more json default '{}'
) returns void
language sql volatile
begin atomic
  insert into borsello.audit
    (actor, partner_key, entity, entity_id, action, from_status, to_status, detail)
  values (actor, (o).partner_key, 'Operation', (o).operation_id::text, action, from_status,
    (o).status, borsello.operation_audit_detail(o));
  select borsello.publish_event(event, (o).partner_key,
    coalesce((o).wallet_id, (o).operation_id)::text, (o).version,
    borsello.json_with(borsello.operation_event(o), more))
  where event is not null;
end;

-- OperationCancelled: which of the three dates is set tells how it ended (contract 4.7).
create function borsello.operation_end_dates(o borsello.operation) returns json
language sql stable parallel safe
return json_build_object(
  'cancellationDate', borsello.iso(o.cancellation_date),
  'expiryDate', case when o.status = 'Expired' then borsello.iso(o.expiry_date) end,
  'terminationDate', borsello.iso(o.termination_date));
