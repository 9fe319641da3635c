-- Settlement (contract 0.4, 4.1, 4.6): transfers and payments at the bank, harvestings and the operations
-- that follow them, reconciliation groups, runs of flows, the script of the sandbox bank.

-- What was asked for an operation or a harvesting. After silence the same id is asked for again; after a
-- refusal there is a new one, whose id has the attempt in it.
alter table borsello.bank_request
  add column operation_id uuid,
  add column attempt integer not null default 1 check (attempt > 0),
  add column inquiries integer not null default 0;
create index bank_request_by_operation on borsello.bank_request (operation_id, kind, attempt)
  where operation_id is not null;

alter table borsello.operation
  -- Of a harvesting: the day (Europe/Rome) on which its members were confirmed.
  add column harvest_day date,
  -- Of a harvesting: how many steps it took; of a member: how many of them it followed.
  add column settlement_step integer not null default 0;
-- One harvesting of a day, party and type takes members at a time.
create unique index harvesting_collecting on borsello.operation
  (partner_key, type, (coalesce(store_id::text, dealer_key, 'cards')), harvest_day)
  where wallet_id is null and status = 'Confirmed';
create index harvesting_by_date on borsello.operation (partner_key, creation_date, operation_id)
  where wallet_id is null;
create index operation_of_harvesting on borsello.operation (harvesting_id, settlement_step)
  where harvesting_id is not null;
-- What a flow should be at work on: single operations and harvestings between Confirmed and their end.
create index operation_settling on borsello.operation (operation_id)
  where (harvesting_id is null or wallet_id is null) and status in (
    'TransferInitializeRequested', 'TransferInitialized', 'TransferInitializeUnaccomplished',
    'TransferConfirmRequested', 'TransferConfirmed', 'TransferConfirmUnaccomplished',
    'TransferCompleted', 'OutgoingPaymentInitializeRequested', 'OutgoingPaymentInitialized',
    'OutgoingPaymentInitializeUnaccomplished', 'OutgoingPaymentConfirmRequested',
    'OutgoingPaymentConfirmed', 'OutgoingPaymentConfirmUnaccomplished',
    'OutgoingPaymentCompleted', 'Completing');

-- The steps of a harvesting: its members take each of them, in their order.
create table borsello.harvesting_step (
  harvesting_id uuid not null references borsello.operation,
  step integer not null,
  from_status text not null,
  to_status text not null,
  attempts integer not null,
  feedback text,
  next_attempt_at timestamptz,
  primary key (harvesting_id, step)
);

-- Reconciliation groups: what a store and the partner owe each other for one day.
create table borsello.reconciliation_group (
  reconciliation_id uuid primary key default uuidv7(),
  partner_key text not null references borsello.partner,
  store_id uuid not null references borsello.store,
  day date not null,
  code text not null unique,
  status text not null default 'Pending' check (status in ('Pending', 'Collecting', 'Reconciled')),
  -- What the partner owes the store; negative: what the store has to pay.
  owed_to_store_cents bigint not null,
  creation_date timestamptz not null default borsello.platform_now(),
  last_update_date timestamptz not null default borsello.platform_now(),
  version bigint not null default 1
);
create unique index reconciliation_group_growing on borsello.reconciliation_group (store_id, day)
  where status = 'Pending';
create index reconciliation_group_open on borsello.reconciliation_group (store_id, day)
  where status <> 'Reconciled';

create function borsello.open_reconciliations(of_store uuid) returns bigint
language sql stable
return (
  select count(*) from borsello.reconciliation_group
  where store_id = of_store and status <> 'Reconciled' and owed_to_store_cents <> 0
);

-- Runs of a flow that somebody or a timer asked for.
create table borsello.flow_run (
  run_id uuid primary key default uuidv7(),
  partner_key text not null references borsello.partner,
  flow text not null check (flow in ('Harvestings', 'AccountingOperations')),
  actor text not null,
  -- Harvestings: which type.
  type text,
  -- The one operation or harvesting that it is about; null: all that are due.
  subject_id uuid,
  -- Only what was confirmed before.
  up_to timestamptz not null,
  -- Made by a timer, of which one at a time is enough.
  is_scheduled boolean not null default false,
  status text not null default 'Queued'
    check (status in ('Queued', 'Running', 'Completed', 'Failed', 'Ignored')),
  requested_at timestamptz not null default borsello.platform_now(),
  started_at timestamptz,
  ended_at timestamptz,
  items integer not null default 0,
  failures integer not null default 0
);
create unique index flow_run_scheduled_once on borsello.flow_run
  (partner_key, flow, type) nulls not distinct
  where is_scheduled and status in ('Queued', 'Running');
create index flow_run_open on borsello.flow_run (requested_at)
  where status in ('Queued', 'Running');
create index flow_run_ended on borsello.flow_run (ended_at) where ended_at is not null;

