-- Wallet management: the events of the states, force-delete, the counters behind lists and statistics.

-- As WalletUpdated, with the date of the reopening (wallet seed, section 6).
create function borsello.wallet_reopened_event(w borsello.wallet) returns json
language sql stable parallel safe
return json_build_object(
  'walletId', w.wallet_id, 'partnerKey', w.partner_key, 'taxId', w.tax_id,
  'firstName', w.first_name, 'lastName', w.last_name, 'iban', w.iban,
  'phoneNumber', w.phone_number, 'email', w.email,
  'creationDate', borsello.iso(w.creation_date),
  'lastUpdateDate', borsello.iso(w.last_update_date),
  'lastUsageDate', borsello.iso(w.last_usage_date),
  'closureDate', borsello.iso(w.closure_date),
  'suspensionDate', borsello.iso(w.suspension_date),
  'reopeningDate', borsello.iso(w.reopening_date),
  'originatingDealerKey', w.originating_dealer_key
);

-- What a bucket holds that can be spent: its balance minus what initialised debits hold.
create function borsello.bucket_record(b borsello.bucket) returns json
language sql stable parallel safe
return json_build_object(
  'bucketId', b.bucket_id, 'walletId', b.wallet_id, 'partnerKey', b.partner_key,
  'availableBalance', borsello.money(b.balance_cents - coalesce((
    select sum(final_amount_cents)::bigint from borsello.operation as o
    where o.wallet_id = b.wallet_id and o.status = 'Initialized' and not o.income
      and o.bucket_id = b.bucket_id), 0)),
  'creationDate', borsello.iso(b.creation_date),
  'lastIncomingDate', borsello.iso(b.last_incoming_date),
  'lastOutgoingDate', borsello.iso(b.last_outgoing_date), 'isWithdrawable', b.is_withdrawable
);

-- Payload of BucketCreated (contract 4.5, last paragraph).
create function borsello.bucket_event(b borsello.bucket) returns json
language sql stable parallel safe
return borsello.json_with(borsello.bucket_record(b), json_build_object(
  'fundsType', b.funds_type, 'fundsExpiryDate', b.funds_expiry_date));

-- Whether this transaction is deleting the wallet for good. Never: only outside production does the
-- app put another function in this one's place.
create function borsello.is_being_deleted(of_wallet uuid) returns boolean
language sql stable
return false;

-- Posted lines may go only together with their whole wallet.
create function borsello.refuse_deleting() returns trigger language plpgsql as $$
begin
  if exists (
    select from borsello.ledger_transaction join borsello.operation using (operation_id)
    where transaction_id = old.transaction_id and borsello.is_being_deleted(wallet_id)
  ) then
    return old;
  end if;
  raise exception 'the ledger is append-only: % on % is refused', tg_op, tg_table_name
    using errcode = 'check_violation', constraint = 'ledger_append_only';
end $$;
drop trigger transaction_append_only on borsello.ledger_transaction;
drop trigger entry_append_only on borsello.entry;
create trigger transaction_append_only before update or truncate on borsello.ledger_transaction
  for each statement execute function borsello.refuse_rewriting();
create trigger entry_append_only before update or truncate on borsello.entry
  for each statement execute function borsello.refuse_rewriting();
create trigger transaction_not_deleted before delete on borsello.ledger_transaction
  for each row execute function borsello.refuse_deleting();
create trigger entry_not_deleted before delete on borsello.entry
  for each row execute function borsello.refuse_deleting();

-- What lists, searches and statistics are read by: pages in order, first and last dates.
create index wallet_by_creation on borsello.wallet (partner_key, creation_date, wallet_id);
create index wallet_by_status on borsello.wallet (partner_key, status, creation_date, wallet_id);
create index wallet_never_used on borsello.wallet (partner_key, status, creation_date, wallet_id)
  where last_usage_date is null;
create index wallet_by_dealer on borsello.wallet (originating_dealer_key, creation_date);
create index wallet_by_update on borsello.wallet (originating_dealer_key, last_update_date)
  where last_update_date is not null;
create index wallet_by_usage on borsello.wallet (originating_dealer_key, last_usage_date)
  where last_usage_date is not null;

