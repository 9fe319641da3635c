-- Lists and figures of operations: a wallet's in order of creation, a store's by day; the end of one group.

-- Lists are in order of creation; whoever only looks for a wallet's operations finds them by it, too.
drop index borsello.operation_by_wallet;
create index operation_by_wallet on borsello.operation (wallet_id, creation_date, operation_id);

-- What a store did on each day (Europe/Rome): that of the confirmation, before it that of the creation.
-- Each change adds its difference to its own connection's shard; who reads adds up the shards.
create table borsello.store_operation_day (
  store_id uuid not null,
  day date not null,
  type text not null,
  status text not null,
  shard integer not null,
  operations bigint not null default 0,
  amount_cents bigint not null default 0,
  primary key (store_id, day, type, status, shard)
) with (fillfactor = 50);

create function borsello.counted_day(confirmation_date timestamptz, creation_date timestamptz)
returns date language sql immutable parallel safe
return borsello.rome_date(coalesce(confirmation_date, creation_date));

-- The differences that a statement made; harvestings do not count (contract 0.4).
create or replace function borsello.count_operations() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into borsello.operation_count as known
    select partner_key, type, status, borsello.count_shard(), count(*), min(creation_date),
      max(creation_date)
    from added where wallet_id is not null group by partner_key, type, status
    order by partner_key, type, status
    on conflict (partner_key, type, status, shard) do update set
      operations = known.operations + excluded.operations,
      min_creation_date = least(known.min_creation_date, excluded.min_creation_date),
      max_creation_date = greatest(known.max_creation_date, excluded.max_creation_date);
    insert into borsello.store_operation_day as known
    select store_id, borsello.counted_day(confirmation_date, creation_date), type, status,
      borsello.count_shard(), count(*), sum(amount_cents)
    from added where wallet_id is not null and store_id is not null group by 1, 2, 3, 4
    order by 1, 2, 3, 4
    on conflict (store_id, day, type, status, shard) do update set
      operations = known.operations + excluded.operations,
      amount_cents = known.amount_cents + excluded.amount_cents;
  elsif tg_op = 'DELETE' then
    insert into borsello.operation_count as known (partner_key, type, status, shard, operations)
    select partner_key, type, status, borsello.count_shard(), -count(*)
    from removed where wallet_id is not null group by partner_key, type, status
    order by partner_key, type, status
    on conflict (partner_key, type, status, shard) do update set
      operations = known.operations + excluded.operations;
    insert into borsello.store_operation_day as known
    select store_id, borsello.counted_day(confirmation_date, creation_date), type, status,
      borsello.count_shard(), -count(*), -sum(amount_cents)
    from removed where wallet_id is not null and store_id is not null group by 1, 2, 3, 4
    order by 1, 2, 3, 4
    on conflict (store_id, day, type, status, shard) do update set
      operations = known.operations + excluded.operations,
      amount_cents = known.amount_cents + excluded.amount_cents;
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
    order by partner_key, type, status
    on conflict (partner_key, type, status, shard) do update set
      operations = known.operations + excluded.operations;
    insert into borsello.store_operation_day as known
    select store_id, borsello.counted_day(confirmation_date, creation_date), type, status,
      borsello.count_shard(), sum(weight), sum(weight * amount_cents)
    from (
      select store_id, confirmation_date, creation_date, type, status, amount_cents, wallet_id,
        1 as weight from added
      union all
      select store_id, confirmation_date, creation_date, type, status, amount_cents, wallet_id,
        -1 from removed
    ) as change
    where wallet_id is not null and store_id is not null
    group by 1, 2, 3, 4 having sum(weight) <> 0 or sum(weight * amount_cents) <> 0
    order by 1, 2, 3, 4
    on conflict (store_id, day, type, status, shard) do update set
      operations = known.operations + excluded.operations,
      amount_cents = known.amount_cents + excluded.amount_cents;
  end if;
  return null;
end $$;

-- The counts as the operations themselves give them, in the counters' own shape.
create view borsello.store_operation_day_of_operations as
select store_id, borsello.counted_day(confirmation_date, creation_date) as day, type, status,
  0 as shard, count(*) as operations, sum(amount_cents)::bigint as amount_cents
from borsello.operation where wallet_id is not null and store_id is not null group by 1, 2, 3, 4;
insert into borsello.store_operation_day select * from borsello.store_operation_day_of_operations;

-- A store's reconciliation groups by day, and which types of operations each of them holds.
create index reconciliation_group_by_day on borsello.reconciliation_group (store_id, day);
create index harvesting_reconciled on borsello.operation (reconciliation_id, type)
  where wallet_id is null and reconciliation_id is not null;

-- Ends a pending group whose time has passed; false: it is over already, or has time left.
create function borsello.expire_group(of_group uuid) returns boolean
language plpgsql volatile as $$
begin
  perform from borsello.wallet where wallet_id = (
    select wallet_id from borsello.operation_group where operation_group_id = of_group)
  for no key update;
  if exists (
    select from borsello.operation_group
    where operation_group_id = of_group and expiry_date <= borsello.platform_now()
  ) then
    return borsello.end_group(of_group, 'platform', 'expire', 'Expired');
  end if;
  return false;
end $$;