-- How the sandbox bank answers a partner's requests of a kind: those that concern an IBAN, or (null) those
-- that concern none.
create table borsello.sandbox_bank_script (
  partner_key text not null references borsello.partner,
  kind text not null,
  iban text,
  outcome text not null check (outcome in ('accepted', 'refused', 'silent', 'returned')),
  unique nulls not distinct (partner_key, kind, iban)
);
-- The same for the payment of one operation.
create table borsello.sandbox_payment_script (
  operation_id uuid primary key,
  outcome text not null check (outcome in ('accepted', 'refused', 'silent')),
  reason_code text
);
-- What the sandbox bank has decided: it says the same when it is asked for the same again.
create table borsello.sandbox_bank_answer (
  request_id uuid primary key,
  outcome text not null,
  reason_code text
);

-- The id of what is asked for an operation: the same whenever it is worked out.
create function borsello.derived_id(purpose text, of_operation uuid, attempt integer) returns uuid
language sql immutable parallel safe
return (
  select encode(set_byte(set_byte(hash, 6, get_byte(hash, 6) & 15 | 128), 8,
    get_byte(hash, 8) & 63 | 128), 'hex')::uuid
  from (
    select substr(sha256(convert_to(
      purpose || ' ' || of_operation || ' ' || attempt, 'UTF8')), 1, 16) as hash) as digest
);

create function borsello.rome_date(at timestamptz) returns date
language sql immutable parallel safe
return (at at time zone 'Europe/Rome')::date;

-- Asks the bank for an operation's transfer or payment: anew, or what became of the last request.
create function borsello.ask_bank(o borsello.operation, of_kind text) returns void
language plpgsql volatile as $$
declare
  last borsello.bank_request;
  fresh uuid;
begin
  select * into last from borsello.bank_request
  where operation_id = o.operation_id and kind = of_kind order by attempt desc limit 1
  for no key update;
  if last.status in ('Requested', 'Accepted') then
    update borsello.bank_request set inquiries = inquiries + 1 where request_id = last.request_id;
    insert into borsello.outbox (destinations, session_id, subject, body)
    values ('{bank-requests}', coalesce(last.wallet_id, last.request_id)::text, 'BankRequest',
      borsello.json_with(
        json_build_object('requestId', last.request_id, 'kind', of_kind), last.payload));
  elsif last.request_id is null or last.status in ('Refused', 'Returned') then
    fresh := borsello.derived_id(of_kind, o.operation_id, coalesce(last.attempt, 0) + 1);
    perform borsello.request_bank(fresh, of_kind, o.partner_key, o.wallet_id, null,
      case when of_kind = 'payment' then json_build_object(
          'operationId', o.operation_id, 'creditorName', o.creditor_name,
          'creditorIban', o.creditor_iban, 'amount', borsello.money(o.amount_cents),
          'reason', borsello.payment_reason(o))
        when o.wallet_id is null then json_build_object(
          'harvestingId', o.operation_id, 'amount', borsello.money(o.amount_cents))
        else json_build_object(
          'operationId', o.operation_id, 'amount', borsello.money(o.amount_cents)) end,
      case when of_kind = 'payment' then 'payment-' when o.wallet_id is null then 'harvesting-'
        else 'accounting-' end || o.operation_id, 'bankOutcome');
    update borsello.bank_request
    set operation_id = o.operation_id, attempt = coalesce(last.attempt, 0) + 1
    where request_id = fresh;
  end if;
end $$;

create function borsello.payment_reason(o borsello.operation) returns text
language sql immutable parallel safe
return 'Withdrawal ' || o.operation_id;

-- One step of an operation or a harvesting, with its audit row. The caller has locked the row.
create function borsello.settle_to(
  o borsello.operation, next_status text, failed_attempts integer default 0,
  failure text default null, next_attempt timestamptz default null
) returns borsello.operation language plpgsql volatile as $$
declare
  moved borsello.operation;
begin
  update borsello.operation set status = next_status, attempts = failed_attempts,
    feedback = failure, next_attempt_at = next_attempt, version = version + 1,
    last_update_date = borsello.platform_now(),
    settlement_step = settlement_step + case when wallet_id is null then 1 else 0 end
  where operation_id = o.operation_id and status = o.status
  returning * into strict moved;
  if moved.wallet_id is null then
    insert into borsello.harvesting_step values (moved.operation_id, moved.settlement_step,
      o.status, moved.status, moved.attempts, moved.feedback, moved.next_attempt_at);
  end if;
  perform borsello.record_operation_change(moved, 'platform', 'settle', o.status, null);
  return moved;
end $$;

-- Payload of WireTransferCompleted and WireTransferFailed (contract 4.7).
create function borsello.wire_transfer_event(o borsello.operation, r borsello.bank_request, at timestamptz)
returns json language sql stable parallel safe
return json_build_object('operationId', o.operation_id, 'walletId', o.wallet_id,
  'partnerKey', o.partner_key, 'amount', borsello.money(o.amount_cents),
  'creditorName', o.creditor_name, 'creditorIban', o.creditor_iban,
  'reason', borsello.payment_reason(o), 'transactionReference', r.transaction_reference,
  'completionDate', borsello.iso(at));