-- How many wallets a dealer has in each state, and what they hold together. Each change adds its
-- difference to the row of its own connection's shard, so that changes at the same time seldom wait
-- for each other; who reads adds up the shards.
create table borsello.wallet_count (
  partner_key text not null references borsello.partner,
  dealer_key text not null references borsello.dealer,
  shard integer not null,
  active bigint not null default 0,
  suspended bigint not null default 0,
  closed bigint not null default 0,
  active_unused bigint not null default 0,
  suspended_unused bigint not null default 0,
  closed_unused bigint not null default 0,
  -- Closed wallets are left out of the next three.
  iban_validated bigint not null default 0,
  iban_pending bigint not null default 0,
  iban_absent bigint not null default 0,
  available_cents bigint not null default 0,
  primary key (partner_key, dealer_key, shard)
) with (fillfactor = 50);

-- How many wallets were created on each UTC day: what a list of a range of dates counts by.
create table borsello.wallet_day (
  partner_key text not null references borsello.partner,
  day date not null,
  shard integer not null,
  wallets bigint not null,
  primary key (partner_key, day, shard)
) with (fillfactor = 50);

create function borsello.count_shard() returns integer language sql stable
return pg_backend_pid() % 16;

create function borsello.counts_of(w borsello.wallet) returns borsello.wallet_count
language sql stable
return row(
  w.partner_key, w.originating_dealer_key, borsello.count_shard(),
  (w.status = 'Active')::integer, (w.status = 'Suspended')::integer,
  (w.status = 'Closed')::integer,
  (w.status = 'Active' and w.last_usage_date is null)::integer,
  (w.status = 'Suspended' and w.last_usage_date is null)::integer,
  (w.status = 'Closed' and w.last_usage_date is null)::integer,
  (w.status <> 'Closed' and w.is_iban_validated)::integer,
  (w.status <> 'Closed' and w.iban is not null and not w.is_iban_validated)::integer,
  (w.status <> 'Closed' and w.iban is null)::integer, 0
)::borsello.wallet_count;

create function borsello.add_counts(change borsello.wallet_count, weight integer) returns void
language sql volatile
begin atomic
  insert into borsello.wallet_count as known values (
    (change).partner_key, (change).dealer_key, (change).shard, weight * (change).active,
    weight * (change).suspended, weight * (change).closed, weight * (change).active_unused,
    weight * (change).suspended_unused, weight * (change).closed_unused,
    weight * (change).iban_validated, weight * (change).iban_pending,
    weight * (change).iban_absent, weight * (change).available_cents)
  on conflict (partner_key, dealer_key, shard) do update set
    active = known.active + excluded.active,
    suspended = known.suspended + excluded.suspended,
    closed = known.closed + excluded.closed,
    active_unused = known.active_unused + excluded.active_unused,
    suspended_unused = known.suspended_unused + excluded.suspended_unused,
    closed_unused = known.closed_unused + excluded.closed_unused,
    iban_validated = known.iban_validated + excluded.iban_validated,
    iban_pending = known.iban_pending + excluded.iban_pending,
    iban_absent = known.iban_absent + excluded.iban_absent,
    available_cents = known.available_cents + excluded.available_cents;
end;

create function borsello.add_day(of_wallet borsello.wallet, weight integer) returns void
language sql volatile
begin atomic
  insert into borsello.wallet_day as known values (
    (of_wallet).partner_key, ((of_wallet).creation_date at time zone 'UTC')::date,
    borsello.count_shard(), weight)
  on conflict (partner_key, day, shard) do update set wallets = known.wallets + excluded.wallets;
end;

create function borsello.count_wallet() returns trigger language plpgsql as $$
begin
  if tg_op in ('UPDATE', 'DELETE') then
    perform borsello.add_counts(borsello.counts_of(old), -1);
  end if;
  if tg_op in ('UPDATE', 'INSERT') then
    perform borsello.add_counts(borsello.counts_of(new), 1);
  end if;
  if tg_op = 'INSERT' then perform borsello.add_day(new, 1); end if;
  if tg_op = 'DELETE' then perform borsello.add_day(old, -1); end if;
  return null;
end $$;
create trigger wallet_counted after insert or delete on borsello.wallet
  for each row execute function borsello.count_wallet();
-- Columns that are compared one by one cost next to nothing where nothing is to be counted.
create trigger wallet_recounted
  after update of status, iban, is_iban_validated, last_usage_date on borsello.wallet
  for each row when (
    old.status <> new.status or (old.iban is null) <> (new.iban is null)
    or old.is_iban_validated <> new.is_iban_validated
    or (old.last_usage_date is null) <> (new.last_usage_date is null))
  execute function borsello.count_wallet();

