-- Money from outside, what its parts share: movements of any cause, credits that nobody initialised, what a
-- bank notification still holds, outcomes of the bank that move money, runs of every flow.

-- Only a collection that the bank takes back may bring a bucket below zero, or further down (contract 4.3);
-- and a payment's fee, which was held since its confirmation and is posted at Completing even where such a
-- collection has taken the funds beneath it.
alter table borsello.bucket drop constraint bucket_not_overdrawn;

-- What is posted by one statement balances, within one partner's books, in transactions that this
-- database transaction opened; and moves its buckets' balances.
create or replace function borsello.post_entries() returns trigger language plpgsql as $$
declare
  wrong record;
  at timestamptz := borsello.platform_now();
  overdrawn bigint[];
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
  with changed as (
    update borsello.bucket set
      balance_cents = balance_cents + moved.amount_cents,
      last_incoming_date = case when moved.amount_cents > 0 then at else last_incoming_date end,
      last_outgoing_date = case when moved.amount_cents < 0 then at else last_outgoing_date end
    from (
      select account_id, sum(amount_cents)::bigint as amount_cents from posted group by account_id
    ) as moved
    where bucket.account_id = moved.account_id
    returning bucket.account_id, balance_cents, moved.amount_cents
  )
  select array_agg(account_id) into overdrawn from changed
  where balance_cents < 0 and amount_cents < 0;
  if overdrawn is not null and exists (
    select from posted join borsello.ledger_transaction as t using (transaction_id)
      join borsello.bucket using (account_id) left join borsello.operation as o using (operation_id)
    where account_id = any(overdrawn) and posted.amount_cents < 0
      and (bucket.funds_type = 'Standard' and t.kind = 'Reversal' and o.type = 'SddDeposit'
        or t.kind = 'Fee' and o.type = 'Payment') is not true
  ) then
    raise exception 'a bucket holds less than is taken out of it'
      using errcode = 'check_violation', constraint = 'bucket_not_overdrawn';
  end if;
  return null;
end $$;

-- A movement of whatever caused it, posted once: null where it was posted before. One of the first three
-- is given. Amounts of zero are no entries; accounts may repeat.
create function borsello.post_cause(
  of_operation uuid, of_notification uuid, of_reconciliation uuid, of_kind text,
  account_ids bigint[], amounts_cents bigint[], of_occurrence integer default 1
) returns bigint language plpgsql volatile as $$
declare
  posted_id bigint;
begin
  insert into borsello.ledger_transaction
    (operation_id, bank_notification_id, reconciliation_id, kind, occurrence)
  values (of_operation, of_notification, of_reconciliation, of_kind, of_occurrence)
  on conflict on constraint ledger_transaction_once do nothing
  returning transaction_id into posted_id;
  if posted_id is null then return null; end if;
  insert into borsello.entry (transaction_id, account_id, amount_cents)
  select posted_id, account_id, sum(cents)::bigint
  from unnest(account_ids, amounts_cents) as line (account_id, cents)
  group by account_id having sum(cents) <> 0;
  return posted_id;
end $$;

create or replace function borsello.post_movement(
  of_operation uuid, of_kind text, account_ids bigint[], amounts_cents bigint[],
  of_occurrence integer default 1
) returns bigint language sql volatile
return borsello.post_cause(
  of_operation, null, null, of_kind, account_ids, amounts_cents, of_occurrence);

-- Credits a wallet's standard funds with money that nobody initialised: the operation goes from Initialized
-- to Confirmed at once, without fee. Undefined (null) where this operation was credited before. The caller
-- holds the wallet's row.
create function borsello.credit_incoming(
  of_type text, of_wallet uuid, cents bigint, from_account bigint, fresh_operation uuid,
  of_notification uuid, actor text, with_metadata json default null
) returns borsello.operation language plpgsql volatile as $$
declare
  w borsello.wallet;
  credit borsello.operation;
  into_bucket uuid;
  posted_id bigint;
begin
  select * into strict w from borsello.wallet where wallet_id = of_wallet;
  into_bucket := borsello.bucket_for(of_wallet, w.partner_key, 'Standard', null, true, actor);
  insert into borsello.operation (operation_id, wallet_id, partner_key, type, amount_cents,
    final_amount_cents, net_amount_cents, fees_amount_cents, status, bank_notification_id,
    funds_type, bucket_id, metadata)
  values (fresh_operation, of_wallet, w.partner_key, of_type, cents, cents, cents, 0, 'Initialized',
    of_notification, 'Standard', into_bucket, with_metadata)
  on conflict (operation_id) do nothing
  returning * into credit;
  if credit.operation_id is null then return null; end if;
  perform borsello.record_operation_change(
    credit, actor, 'initialise', null, 'OperationInitialized');
  posted_id := borsello.post_movement(credit.operation_id, 'Deposit',
    array[from_account, (select account_id from borsello.bucket where bucket_id = into_bucket)],
    array[-cents, cents]);
  update borsello.operation set status = 'Confirmed', version = version + 1,
    confirmation_date = borsello.platform_now(), last_update_date = borsello.platform_now()
  where operation_id = credit.operation_id returning * into strict credit;
  perform borsello.record_operation_change(credit, actor, 'confirm', 'Initialized',
    'OperationConfirmed',
    json_build_object('confirmationDate', borsello.iso(credit.confirmation_date)));
  perform borsello.publish_event('TransactionConfirmed', credit.partner_key, of_wallet::text,
    credit.version, borsello.transaction_event(credit, posted_id, 'Deposit'));
  return credit;