-- TransactionCompleted (wallet seed, section 6): the transaction, and the transfer that settled it.
create function borsello.transaction_completed_event(o borsello.operation) returns json
language sql stable
return (
  select borsello.json_with(
    borsello.transaction_event(o, posted.transaction_id, posted.kind),
    json_build_object(
      'completionDate', borsello.iso(o.completion_date),
      'transferId', o.settlement -> 'transferId',
      'transferCompletionDate', o.settlement -> 'transferCompletionDate',
      'transferCreditorAccountNumber', o.settlement -> 'transferCreditorAccountNumber',
      'transferDebtorAccountNumber', o.settlement -> 'transferDebtorAccountNumber',
      'transferTransactionReference', o.settlement -> 'transferTransactionReference',
      'externalReference', o.settlement -> 'externalReference',
      'accountingId', posted.transaction_id::text,
      'accountBookingDate', o.settlement -> 'transferCompletionDate',
      'accountId', posted.bucket_account::text,
      'creditAccountId', posted.credited::text, 'debitAccountId', posted.debited::text,
      'accountingDate', borsello.rome_date(o.confirmation_date),
      'accountValueDate', o.settlement -> 'transferCompletionDate'))
  from (select) as one left join (
    select movement.transaction_id, movement.kind,
      max(account_id) filter (where account.kind = 'Bucket') as bucket_account,
      (array_agg(account_id order by amount_cents desc))[1] as credited,
      (array_agg(account_id order by amount_cents))[1] as debited
    from borsello.ledger_transaction as movement join borsello.entry using (transaction_id)
      join borsello.account using (account_id)
    where movement.cause_id = o.operation_id
      and movement.kind in ('Deposit', 'Withdrawal', 'Payment')
    group by movement.transaction_id, movement.kind
  ) as posted on true
);

-- What partners learn of the end: the operation's event and, where money moved, its transaction's.
create function borsello.publish_completion(o borsello.operation) returns void
language sql volatile
begin atomic
  select borsello.publish_event('OperationCompleted', (o).partner_key,
    coalesce((o).wallet_id, (o).operation_id)::text, (o).version,
    borsello.json_with(borsello.operation_event(o), json_build_object(
      'completionDate', borsello.iso((o).completion_date),
      'reconciliationId', (o).reconciliation_id)));
  select borsello.publish_event('TransactionCompleted', (o).partner_key, (o).wallet_id::text,
    (o).version, borsello.transaction_completed_event(o))
  where (o).wallet_id is not null;
end;

-- How settlement is done, as the partner's settings and the environment have it: seconds to wait before
-- each attempt, seconds of silence that count as a failure, the two accounts of an internal transfer.
create function borsello.retry_at(terms json, failed_attempts integer) returns timestamptz
language sql stable
return borsello.platform_now() + make_interval(secs => (
  terms -> 'retrySeconds' ->> least(
    failed_attempts, json_array_length(terms -> 'retrySeconds') - 1))::integer);

-- A step at the bank failed: it is tried again at its time.
create function borsello.note_failure(
  o borsello.operation, next_status text, failure text, terms json
) returns borsello.operation language sql volatile
return borsello.settle_to(
  o, next_status, o.attempts + 1, failure, borsello.retry_at(terms, o.attempts + 1));

-- The bank refused a payment, or never knew it: what the confirmation moved is mirrored.
create function borsello.reject_payment(
  o borsello.operation, r borsello.bank_request, failure text, why text
) returns borsello.operation language plpgsql volatile as $$
declare
  rejected borsello.operation;
  reversal bigint;
begin
  rejected := borsello.settle_to(o, 'OutgoingPaymentRejected', o.attempts, failure);
  perform borsello.publish_event('WireTransferFailed', o.partner_key, o.wallet_id::text,
    rejected.version, borsello.json_with(borsello.wire_transfer_event(rejected, r, null),
      json_build_object('failureCode', failure, 'failureReason', why,
        'failureDate', borsello.iso(rejected.last_update_date))));
  reversal := borsello.reverse_movements(rejected);
  if reversal is not null then
    perform borsello.publish_event('TransactionConfirmed', o.partner_key, o.wallet_id::text,
      rejected.version, borsello.transaction_event(rejected, reversal, 'Reversal'));
  end if;
  return rejected;
end $$;

-- One step of the conversation with the bank, of which a transfer and a payment have the same: what was
-- asked is accepted (Initialized), then booked (Confirmed). Null: it waits.
create function borsello.settle_at_bank(
  o borsello.operation, r borsello.bank_request, terms json
) returns borsello.operation language plpgsql volatile as $$
declare
  is_payment constant boolean := o.status like 'OutgoingPayment%';
  stage constant text := case when is_payment then 'OutgoingPayment' else 'Transfer' end;
  phase constant text := substring(o.status from '(Initialize|Confirm)(?:Requested|Unaccomplished)$');
  is_due constant boolean := borsello.platform_now() >= case
    when o.status like '%Requested'
      then o.last_update_date + make_interval(secs => (terms ->> 'silenceSeconds')::integer)
    else o.next_attempt_at end;
  attempts_max constant integer := json_array_length(terms -> 'retrySeconds');
  -- A payment that came back was executed; a transfer that came back was not.
  is_accepted constant boolean := r.status in ('Accepted', 'Booked')
    or (is_payment and r.status = 'Returned');
  is_booked constant boolean := is_accepted and r.status <> 'Accepted';
  moved borsello.operation;
