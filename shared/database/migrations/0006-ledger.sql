-- Money: operations on a wallet's buckets, and the double-entry ledger that the database keeps itself.

-- Ledger accounts. An entry's sign is the account's own view: a positive amount raises what the
-- account owes its holder, so a deposit is +wallet, -bank. Only buckets carry a stored balance:
-- shared accounts are appended to and summed when somebody asks, so none of them is a hot row.
create table borsello.account (
  account_id bigint generated always as identity primary key,
  partner_key text not null references borsello.partner,
  kind text not null check (kind in ('Bank', 'Bucket', 'Store', 'Fees')),
  reference text not null,
  unique (partner_key, kind, reference)
);

-- The account of that name, opened on first use. Each statement of a plpgsql function sees what
-- others committed before it, so the loser of a race finds the winner's account.
create function borsello.account_for(of_partner text, of_kind text, of_reference text)
returns bigint language plpgsql volatile as $$
declare
  found_id bigint;
begin
  select account_id into found_id from borsello.account
  where partner_key = of_partner and kind = of_kind and reference = of_reference;
  if found_id is null then
    insert into borsello.account (partner_key, kind, reference)
    values (of_partner, of_kind, of_reference)
    on conflict do nothing returning account_id into found_id;
  end if;
  if found_id is null then
    select account_id into strict found_id from borsello.account
    where partner_key = of_partner and kind = of_kind and reference = of_reference;
  end if;
  return found_id;
end $$;

-- A part of a wallet's funds: same type, same expiry, withdrawable or not.
create table borsello.bucket (
  bucket_id uuid primary key default uuidv7(),
  wallet_id uuid not null references borsello.wallet,
  partner_key text not null references borsello.partner,
  account_id bigint not null unique references borsello.account,
  funds_type text not null check (funds_type in ('Standard', 'Welfare', 'Loyalty')),
  funds_expiry_date date,
  is_withdrawable boolean not null,
  balance_cents bigint not null default 0,
  creation_date timestamptz not null default borsello.platform_now(),
  last_incoming_date timestamptz,
  last_outgoing_date timestamptz,
  constraint bucket_not_overdrawn check (balance_cents >= 0),
  unique nulls not distinct (wallet_id, funds_type, funds_expiry_date)
);

-- Operations (wallet seed, 2.4; the 23 states of 3.2).
create table borsello.operation (
  operation_id uuid primary key default uuidv7(),
  wallet_id uuid not null references borsello.wallet,
  partner_key text not null references borsello.partner,
  dealer_key text,
  store_id uuid,
  type text not null check (type in (
    'CashDeposit', 'CashWithdrawal', 'LoyaltyDeposit', 'WelfareDeposit', 'Payment',
    'SctWithdrawal', 'SctStandardDeposit', 'SctInstantDeposit', 'SddDeposit')),
  -- True when the operation increases what the wallet holds.
  income boolean not null generated always as (
    type not in ('CashWithdrawal', 'Payment', 'SctWithdrawal')) stored,
  idempotency_key text check (length(idempotency_key) = 32),
  amount_cents bigint not null check (amount_cents > 0),
  final_amount_cents bigint not null check (final_amount_cents >= 0),
  net_amount_cents bigint not null check (net_amount_cents >= 0),
  fees_amount_cents bigint not null check (fees_amount_cents >= 0),
  fees json not null default '[]',
  status text not null check (status in (
    'Initialized', 'Confirmed', 'Completing', 'Completed', 'Cancelled', 'Expired', 'Terminated',
    'TransferInitializeRequested', 'TransferInitialized', 'TransferInitializeUnaccomplished',
    'TransferConfirmRequested', 'TransferConfirmed', 'TransferConfirmUnaccomplished',
    'TransferCompleted', 'TransferFailed',
    'OutgoingPaymentInitializeRequested', 'OutgoingPaymentInitialized',
    'OutgoingPaymentInitializeUnaccomplished', 'OutgoingPaymentConfirmRequested',
    'OutgoingPaymentConfirmed', 'OutgoingPaymentConfirmUnaccomplished',
    'OutgoingPaymentCompleted', 'OutgoingPaymentRejected')),
  creation_date timestamptz not null default borsello.platform_now(),
  confirmation_date timestamptz,
  last_update_date timestamptz not null default borsello.platform_now(),
  cancellation_date timestamptz,
  expiry_date timestamptz,
  termination_date timestamptz,
  completion_date timestamptz,
  operation_group_id uuid,
  feedback text,
  attempts integer not null default 0,
  bank_notification_id uuid references borsello.bank_notification,
  harvesting_id uuid,
  tags json,
  metadata json,
  funds_type text not null check (funds_type in ('Standard', 'Welfare', 'Loyalty')),
  bucket_id uuid not null references borsello.bucket,
  reconciliation_id uuid,
  funds_expiry_date date,
  version bigint not null default 1,
  constraint operation_idempotency unique (partner_key, type, idempotency_key)
);
create index operation_by_wallet on borsello.operation (wallet_id, operation_id);
create index operation_open on borsello.operation (wallet_id) where status = 'Initialized';
-- An incoming transfer is credited once, whatever is retried or raced.
create unique index operation_once_per_sct on borsello.operation (bank_notification_id)
  where type in ('SctStandardDeposit', 'SctInstantDeposit');

-- One movement of money; (operation, kind) is the proof that it happened once.
create table borsello.ledger_transaction (
  transaction_id bigint generated always as identity primary key,
  operation_id uuid not null references borsello.operation,
  kind text not null check (kind in ('Deposit', 'Withdrawal', 'Payment', 'Fee', 'Reversal')),
  posted_at timestamptz not null default borsello.platform_now(),
  posted_in xid8 not null default pg_current_xact_id(),
  constraint ledger_transaction_once unique (operation_id, kind)
);