end $$;

alter table borsello.bank_request
  -- The group that a collection from a store, or a payment to it, is for.
  add column reconciliation_id uuid references borsello.reconciliation_group,
  -- What a return sends back.
  add column bank_notification_id uuid references borsello.bank_notification on delete cascade;
create index bank_request_by_reconciliation on borsello.bank_request (reconciliation_id, requested_at)
  where reconciliation_id is not null;
create index bank_request_by_notification on borsello.bank_request (bank_notification_id, requested_at)
  where bank_notification_id is not null;
-- Notifications name requests by the bank's reference, too.
create index bank_request_by_reference on borsello.bank_request (transaction_reference)
  where transaction_reference is not null;

alter table borsello.bank_notification
  -- The request of ours that it names: what the bank says of that request books the money.
  add column named_request_id uuid references borsello.bank_request,
  -- Its money was booked against the suspense account when it arrived.
  add column is_booked boolean not null default false,
  -- When a step that failed is tried again.
  add column next_attempt_at timestamptz;
create index bank_notification_naming on borsello.bank_notification (named_request_id)
  where named_request_id is not null;

-- After silence: the bank is asked for the same again.
create function borsello.inquire(of_request uuid) returns void language sql volatile
begin atomic
  with asked as (
    update borsello.bank_request set inquiries = inquiries + 1
    where request_id = of_request and status in ('Requested', 'Accepted') returning *
  )
  insert into borsello.outbox (destinations, session_id, subject, body)
  select '{bank-requests}', coalesce(wallet_id, request_id)::text, 'BankRequest',
    borsello.json_with(json_build_object('requestId', request_id, 'kind', kind), payload)
  from asked;
end;

-- Uses so much of what a notification holds, for what it was matched with, and says how that went: all of
-- it or a part. Posts nothing. The caller holds the row of the wallet or store.
create function borsello.consume_notification(
  of_notification uuid, cents bigint, as_type text, of_operation uuid, of_wallet uuid,
  of_store uuid, actor text
) returns borsello.bank_notification language plpgsql volatile as $$
declare
  before borsello.bank_notification;
  n borsello.bank_notification;
begin
  select * into strict before from borsello.bank_notification
  where bank_notification_id = of_notification for no key update;
  if before.status not in ('Received', 'Accepted', 'Processing', 'PartiallyConsumed', 'Failed')
    or cents not between 1 and before.amount_cents - before.consumed_amount_cents
  then
    raise exception 'a notification that is % with % of % cents used has no % cents to use',
      before.status, before.consumed_amount_cents, before.amount_cents, cents
      using errcode = 'check_violation', constraint = 'bank_notification_consumable';
  end if;
  update borsello.bank_notification set
    status = case when consumed_amount_cents + cents = amount_cents then 'Consumed'
      else 'PartiallyConsumed' end,
    consumed_amount_cents = consumed_amount_cents + cents, feedback = null, failed_rule = null,
    is_due = false, next_attempt_at = null, reconciliation_type = as_type,
    acceptance_date = coalesce(acceptance_date, borsello.platform_now()),
    last_update_date = borsello.platform_now(),
    operation_id = coalesce(of_operation, operation_id),
    wallet_id = coalesce(of_wallet, wallet_id), store_id = coalesce(of_store, store_id)
  where bank_notification_id = of_notification returning * into strict n;
  insert into borsello.audit
    (actor, partner_key, entity, entity_id, action, from_status, to_status)
  select step.actor, n.partner_key, 'BankNotification', of_notification::text, action, from_status,
    to_status
  from (values
    (1, consume_notification.actor, 'accept', before.status, 'Accepted'),
    (2, 'platform', 'process', case when before.status = 'PartiallyConsumed' then before.status
      else 'Accepted' end, 'Processing'),
    (3, 'platform', 'consume', 'Processing', n.status)
  ) as step (place, actor, action, from_status, to_status)
  where case place when 1 then before.status in ('Received', 'Failed')
    when 2 then before.status <> 'Processing' else true end
  order by place;
  return n;