begin
  if o.status like '%Initialized' then
    return borsello.settle_to(o, stage || 'ConfirmRequested');
  elsif is_payment and r.status = 'Refused' then
    return borsello.reject_payment(o, r, r.reason_code, 'The bank refused the payment.');
  elsif o.status like '%InitializeRequested' and is_accepted then
    return borsello.settle_to(o, stage || 'Initialized');
  elsif o.status like '%ConfirmRequested' and is_booked then
    if is_payment then
      perform borsello.post_movement(o.operation_id, 'Booking',
        array[borsello.account_for(o.partner_key, 'Transit', 'outgoing'),
          borsello.account_for(o.partner_key, 'Bank', 'safeguarding')],
        array[-o.amount_cents, o.amount_cents]);
    end if;
    return borsello.settle_to(o, stage || 'Confirmed');
  elsif o.status like '%Requested' then
    if r.status in ('Refused', 'Returned') then
      return borsello.note_failure(
        o, stage || phase || 'Unaccomplished', coalesce(r.reason_code, r.status), terms);
    elsif is_due then
      return borsello.note_failure(o, stage || phase || 'Unaccomplished', 'BankSilent', terms);
    end if;
  -- Unaccomplished: an answer that came after all, the end of patience, or the next attempt.
  elsif is_booked or (phase = 'Initialize' and is_accepted) then
    return borsello.settle_to(o, stage || phase || 'Requested', o.attempts, o.feedback);
  elsif o.attempts >= attempts_max and not is_payment then
    return borsello.settle_to(o, 'TransferFailed', o.attempts, o.feedback);
  elsif o.attempts >= attempts_max and phase = 'Initialize' then
    return borsello.reject_payment(o, r, o.feedback, 'The bank does not know the payment.');
  elsif is_due then
    moved := borsello.settle_to(o, stage || phase || 'Requested', o.attempts, o.feedback);
    perform borsello.ask_bank(moved, case when is_payment then 'payment' else 'transfer' end);
    return moved;
  end if;
  return null;
end $$;

-- A payment that the bank sent back after it was booked: a new credit, linked to what it undoes. A closed
-- wallet takes no money: it lies in suspense then, where a person decides.
create function borsello.credit_returned_payment(o borsello.operation, r borsello.bank_request)
returns void language plpgsql volatile as $$
declare
  credit borsello.operation;
  posted_id bigint;
begin
  insert into borsello.operation (operation_id, wallet_id, partner_key, type, amount_cents,
    final_amount_cents, net_amount_cents, fees_amount_cents, status, funds_type, bucket_id,
    feedback, metadata)
  values (borsello.derived_id('returned', o.operation_id, r.attempt), o.wallet_id, o.partner_key,
    'SctStandardDeposit', o.amount_cents, o.amount_cents, o.amount_cents, 0, 'Initialized',
    o.funds_type, o.bucket_id, r.reason_code, json_build_object('returnOf', o.operation_id))
  on conflict (operation_id) do nothing
  returning * into credit;
  if credit.operation_id is null then return; end if;
  perform borsello.record_operation_change(
    credit, 'bank', 'initialise', null, 'OperationInitialized');
  posted_id := borsello.post_movement(credit.operation_id, 'Deposit', array[
      borsello.account_for(o.partner_key, 'Bank', 'safeguarding'),
      case when (select status from borsello.wallet where wallet_id = o.wallet_id) = 'Closed'
        then borsello.account_for(o.partner_key, 'Suspense', 'received')
        else (select account_id from borsello.bucket where bucket_id = o.bucket_id) end],
    array[-o.amount_cents, o.amount_cents]);
  update borsello.operation set status = 'Confirmed', version = version + 1,
    confirmation_date = borsello.platform_now()
  where operation_id = credit.operation_id returning * into strict credit;
  perform borsello.record_operation_change(credit, 'bank', 'confirm', 'Initialized',
    'OperationConfirmed',
    json_build_object('confirmationDate', borsello.iso(credit.confirmation_date)));
  -- It tells the opposite of the payment that it undoes.
  credit.income := false;
  perform borsello.publish_event('TransactionConfirmed', credit.partner_key,
    credit.wallet_id::text, credit.version,
    borsello.transaction_event(credit, posted_id, 'Reversal'));
end $$;

-- What the bank did after the operation had gone on without it. True: a person should look.
create function borsello.settle_late_outcome(of_request uuid) returns boolean
language plpgsql volatile as $$
declare
  r borsello.bank_request;
  o borsello.operation;
  transit bigint;
  bank bigint;