create table borsello.entry (
  transaction_id bigint not null references borsello.ledger_transaction,
  account_id bigint not null references borsello.account,
  amount_cents bigint not null check (amount_cents <> 0),
  primary key (transaction_id, account_id)
);
create index entry_by_account on borsello.entry (account_id, transaction_id);

-- At commit every transaction has at least two entries, and they sum to zero.
create function borsello.refuse_unbalanced() returns trigger language plpgsql as $$
declare
  total numeric;
  entries bigint;
begin
  select coalesce(sum(amount_cents), 0), count(*) into total, entries
  from borsello.entry where transaction_id = new.transaction_id;
  if total <> 0 or entries < 2 then
    raise exception 'ledger transaction %: % entries sum to % cents',
      new.transaction_id, entries, total
      using errcode = 'check_violation', constraint = 'ledger_transaction_balanced';
  end if;
  return null;
end $$;
create constraint trigger transaction_balanced after insert on borsello.ledger_transaction
  deferrable initially deferred for each row execute function borsello.refuse_unbalanced();
create constraint trigger entry_balanced after insert on borsello.entry
  deferrable initially deferred for each row execute function borsello.refuse_unbalanced();

-- What is posted stays posted: corrections are new transactions.
create function borsello.refuse_rewriting() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append-only: % on % is refused', tg_op, tg_table_name
    using errcode = 'check_violation', constraint = 'ledger_append_only';
end $$;
create trigger transaction_append_only before update or delete or truncate
  on borsello.ledger_transaction
  for each statement execute function borsello.refuse_rewriting();
create trigger entry_append_only before update or delete or truncate on borsello.entry
  for each statement execute function borsello.refuse_rewriting();

-- New entries move their buckets' balances in the same statement, and may only join a transaction
-- that this database transaction opened: a committed one is closed.
create function borsello.post_entries() returns trigger language plpgsql as $$
begin
  if exists (
    select from posted join borsello.ledger_transaction using (transaction_id)
    where posted_in <> pg_current_xact_id()
  ) then
    raise exception 'the ledger is append-only: a committed transaction takes no more entries'
      using errcode = 'check_violation', constraint = 'ledger_append_only';
  end if;
  update borsello.bucket set
    balance_cents = balance_cents + moved.amount_cents,
    last_incoming_date = case when moved.amount_cents > 0
      then borsello.platform_now() else last_incoming_date end,
    last_outgoing_date = case when moved.amount_cents < 0
      then borsello.platform_now() else last_outgoing_date end
  from (
    select account_id, sum(amount_cents)::bigint as amount_cents from posted group by account_id
  ) as moved
  where bucket.account_id = moved.account_id;
  return null;
end $$;
create trigger entry_moves_bucket after insert on borsello.entry
  referencing new table as posted
  for each statement execute function borsello.post_entries();

-- Replays every entry: a row here is a balance that its entries do not explain.
create view borsello.bucket_mismatch as
select bucket.bucket_id, bucket.balance_cents, coalesce(sum(entry.amount_cents), 0) as entries_cents
from borsello.bucket left join borsello.entry using (account_id)
group by bucket.bucket_id
having bucket.balance_cents <> coalesce(sum(entry.amount_cents), 0);

-- What a wallet can spend: its buckets minus what initialised debits hold.
create function borsello.available_cents(of_wallet uuid) returns bigint
language sql stable
return (
  coalesce((select sum(balance_cents) from borsello.bucket where wallet_id = of_wallet), 0)
  - coalesce((select sum(final_amount_cents) from borsello.operation
      where wallet_id = of_wallet and status = 'Initialized' and not income), 0)
)::bigint;

-- Payload of OperationInitialized (contract 4.5, last paragraph); the later events add their dates.
create function borsello.operation_event(of_operation borsello.operation) returns json
language sql stable
return json_build_object(
  'operationId', (of_operation).operation_id, 'walletId', (of_operation).wallet_id,
  'partnerKey', (of_operation).partner_key, 'dealerKey', (of_operation).dealer_key,
  'storeId', (of_operation).store_id, 'operationType', (of_operation).type,
  'fundsType', (of_operation).funds_type, 'bucketId', (of_operation).bucket_id,
  'operationGroupId', (of_operation).operation_group_id,
  'amount', borsello.money((of_operation).amount_cents),
  'finalAmount', borsello.money((of_operation).final_amount_cents),
  'netAmount', borsello.money((of_operation).net_amount_cents),
  'feesAmount', borsello.money((of_operation).fees_amount_cents),
  'fees', (of_operation).fees, 'income', (of_operation).income, 'status', (of_operation).status,
  'creationDate', borsello.iso((of_operation).creation_date),
  'expiryDate', borsello.iso((of_operation).expiry_date), 'tags', (of_operation).tags
);

-- Payload of TransactionConfirmed (wallet seed, section 6).
create function borsello.transaction_event(
  of_operation borsello.operation, transaction_id bigint, transaction_type text
) returns json
language sql stable
return json_build_object(
  'partnerKey', (of_operation).partner_key, 'dealerKey', (of_operation).dealer_key,
  'walletId', (of_operation).wallet_id, 'storeId', (of_operation).store_id,
  'operationType', (of_operation).type, 'amount', borsello.money((of_operation).amount_cents),
  'income', (of_operation).income, 'operationId', (of_operation).operation_id,
  'transactionId', transaction_id, 'transactionType', transaction_type,
  'fees', (of_operation).fees, 'confirmationDate', borsello.iso((of_operation).confirmation_date),
  'initializationDate', borsello.iso((of_operation).creation_date)
);