end $$;

-- Where the money of a request lies that the bank has booked or sent back: in suspense, if its notification
-- came first (which is used up by this, failed or not), else at the bank, from where its notification books nothing more.
create function borsello.draw_account(
  r borsello.bank_request, of_operation uuid, as_type text, actor text
) returns bigint language plpgsql volatile as $$
declare
  holding uuid;
begin
  select bank_notification_id into holding from borsello.bank_notification
  where named_request_id = r.request_id and is_booked and status in ('Received', 'Accepted', 'Failed')
    and amount_cents = borsello.cents(r.payload -> 'amount')
  order by bank_notification_id limit 1 for no key update;
  if holding is null then
    return borsello.account_for(r.partner_key, 'Bank', 'safeguarding');
  end if;
  perform borsello.consume_notification(
    holding, borsello.cents(r.payload -> 'amount'), as_type, of_operation, r.wallet_id, null, actor);
  return borsello.account_for(r.partner_key, 'Suspense', 'received');
end $$;

-- What a new word of the bank moves or ends, in the transaction that records it. Operations' transfers and
-- payments are settled by their own flows, step by step.
create function borsello.settle_outcome(r borsello.bank_request) returns void
language plpgsql volatile as $$
begin
  case
    when r.kind = 'mandateActivation' then perform borsello.note_mandate_outcome(r);
    when r.kind = 'directDebit' and r.reconciliation_id is not null then
      perform borsello.settle_store_collection(r);
    when r.kind = 'directDebit' then perform borsello.settle_collection(r);
    when r.kind = 'return' then perform borsello.settle_return(r);
    when r.kind = 'payment' and r.reconciliation_id is not null then
      perform borsello.settle_store_payment(r);
    else null;
  end case;
end $$;

-- Records an outcome, and does what it asks for. Null: there is no such request. Without instanceId the
-- request has come further than this outcome, which arrives late. Repeats are told again: the first telling
-- may have been lost in a crash. An activation that the bank has accepted counts as accepted, whatever
-- else it says of it, in either order; a direct debit that was refused counts as booked where the bank books
-- it all the same, since the money is there; and what contradicts a booking is noted.
create function borsello.record_outcome(
  of_request uuid, next_status text, from_statuses text[], reason text, reference text, booked_on date
) returns json language plpgsql volatile as $$
declare
  r borsello.bank_request;
  before text;
  is_next boolean;
begin
  select * into r from borsello.bank_request where request_id = of_request;
  if r.request_id is null then return null; end if;
  -- Locked in the order of all commands: whose money or mandate it is comes first.
  if r.kind in ('directDebit', 'return') or r.reconciliation_id is not null then
    perform from borsello.wallet where wallet_id = r.wallet_id for no key update;
    perform from borsello.store where store_id = (
      select store_id from borsello.reconciliation_group
      where reconciliation_id = r.reconciliation_id) for no key update;
  end if;
  if r.mandate_id is not null then
    perform from borsello.mandate where mandate_id = r.mandate_id for no key update;
  end if;
  select * into strict r from borsello.bank_request where request_id = of_request for update;
  before := r.status;
  is_next := case
    when r.kind = 'mandateActivation' and before = 'Accepted' and next_status = 'Refused' then false
    when r.kind = 'mandateActivation' and before = 'Refused' and next_status = 'Accepted' then true
    when r.kind = 'directDebit' and before = 'Refused' and next_status = 'Booked' then true
    else before = any(from_statuses) end;
  if not is_next then
    perform borsello.note_contradiction(r, next_status, reason);
    return json_build_object('instanceId', null, 'event', null);
  end if;
  update borsello.bank_request set status = next_status, reason_code = reason,
    transaction_reference = coalesce(reference, transaction_reference),
    booking_date = coalesce(booked_on, booking_date),
    last_outcome_at = case when before = next_status then last_outcome_at
      else borsello.platform_now() end
  where request_id = of_request returning * into strict r;
  if before <> next_status then
    insert into borsello.audit
      (actor, partner_key, entity, entity_id, action, from_status, to_status)
    values ('bank', r.partner_key, 'BankRequest', of_request::text, 'outcome', before, next_status);
    perform borsello.settle_outcome(r);
  end if;
  return json_build_object('instanceId', r.notify_instance_id, 'event', r.notify_event);
end $$;

-- Runs of every flow; of a store's collection also what it is asked for.
alter table borsello.flow_run
  drop constraint flow_run_flow_check,
  add constraint flow_run_flow_check check (flow in ('Harvestings', 'AccountingOperations',
    'BankNotifications', 'MandateDepositRequest', 'StoreMandates', 'SddStoresCompensation')),
  add column amount_cents bigint check (amount_cents > 0),
  add column reconciliation_id uuid;