begin
  select * into r from borsello.bank_request where request_id = of_request;
  if r.operation_id is null or r.status not in ('Booked', 'Returned') then return false; end if;
  perform from borsello.wallet where wallet_id = r.wallet_id for no key update;
  select * into o from borsello.operation where operation_id = r.operation_id for no key update;
  if r.kind = 'transfer' then
    return r.status = 'Returned' and o.status !~ '^Transfer(Initialize|Confirm|Failed)';
  elsif r.status = 'Returned' and o.status in ('OutgoingPaymentConfirmed',
    'OutgoingPaymentCompleted', 'Completing', 'Completed') then
    perform borsello.credit_returned_payment(o, r);
  elsif o.status = 'OutgoingPaymentRejected' then
    -- The customer has the money back and the bank paid all the same: the books say so.
    transit := borsello.account_for(o.partner_key, 'Transit', 'outgoing');
    bank := borsello.account_for(o.partner_key, 'Bank', 'safeguarding');
    perform borsello.post_movement(o.operation_id, 'Booking', array[transit, bank],
      array[-o.amount_cents, o.amount_cents]);
    if r.status = 'Returned' then
      perform borsello.post_movement(o.operation_id, 'Booking', array[transit, bank],
        array[o.amount_cents, -o.amount_cents], 2);
    end if;
    return r.status = 'Booked';
  end if;
  return false;
end $$;

-- Adds a harvesting to its store's group of the day: what the partner owes the store by it.
create function borsello.join_reconciliation_group(h borsello.operation) returns uuid
language plpgsql volatile as $$
declare
  fresh uuid := uuidv7();
  joined uuid;
begin
  insert into borsello.reconciliation_group as known
    (reconciliation_id, partner_key, store_id, day, code, owed_to_store_cents)
  select fresh, h.partner_key, h.store_id, h.harvest_day, 'RC' || string_agg(
      substr('ABCDEFGHJKLMNPQRSTUVWXYZ23456789', get_byte(hash, place) % 32 + 1, 1), ''
      order by place),
    case when h.type in ('CashWithdrawal', 'Payment') then h.amount_cents else -h.amount_cents end
  from (select sha256(convert_to(fresh::text, 'UTF8')) as hash) as digest,
    generate_series(0, 9) as place
  on conflict (store_id, day) where status = 'Pending' do update set
    owed_to_store_cents = known.owed_to_store_cents + excluded.owed_to_store_cents,
    last_update_date = excluded.last_update_date, version = known.version + 1
  returning reconciliation_id into joined;
  return joined;
end $$;

-- The fees of payments, which their confirmation left held: posted for many at once, each once.
create function borsello.post_payment_fees(payments uuid[]) returns void
language sql volatile
begin atomic
  with opened as (
    insert into borsello.ledger_transaction (operation_id, kind)
    select operation_id, 'Fee' from borsello.operation
    where operation_id = any(payments) and type = 'Payment' and fees_amount_cents > 0
    on conflict on constraint ledger_transaction_once do nothing
    returning transaction_id, operation_id
  ), line as (
    select transaction_id, account_id, -fees_amount_cents as cents
    from opened join borsello.operation using (operation_id) join borsello.bucket using (bucket_id)
    union all
    select transaction_id,
      borsello.account_for(o.partner_key, 'Fees', fee ->> 'beneficiary'),
      round((fee ->> 'amount')::numeric * 100)::bigint
    from opened join borsello.operation as o using (operation_id), json_array_elements(o.fees) as fee
  )
  insert into borsello.entry (transaction_id, account_id, amount_cents)
  select transaction_id, account_id, sum(cents)::bigint from line group by 1, 2;
end;

create function borsello.is_behind(h borsello.operation) returns boolean
language sql stable
return exists (
  select from borsello.operation
  where harvesting_id = h.operation_id and wallet_id is not null and status <> 'Terminated'
    and settlement_step < h.settlement_step + case when h.status = 'Completing' then 1 else 0 end
);

-- Which flow an operation or a harvesting is in, and the message that starts or wakes it.
create function borsello.settlement_flow(o borsello.operation) returns text
language sql immutable parallel safe
return case when o.wallet_id is null then 'harvesting'
  when o.status like 'OutgoingPayment%' then 'outgoingPayment' else 'accountingOperation' end;

create function borsello.wake_settlement(o borsello.operation) returns void
language sql volatile
return borsello.tell_flows('SettlementAdvanced', coalesce(o.wallet_id, o.operation_id)::text,
  json_build_object('operationId', o.operation_id, 'partnerKey', o.partner_key,
    'flow', borsello.settlement_flow(o)));

-- The step after the transfer, or null where it waits for the bank's day or for members.
create function borsello.settle_own(o borsello.operation, r borsello.bank_request, terms json)
returns borsello.operation language plpgsql volatile as $$
declare
  moved borsello.operation;