-- Adds a difference of funds to the count of the wallet's dealer.
create function borsello.add_funds(of_wallet uuid, cents bigint) returns void
language sql volatile
begin atomic
  insert into borsello.wallet_count as known (partner_key, dealer_key, shard, available_cents)
  select w.partner_key, w.originating_dealer_key, borsello.count_shard(), cents
  from borsello.wallet as w where w.wallet_id = of_wallet
  on conflict (partner_key, dealer_key, shard) do update set
    available_cents = known.available_cents + excluded.available_cents;
end;

create function borsello.count_bucket() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform borsello.add_funds(old.wallet_id, -old.balance_cents);
  elsif tg_op = 'INSERT' then
    perform borsello.add_funds(new.wallet_id, new.balance_cents);
  else
    perform borsello.add_funds(new.wallet_id, new.balance_cents - old.balance_cents);
  end if;
  return null;
end $$;
create trigger bucket_counted after insert on borsello.bucket
  for each row when (new.balance_cents <> 0) execute function borsello.count_bucket();
create trigger bucket_recounted after update of balance_cents on borsello.bucket
  for each row when (new.balance_cents <> old.balance_cents)
  execute function borsello.count_bucket();
create trigger bucket_uncounted after delete on borsello.bucket
  for each row when (old.balance_cents <> 0) execute function borsello.count_bucket();

-- What an operation holds of the wallet's funds.
create function borsello.held_cents(o borsello.operation) returns bigint
language sql immutable parallel safe
return case when o.status = 'Initialized' and not o.income then o.final_amount_cents else 0 end;

create function borsello.count_hold() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    perform borsello.add_funds(old.wallet_id, borsello.held_cents(old));
  elsif tg_op = 'INSERT' then
    perform borsello.add_funds(new.wallet_id, -borsello.held_cents(new));
  else
    perform borsello.add_funds(
      new.wallet_id, borsello.held_cents(old) - borsello.held_cents(new));
  end if;
  return null;
end $$;
create trigger hold_counted after insert on borsello.operation
  for each row when (borsello.held_cents(new) <> 0) execute function borsello.count_hold();
create trigger hold_recounted after update of status, final_amount_cents on borsello.operation
  for each row when (borsello.held_cents(new) <> borsello.held_cents(old))
  execute function borsello.count_hold();
create trigger hold_uncounted after delete on borsello.operation
  for each row when (borsello.held_cents(old) <> 0) execute function borsello.count_hold();

-- The counts as the wallets themselves give them, in the counters' own shape.
create view borsello.wallet_count_of_wallets as
select partner_key, originating_dealer_key as dealer_key, 0 as shard,
  sum((counts).active)::bigint as active, sum((counts).suspended)::bigint as suspended,
  sum((counts).closed)::bigint as closed, sum((counts).active_unused)::bigint as active_unused,
  sum((counts).suspended_unused)::bigint as suspended_unused,
  sum((counts).closed_unused)::bigint as closed_unused,
  sum((counts).iban_validated)::bigint as iban_validated,
  sum((counts).iban_pending)::bigint as iban_pending,
  sum((counts).iban_absent)::bigint as iban_absent,
  coalesce((
    select sum(balance_cents) from borsello.bucket join borsello.wallet as w using (wallet_id)
    where w.originating_dealer_key = counted.originating_dealer_key), 0)::bigint
  - coalesce((
    select sum(borsello.held_cents(o)) from borsello.operation as o
    join borsello.wallet as w using (wallet_id)
    where w.originating_dealer_key = counted.originating_dealer_key), 0)::bigint
    as available_cents
from (
  select w.partner_key, w.originating_dealer_key, borsello.counts_of(w) as counts
  from borsello.wallet as w
) as counted
group by partner_key, originating_dealer_key;

-- Counts anew: after a bulk load that left the triggers out, and for wallets older than the counters.
create function borsello.recount_wallets() returns void language plpgsql as $$
begin
  lock table borsello.wallet, borsello.bucket, borsello.operation in share mode;
  delete from borsello.wallet_count;
  insert into borsello.wallet_count select * from borsello.wallet_count_of_wallets;
  delete from borsello.wallet_day;
  insert into borsello.wallet_day
  select partner_key, (creation_date at time zone 'UTC')::date, 0, count(*)
  from borsello.wallet group by 1, 2;
end $$;
select borsello.recount_wallets();