begin
  if o.status = 'Confirmed' then
    -- What is harvested waits for its harvesting, and a harvesting for its last member.
    if o.wallet_id is null or jsonb_exists((terms -> 'harvestedTypes')::jsonb, o.type) then
      return null;
    end if;
    moved := borsello.settle_to(o, 'TransferInitializeRequested');
    perform borsello.ask_bank(moved, 'transfer');
    perform borsello.wake_settlement(moved);
  elsif o.status = 'TransferConfirmed' then
    update borsello.operation set settlement = json_build_object(
      'transferId', r.request_id,
      'transferCompletionDate', coalesce(r.booking_date, borsello.rome_date(r.last_outcome_at)),
      'transferCreditorAccountNumber',
      case when income then terms ->> 'safeguardingAccount' else terms ->> 'collectionAccount' end,
      'transferDebtorAccountNumber',
      case when income then terms ->> 'collectionAccount' else terms ->> 'safeguardingAccount' end,
      'transferTransactionReference', r.transaction_reference,
      'externalReference', operation_id)
    where operation_id = o.operation_id;
    moved := borsello.settle_to(o, 'TransferCompleted');
  elsif o.status = 'TransferCompleted' and o.type = 'SctWithdrawal' then
    moved := borsello.settle_to(o, 'OutgoingPaymentInitializeRequested');
    perform borsello.ask_bank(moved, 'payment');
    perform borsello.wake_settlement(moved);
  elsif o.status = 'OutgoingPaymentConfirmed' then
    if r.booking_date > borsello.rome_date(borsello.platform_now()) then return null; end if;
    moved := borsello.settle_to(o, 'OutgoingPaymentCompleted');
    perform borsello.publish_event('WireTransferCompleted', o.partner_key, o.wallet_id::text,
      moved.version, borsello.wire_transfer_event(moved, r, moved.last_update_date));
    if r.status = 'Returned' then perform borsello.credit_returned_payment(moved, r); end if;
  elsif o.status in ('TransferCompleted', 'OutgoingPaymentCompleted') then
    if o.wallet_id is null and o.store_id is not null then
      update borsello.operation set reconciliation_id = borsello.join_reconciliation_group(o)
      where operation_id = o.operation_id;
    elsif o.wallet_id is not null then
      perform borsello.post_payment_fees(array[o.operation_id]);
    end if;
    moved := borsello.settle_to(o, 'Completing');
  elsif o.status = 'Completing' and (o.wallet_id is not null or not borsello.is_behind(o)) then
    update borsello.operation set completion_date = borsello.platform_now()
    where operation_id = o.operation_id;
    moved := borsello.settle_to(o, 'Completed');
    perform borsello.publish_completion(moved);
  end if;
  return moved;
end $$;

-- Takes an operation or a harvesting as far as it goes by what is known, and says what it waits for.
-- Doing it again changes nothing. Members of a harvesting follow it and go nowhere by themselves.
create function borsello.advance_settlement(of_operation uuid, terms json) returns json
language plpgsql volatile as $$
declare
  o borsello.operation;
  r borsello.bank_request;
  moved borsello.operation;
begin
  -- Locked in the order of all commands: the wallet first.
  perform from borsello.wallet where wallet_id = (
    select wallet_id from borsello.operation where operation_id = of_operation) for no key update;
  select * into o from borsello.operation where operation_id = of_operation for no key update;
  if o.operation_id is null then return json_build_object('status', 'Unknown'); end if;
  loop
    exit when o.harvesting_id is not null and o.wallet_id is not null;
    select * into r from borsello.bank_request
    where operation_id = of_operation
      and kind = case when o.status like 'OutgoingPayment%' then 'payment' else 'transfer' end
    order by attempt desc limit 1;
    if o.status ~ '(Requested|Initialized|Unaccomplished)$' and o.status <> 'Initialized' then
      moved := borsello.settle_at_bank(o, r, terms);
    else
      moved := borsello.settle_own(o, r, terms);
    end if;
    exit when moved.operation_id is null;
    -- Read again: a step may have written columns beside those that it returned.
    select * into strict o from borsello.operation where operation_id = of_operation;
  end loop;
  return json_build_object('status', o.status, 'feedback', o.feedback, 'attempts', o.attempts,
    'isBehind', o.wallet_id is null and borsello.is_behind(o),
    'dueAt', borsello.iso(case
      when o.status ~ '(Initialize|Confirm)Requested$'
        then o.last_update_date + make_interval(secs => (terms ->> 'silenceSeconds')::integer)
      when o.status like '%Unaccomplished' then o.next_attempt_at
      when o.status = 'OutgoingPaymentConfirmed'
        then r.booking_date::timestamp at time zone 'Europe/Rome' end));
end $$;

-- Takes what waits for its time at once, and what failed from its beginning; false: nothing waits. A
-- harvesting of which members were terminated meanwhile is of the others.
create function borsello.restart_settlement(of_operation uuid, actor text) returns boolean
language plpgsql volatile as $$
declare
  o borsello.operation;
  remaining record;
begin
  perform from borsello.wallet where wallet_id = (
    select wallet_id from borsello.operation where operation_id = of_operation) for no key update;
  select * into o from borsello.operation where operation_id = of_operation for no key update;
  if o.harvesting_id is not null and o.wallet_id is not null then return false; end if;
  if o.status = 'TransferFailed' then
    if o.wallet_id is null then
      select coalesce(sum(amount_cents), 0)::bigint as cents into remaining
      from borsello.operation
      where harvesting_id = of_operation and wallet_id is not null and status <> 'Terminated';
      if remaining.cents <> o.amount_cents then
        perform borsello.shrink_harvesting(o);
        select * into strict o from borsello.operation where operation_id = of_operation;
        if o.status = 'Terminated' then return true; end if;
      end if;
    end if;
    o := borsello.settle_to(o, 'TransferInitializeRequested', 0, o.feedback);
    perform borsello.ask_bank(o, 'transfer');
  elsif o.status like '%Unaccomplished' then
    update borsello.operation set next_attempt_at = borsello.platform_now()
    where operation_id = of_operation;
  elsif o.status in ('Completed', 'Cancelled', 'Expired', 'Terminated', 'OutgoingPaymentRejected',
    'Initialized', 'Confirmed') then
    return false;
  end if;
  insert into borsello.audit (actor, partner_key, entity, entity_id, action, to_status)
  values (actor, o.partner_key, 'Operation', of_operation::text, 'restart', o.status);
  perform borsello.wake_settlement(o);
  return true;
end $$;

-- A failed harvesting without the members that were terminated; without any it is terminated itself. What
-- the bank was asked for before had another amount, so that it is not asked for again.
create function borsello.shrink_harvesting(h borsello.operation) returns void
language plpgsql volatile as $$
declare
  ended borsello.operation;
begin
  update borsello.bank_request set status = 'Refused', reason_code = 'AmountChanged'
  where operation_id = h.operation_id and status in ('Requested', 'Accepted');
  update borsello.operation as known set amount_cents = rest.amount, final_amount_cents = rest.final,
    net_amount_cents = rest.net, fees_amount_cents = rest.fees
  from (
    select sum(amount_cents)::bigint as amount, sum(final_amount_cents)::bigint as final,
      sum(net_amount_cents)::bigint as net, sum(fees_amount_cents)::bigint as fees
    from borsello.operation
    where harvesting_id = h.operation_id and wallet_id is not null and status <> 'Terminated'
  ) as rest
  where known.operation_id = h.operation_id and rest.amount is not null;
  if not found then
    update borsello.operation set termination_date = borsello.platform_now()
    where operation_id = h.operation_id;
    ended := borsello.settle_to(h, 'Terminated', h.attempts, h.feedback);
  end if;
end $$;

-- Claims so many confirmed operations for the harvestings of their day and party, which are opened where
-- they are missing; resolves to how many. One at a time for a partner and type, so that a timer and a
-- trigger do the same work once. Whoever terminates an operation meanwhile has it, or finds it claimed.
create function borsello.claim_for_harvestings(
  of_partner text, of_type text, up_to timestamptz, at_most integer
) returns integer language plpgsql volatile as $$
declare
  claimed integer;
begin
  perform pg_advisory_xact_lock(hashtextextended('harvestings ' || of_partner || ' ' || of_type, 0));
  with candidate as (
    select operation_id, store_id, dealer_key, borsello.rome_date(confirmation_date) as day,
      coalesce(store_id::text, dealer_key, 'cards') as party, funds_type, amount_cents,
      final_amount_cents, net_amount_cents, fees_amount_cents
    from borsello.operation
    where partner_key = of_partner and type = of_type and status = 'Confirmed'
      and wallet_id is not null and harvesting_id is null and confirmation_date < up_to
    order by last_update_date limit at_most
    for no key update skip locked
  ), added as materialized (
    select uuidv7() as operation_id, day, store_id, min(dealer_key) as dealer_key,
      case when of_type = 'Payment' then 'Standard' else min(funds_type) end as funds_type,
      sum(amount_cents)::bigint as amount_cents, sum(final_amount_cents)::bigint as final_cents,
      sum(net_amount_cents)::bigint as net_cents, sum(fees_amount_cents)::bigint as fees_cents
    from candidate group by day, party, store_id
  ), harvesting as (
    insert into borsello.operation as known (operation_id, harvesting_id, partner_key, dealer_key,
      store_id, type, amount_cents, final_amount_cents, net_amount_cents, fees_amount_cents, status,
      confirmation_date, funds_type, harvest_day)
    select operation_id, operation_id, of_partner, dealer_key, store_id, of_type, amount_cents,
      final_cents, net_cents, fees_cents, 'Confirmed', borsello.platform_now(), funds_type, day
    from added
    on conflict (partner_key, type, (coalesce(store_id::text, dealer_key, 'cards')), harvest_day)
      where wallet_id is null and status = 'Confirmed'
    do update set
      amount_cents = known.amount_cents + excluded.amount_cents,
      final_amount_cents = known.final_amount_cents + excluded.final_amount_cents,
      net_amount_cents = known.net_amount_cents + excluded.net_amount_cents,
      fees_amount_cents = known.fees_amount_cents + excluded.fees_amount_cents,
      version = known.version + 1, last_update_date = borsello.platform_now()
    returning operation_id, store_id, dealer_key, harvest_day, known
  ), opened as (
    select borsello.record_operation_change(known, 'platform', 'harvest', null, null)
    from harvesting where (known).version = 1
  ), member as (
    update borsello.operation as o set harvesting_id = harvesting.operation_id,
      status = 'TransferInitializeRequested', settlement_step = 1, version = o.version + 1,
      last_update_date = borsello.platform_now()
    from candidate join harvesting on harvesting.harvest_day = candidate.day
      and coalesce(harvesting.store_id::text, harvesting.dealer_key, 'cards') = candidate.party
    where o.operation_id = candidate.operation_id and o.status = 'Confirmed'
    returning o.operation_id, o.harvesting_id
  ), audited as (
    insert into borsello.audit
      (actor, partner_key, entity, entity_id, action, from_status, to_status, detail)
    select 'platform', of_partner, 'Operation', operation_id::text, 'settle', 'Confirmed',
      'TransferInitializeRequested', json_build_object('harvestingId', harvesting_id)
    from member
  )
  select (select count(*) from member) + 0 * (select count(*) from opened) into claimed;
  return claimed;
end $$;

-- Closes harvestings that took their last member: the bank is asked for their transfers. Resolves to how
-- many.
create function borsello.close_harvestings(of_partner text, of_type text, at_most integer)
returns integer language plpgsql volatile as $$
declare
  o borsello.operation;
  closed integer := 0;
begin
  perform pg_advisory_xact_lock(hashtextextended('harvestings ' || of_partner || ' ' || of_type, 0));
  for o in
    select * from borsello.operation
    where partner_key = of_partner and type = of_type and wallet_id is null
      and status = 'Confirmed'
    order by operation_id limit at_most for no key update
  loop
    update borsello.operation set fees = borsello.harvested_fees(o)
    where operation_id = o.operation_id and fees_amount_cents > 0;
    o := borsello.settle_to(o, 'TransferInitializeRequested');
    perform borsello.ask_bank(o, 'transfer');
    perform borsello.wake_settlement(o);
    closed := closed + 1;
  end loop;
  return closed;
end $$;

-- The fees of all members, by who gets them and who pays them.
create function borsello.harvested_fees(h borsello.operation) returns json
language sql stable
return (
  select coalesce(json_agg(json_build_object(
    'amount', amount, 'beneficiary', beneficiary, 'debtor', debtor)), '[]')
  from (
    select fee ->> 'beneficiary' as beneficiary, fee ->> 'debtor' as debtor,
      trim_scale(sum((fee ->> 'amount')::numeric)) as amount
    from borsello.operation as member, json_array_elements(member.fees) as fee
    where harvesting_id = h.operation_id and wallet_id is not null
    group by 1, 2
  ) as total
);

-- Takes so many members of a harvesting as far as it is itself, with each step's audit row; resolves to
-- how many moved. In Completing they are completed, and the harvesting after them.
create function borsello.follow_harvesting(of_harvesting uuid, at_most integer) returns integer
language plpgsql volatile as $$
declare
  h borsello.operation;
  ends boolean;
  last_step integer;
  members uuid[];
begin
  select * into h from borsello.operation where operation_id = of_harvesting and wallet_id is null;
  if h.operation_id is null then return 0; end if;
  ends := h.status in ('Completing', 'Completed');
  last_step := h.settlement_step + case when h.status = 'Completing' then 1 else 0 end;
  members := array(
    select operation_id from borsello.operation
    where harvesting_id = of_harvesting and wallet_id is not null and status <> 'Terminated'
      and settlement_step < last_step
    limit at_most);
  if ends and h.type = 'Payment' then
    -- Fees move funds: the wallets are locked before their operations, as by every command.
    perform from borsello.wallet where wallet_id in (
      select wallet_id from borsello.operation
      where operation_id = any(members) and fees_amount_cents > 0)
    order by wallet_id for no key update;
  end if;
  members := array(
    select operation_id from borsello.operation
    where operation_id = any(members) and status <> 'Terminated' and settlement_step < last_step
    order by operation_id for no key update skip locked);
  if ends then perform borsello.post_payment_fees(members); end if;
  with moved as (
    update borsello.operation as o set
      status = case when ends then 'Completed' else h.status end,
      attempts = h.attempts, feedback = h.feedback, next_attempt_at = h.next_attempt_at,
      settlement = h.settlement, reconciliation_id = h.reconciliation_id,
      completion_date = case when ends then borsello.platform_now() end,
      settlement_step = last_step, version = o.version + last_step - o.settlement_step,
      last_update_date = borsello.platform_now()
    where operation_id = any(members)
    returning o.operation_id, old.settlement_step as step_before
  )
  insert into borsello.audit
    (actor, partner_key, entity, entity_id, action, from_status, to_status, detail)
  select 'platform', h.partner_key, 'Operation', moved.operation_id::text, 'settle',
    step.from_status, step.to_status, case when step.feedback is null and step.attempts = 0 then null
      else json_build_object('feedback', step.feedback, 'attempts', step.attempts,
        'nextAttemptAt', borsello.iso(step.next_attempt_at)) end
  from moved join (
    select step, from_status, to_status, attempts, feedback, next_attempt_at
    from borsello.harvesting_step where harvesting_id = of_harvesting and step <= last_step
    union all
    select last_step, 'Completing', 'Completed', 0, null, null where h.status = 'Completing'
  ) as step on step.step > moved.step_before
  order by moved.operation_id, step.step;
  if ends then
    perform borsello.publish_completion(o) from (
      select * from borsello.operation where operation_id = any(members) order by operation_id
    ) as o;
  end if;
  return cardinality(members);
end $$;
