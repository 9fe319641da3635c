-- Commands on operations and groups (contract 4.1, 4.2). Each runs in one round trip, alone or with
-- others; each has an outcome of its own, and what refuses has written nothing.

-- What every event of an operation tells (contract 4.7). In an end without money `expiryDate` says that
-- it expired, and is null where it did not.
create or replace function borsello.operation_event(of_operation borsello.operation) returns json
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
  'expiryDate', case when (of_operation).status not in ('Cancelled', 'Terminated')
    then borsello.iso((of_operation).expiry_date) end,
  'tags', (of_operation).tags
);

create or replace function borsello.operation_end_dates(o borsello.operation) returns json
language sql stable parallel safe
return json_build_object(
  'cancellationDate', borsello.iso(o.cancellation_date),
  'terminationDate', borsello.iso(o.termination_date));

-- Bounds in cents, as the partner's settings have them.
create type borsello.limit_bounds as (
  minimum bigint, minimum_payment bigint, maximum bigint, maximum_cash bigint, cash_deposit bigint, cash_withdrawal bigint, sdd_deposit bigint,
  welfare_deposit bigint
);

-- One command. Which fields are set depends on its kind; null where a kind has none.
create type borsello.operation_command as (
  kind text,
  partner_key text,
  -- The client that the audit names, and whether it is the platform's own operator.
  actor text,
  is_operator boolean,
  wallet_id uuid,
  type text,
  operation_id uuid,
  operation_group_id uuid,
  idempotency_key text,
  -- SHA-256 of what was asked, as hex.
  request_hash text,
  amount_cents bigint,
  fees_amount_cents bigint,
  fees json,
  dealer_key text,
  store_id uuid,
  funds_type text,
  funds_expiry_date date,
  bucket_id uuid,
  is_withdrawable boolean,
  tags json,
  metadata json,
  expires_after interval,
  limits borsello.limit_bounds
);

-- Null code: it was done, and `answer` is what the caller reads. Code `busy`: somebody else holds the
-- wallet; nothing was done, ask again where waiting is no harm to others.
-- `opened`: an operation that is decided and still to be written, together with others of its call.
create type borsello.command_outcome as (
  code text, properties json, answer json, opened borsello.operation
);

create function borsello.done(answer json) returns borsello.command_outcome
language sql immutable parallel safe
return row(null, null, answer, null)::borsello.command_outcome;

create function borsello.refused(code text, properties json default '{}')
returns borsello.command_outcome language sql immutable parallel safe
return row(code, properties, null, null)::borsello.command_outcome;

create function borsello.cents(amount json) returns bigint
language sql immutable parallel safe
return round((amount #>> '{}')::numeric * 100)::bigint;

-- What the 30 days and the calendar year (Europe/Rome) of a wallet have used of their limits (contract
-- 5, "What counts"): whatever was not cancelled, expired, terminated or rejected.
create function borsello.limits_used(of_wallet uuid) returns borsello.limit_bounds
language sql stable
return (
  select row(null, null, null, null,
    coalesce(sum(amount_cents) filter (where type = 'CashDeposit' and is_recent), 0),
    coalesce(sum(amount_cents) filter (where type = 'CashWithdrawal' and is_recent), 0),
    coalesce(sum(amount_cents) filter (where type = 'SddDeposit' and is_recent), 0),
    coalesce(sum(amount_cents) filter (where type = 'WelfareDeposit' and is_of_year), 0)
  )::borsello.limit_bounds
  from (
    select type, amount_cents, creation_date > days.since as is_recent,
      creation_date >= days.new_year as is_of_year
    from (select borsello.platform_now() - interval '30 days' as since,
        date_trunc('year', borsello.platform_now(), 'Europe/Rome') as new_year) as days
      join borsello.operation on operation.creation_date >= least(days.since, days.new_year)
    where wallet_id = of_wallet
      and type in ('CashDeposit', 'CashWithdrawal', 'SddDeposit', 'WelfareDeposit')
      and status not in ('Cancelled', 'Expired', 'Terminated', 'OutgoingPaymentRejected')
  ) as counted
);

-- The bounds as they hold for one type: payments may be smaller, cash has a ceiling by law.
create function borsello.bounds_for(bounds borsello.limit_bounds, of_type text)
returns borsello.limit_bounds language sql immutable parallel safe
return row(
  case when of_type = 'Payment' then (bounds).minimum_payment else (bounds).minimum end,
  (bounds).minimum_payment,
  case when of_type in ('CashDeposit', 'CashWithdrawal')
    then least((bounds).maximum, (bounds).maximum_cash) else (bounds).maximum end,
  (bounds).maximum_cash, (bounds).cash_deposit, (bounds).cash_withdrawal, (bounds).sdd_deposit,
  (bounds).welfare_deposit)::borsello.limit_bounds;

-- A limit and what is used of it (wallet seed, 2.3).
create function borsello.limit_use(limit_cents bigint, current_cents bigint, violation text)
returns json language sql stable parallel safe
return case when current_cents > limit_cents
  then json_build_object('limit', borsello.money(limit_cents),
    'current', borsello.money(current_cents), 'remainingAmountToLimit', 0,
    'exceedAmountFromLimit', borsello.money(current_cents - limit_cents),
    'violationMessage', violation)
  else json_build_object('limit', borsello.money(limit_cents),
    'current', borsello.money(current_cents),
    'remainingAmountToLimit', borsello.money(limit_cents - current_cents),
    'exceedAmountFromLimit', 0)
end;

-- The lower bound: what is missing to it is both what remains and by how much it is violated.
create function borsello.minimum_use(limit_cents bigint, amount_cents bigint) returns json
language sql stable parallel safe
return case when amount_cents < limit_cents
  then json_build_object('limit', borsello.money(limit_cents),
    'current', borsello.money(amount_cents),
    'remainingAmountToLimit', borsello.money(limit_cents - amount_cents),
    'exceedAmountFromLimit', borsello.money(limit_cents - amount_cents),
    'violationMessage', 'The amount is below the minimum of one operation.')
  else json_build_object('limit', borsello.money(limit_cents),
    'current', borsello.money(coalesce(amount_cents, 0)),
    'remainingAmountToLimit', borsello.money(
      case when amount_cents is null then limit_cents else 0 end),
    'exceedAmountFromLimit', 0)
end;

-- The limit block of an operation of this amount (null: of none) on a wallet that has used so much.
create function borsello.limit_block(
  bounds borsello.limit_bounds, used borsello.limit_bounds, amount_cents bigint
) returns json language sql stable parallel safe
return json_build_object(
  'maximum', borsello.limit_use((bounds).maximum, coalesce(amount_cents, 0),
    'The amount is above the maximum of one operation.'),
  'minimum', borsello.minimum_use((bounds).minimum, amount_cents),
  'maximumLastMonthCashDeposit', borsello.limit_use((bounds).cash_deposit, (used).cash_deposit,
    'The cash deposits of the last 30 days exceed their limit.'),
  'maximumLastMonthCashWithdrawal', borsello.limit_use((bounds).cash_withdrawal,
    (used).cash_withdrawal, 'The cash withdrawals of the last 30 days exceed their limit.'),
  'maximumLastMonthSddDeposit', borsello.limit_use((bounds).sdd_deposit, (used).sdd_deposit,
    'The direct-debit deposits of the last 30 days exceed their limit.'),
  'maximumAnnualWelfareDeposit', borsello.limit_use((bounds).welfare_deposit,
    (used).welfare_deposit, 'The welfare deposits of the calendar year exceed their limit.')
);

-- The limit that an operation of this type and amount violates, or null. Only limits of its own type
-- bind it; the others are shown.
create function borsello.violated_limit(
  of_type text, amount_cents bigint, bounds borsello.limit_bounds, used borsello.limit_bounds
) returns text language sql immutable parallel safe
return case
  when amount_cents > (bounds).maximum then 'maximum'
  when amount_cents < (bounds).minimum then 'minimum'
  when of_type = 'CashDeposit' and (used).cash_deposit > (bounds).cash_deposit
    then 'maximumLastMonthCashDeposit'
  when of_type = 'CashWithdrawal' and (used).cash_withdrawal > (bounds).cash_withdrawal
    then 'maximumLastMonthCashWithdrawal'
  when of_type = 'WelfareDeposit' and (used).welfare_deposit > (bounds).welfare_deposit
    then 'maximumAnnualWelfareDeposit'
end;

-- LimitExceeded, with the violated entry of the block field by field.
create function borsello.limit_refusal(violated text, block json) returns borsello.command_outcome
language sql stable parallel safe
return borsello.refused('LimitExceeded', borsello.json_with(
  json_build_object('limitName', violated),
  (select json_object_agg(key, value) from json_each_text(block -> violated))));

-- Locks the wallet of a command: the one lock of all that changes its funds. A null row: `outcome`
-- says why. Where commands run together nobody waits, so that one wallet never holds up the others.
create function borsello.lock_wallet_for(
  c borsello.operation_command, is_alone boolean, out w borsello.wallet,
  out outcome borsello.command_outcome
) language plpgsql volatile as $$
begin
  if is_alone then
    select * into w from borsello.wallet where wallet_id = c.wallet_id for no key update;
  else
    select * into w from borsello.wallet where wallet_id = c.wallet_id
    for no key update skip locked;
  end if;
  if w.wallet_id is null then
    outcome := case
      when exists (select from borsello.wallet where wallet_id = c.wallet_id)
        then borsello.refused('busy')
      else borsello.refused('WalletNotFound', json_build_object('walletId', c.wallet_id)) end;
  elsif w.partner_key <> c.partner_key then
    outcome := borsello.refused('WalletOfAnotherPartner',
      json_build_object('walletId', c.wallet_id));
    w := null;
  end if;
end $$;

-- Why a store, dealer or group cannot take part in an operation; a null outcome: it can.
create function borsello.why_no_party(c borsello.operation_command, out dealer text,
  out outcome borsello.command_outcome, out expires_at timestamptz
) language plpgsql stable as $$
declare
  found_store record;
  found_group record;
begin
  dealer := c.dealer_key;
  if c.store_id is not null then
    select partner_key, dealer_key, is_active into found_store
    from borsello.store where store_id = c.store_id and deletion_date is null;
    if found_store is null then
      outcome := borsello.refused('StoreNotFound', json_build_object('storeId', c.store_id));
      return;
    elsif found_store.partner_key <> c.partner_key then
      outcome := borsello.refused('StoreNotFound', json_build_object('storeId', c.store_id));
      return;
    elsif not found_store.is_active then
      outcome := borsello.refused('StoreNotActive', json_build_object('storeId', c.store_id));
      return;
    end if;
    dealer := found_store.dealer_key;
  elsif c.dealer_key is not null then
    if not exists (select from borsello.dealer where dealer_key = c.dealer_key) then
      outcome := borsello.refused('DealerNotFound', json_build_object('dealerKey', c.dealer_key));
      return;
    elsif not exists (
      select from borsello.dealer
      where dealer_key = c.dealer_key and dealer.partner_key = c.partner_key
    ) then
      outcome := borsello.refused('DealerOfAnotherPartner',
        json_build_object('dealerKey', c.dealer_key));
      return;
    end if;
  end if;
  if c.operation_group_id is not null then
    select g.partner_key, g.wallet_id, g.status, g.expiry_date, (
        select count(*) from borsello.operation as member
        where member.operation_group_id = g.operation_group_id) as members
    into found_group
    from borsello.operation_group as g where operation_group_id = c.operation_group_id;
    if found_group is null or found_group.partner_key <> c.partner_key then
      outcome := borsello.refused('OperationGroupNotFound',
        json_build_object('operationGroupId', c.operation_group_id));
    elsif found_group.wallet_id <> c.wallet_id then
      outcome := borsello.refused('OperationGroupNotOfWallet',
        json_build_object('operationGroupId', c.operation_group_id));
    elsif found_group.status <> 'Initialized' then
      outcome := borsello.refused('OperationGroupStatusInvalid',
        json_build_object('status', found_group.status));
    elsif found_group.expiry_date <= borsello.platform_now() then
      outcome := borsello.refused('OperationGroupStatusInvalid',
        json_build_object('status', 'Expired'));
    elsif found_group.members >= 100 then
      outcome := borsello.refused('OperationGroupStatusInvalid',
        json_build_object('operationGroupId', 'has 100 operations: confirm it, then start another.'));
    end if;
    expires_at := found_group.expiry_date;
  end if;
end $$;

create type borsello.chosen_bucket as (
  bucket_id uuid, funds_type text, funds_expiry_date date, outcome borsello.command_outcome
);

-- The bucket that a debit is taken from: the one that is named, else the one that expires first of
-- those that can bear all of it.
create function borsello.choose_bucket(c borsello.operation_command, debit_cents bigint)
returns borsello.chosen_bucket language plpgsql stable as $$
declare
  today date := (borsello.platform_now() at time zone 'Europe/Rome')::date;
  named borsello.bucket;
  candidate record;
  total_cents bigint := 0;
  others_cents bigint;
  chosen borsello.chosen_bucket;
begin
  if c.bucket_id is not null then
    select * into named from borsello.bucket
    where bucket_id = c.bucket_id and wallet_id = c.wallet_id;
    if named.bucket_id is null then
      chosen.outcome := borsello.refused('BucketNotFound',
        json_build_object('bucketId', c.bucket_id));
    elsif named.funds_type <> c.funds_type then
      chosen.outcome := borsello.refused('BucketNotMatching',
        json_build_object('bucketId', c.bucket_id, 'fundsType', named.funds_type));
    elsif named.funds_expiry_date < today then
      chosen.outcome := borsello.refused('FundsExpired',
        json_build_object('bucketId', c.bucket_id, 'fundsExpiryDate', named.funds_expiry_date));
    else
      chosen.bucket_id := named.bucket_id;
      chosen.funds_type := named.funds_type;
      chosen.funds_expiry_date := named.funds_expiry_date;
      total_cents := named.balance_cents - borsello.held_of(c.wallet_id, named.bucket_id);
      if total_cents < debit_cents then
        chosen.outcome := borsello.refused('InsufficientBalance', json_build_object(
          'availableBalance', borsello.money(total_cents),
          'finalAmount', borsello.money(debit_cents)));
      end if;
    end if;
    return chosen;
  end if;
  for candidate in
    select bucket_id, funds_type, funds_expiry_date,
      balance_cents - borsello.held_of(c.wallet_id, bucket_id) as free_cents
    from borsello.bucket
    where wallet_id = c.wallet_id and (funds_expiry_date is null or funds_expiry_date >= today)
      and case when c.type = 'Payment' then funds_type = c.funds_type else is_withdrawable end
    order by funds_expiry_date nulls last, funds_type = 'Standard' desc, bucket_id
  loop
    if candidate.free_cents >= debit_cents then
      chosen.bucket_id := candidate.bucket_id;
      chosen.funds_type := candidate.funds_type;
      chosen.funds_expiry_date := candidate.funds_expiry_date;
      return chosen;
    end if;
    total_cents := total_cents + greatest(candidate.free_cents, 0);
  end loop;
  select coalesce(sum(greatest(balance_cents - borsello.held_of(wallet_id, bucket_id), 0)), 0)
  into others_cents
  from borsello.bucket
  where wallet_id = c.wallet_id
    and case when c.type = 'Payment' then funds_type = c.funds_type and funds_expiry_date < today
      else not is_withdrawable end;
  chosen.outcome := case
    when total_cents >= debit_cents then borsello.refused('BucketAmbiguous', json_build_object(
      'bucketId', 'no single bucket covers the amount: name buckets and split the operation.'))
    when total_cents + others_cents >= debit_cents and c.type = 'Payment'
      then borsello.refused('FundsExpired', json_build_object('fundsType', c.funds_type))
    when total_cents + others_cents >= debit_cents
      then borsello.refused('BucketNotWithdrawable', json_build_object(
        'availableBalance', borsello.money(total_cents)))
    else borsello.refused('InsufficientBalance', json_build_object(
      'availableBalance', borsello.money(total_cents), 'finalAmount', borsello.money(debit_cents)))
  end;
  return chosen;
end $$;

-- The wallet's bucket of these funds, opened on first use (BucketCreated).
create function borsello.bucket_for(
  of_wallet uuid, of_partner text, of_type text, expiring date, withdrawable boolean, actor text
) returns uuid language plpgsql volatile as $$
declare
  known uuid;
  fresh borsello.bucket;
begin
  select bucket_id into known from borsello.bucket
  where wallet_id = of_wallet and funds_type = of_type
    and funds_expiry_date is not distinct from expiring;
  if known is not null then return known; end if;
  fresh.bucket_id := uuidv7();
  insert into borsello.bucket (bucket_id, wallet_id, partner_key, account_id, funds_type,
    funds_expiry_date, is_withdrawable)
  values (fresh.bucket_id, of_wallet, of_partner,
    borsello.account_for(of_partner, 'Bucket', fresh.bucket_id::text), of_type, expiring,
    withdrawable)
  returning * into fresh;
  insert into borsello.audit (actor, partner_key, entity, entity_id, action)
  values (actor, of_partner, 'Bucket', fresh.bucket_id::text, 'create');
  perform borsello.publish_event('BucketCreated', of_partner, of_wallet::text, 1,
    borsello.bucket_event(fresh));
  return fresh.bucket_id;
end $$;

-- What initialisation and simulation answer alike (wallet seed, 4.2). Which families show a group and
-- an expiry of funds is the seed's table.
create function borsello.operation_amounts(
  c borsello.operation_command, final_cents bigint, net_cents bigint, funds text, expiring date,
  bucket uuid, block json
) returns json language sql stable
return borsello.json_with(
  json_build_object(
    'operationAmount', borsello.money(c.amount_cents), 'finalAmount', borsello.money(final_cents),
    'netAmount', borsello.money(net_cents), 'feesAmount', borsello.money(c.fees_amount_cents),
    'fees', c.fees, 'limits', block, 'fundsType', funds, 'tags', c.tags, 'bucketId', bucket),
  case when c.type in ('LoyaltyDeposit', 'WelfareDeposit')
    then json_build_object('fundsExpiryDate', expiring) else '{}' end);

create function borsello.initialise_operation(
  c borsello.operation_command, is_alone boolean, is_simulated boolean
) returns borsello.command_outcome language plpgsql volatile as $$
declare
  is_credit boolean := c.type not in ('CashWithdrawal', 'Payment', 'SctWithdrawal');
  final_cents bigint := c.amount_cents + case when is_credit then 0 else c.fees_amount_cents end;
  net_cents bigint := c.amount_cents - case when is_credit then c.fees_amount_cents else 0 end;
  is_first boolean;
  earlier record;
  locked record;
  w borsello.wallet;
  party record;
  chosen borsello.chosen_bucket;
  used borsello.limit_bounds;
  block json;
  violated text;
  bounds borsello.limit_bounds := borsello.bounds_for(c.limits, c.type);
  o borsello.operation;
  outcome borsello.command_outcome;
begin
  if not is_simulated and c.idempotency_key is not null then
    is_first := pg_try_advisory_xact_lock(
      hashtextextended(c.partner_key || c.type || c.idempotency_key, 20));
    select request_hash, first_answer into earlier from borsello.operation
    where partner_key = c.partner_key and type = c.type and idempotency_key = c.idempotency_key;
    if found then
      return case when earlier.request_hash = decode(c.request_hash, 'hex')
        then borsello.done(earlier.first_answer)
        else borsello.refused('IdempotencyKeyReused') end;
    elsif not is_first then
      return borsello.refused('IdempotencyKeyInUse');
    end if;
  end if;

  if is_simulated then
    select * into w from borsello.wallet where wallet_id = c.wallet_id;
    if w.wallet_id is null then
      return borsello.refused('WalletNotFound', json_build_object('walletId', c.wallet_id));
    elsif w.partner_key <> c.partner_key then
      return borsello.refused('WalletOfAnotherPartner', json_build_object('walletId', c.wallet_id));
    end if;
  else
    locked := borsello.lock_wallet_for(c, is_alone);
    if (locked.outcome).code is not null then return locked.outcome; end if;
    w := locked.w;
  end if;
  if w.status <> 'Active' then
    return borsello.refused('WalletNotActive', json_build_object('status', w.status));
  end if;
  party := borsello.why_no_party(c);
  if (party.outcome).code is not null then return party.outcome; end if;
  if c.type = 'SctWithdrawal' and not w.is_iban_validated then
    return borsello.refused('IbanNotValidated');
  end if;
  if net_cents < 0 then
    return borsello.refused('FeesExceedAmount', json_build_object(
      'feesAmount', borsello.money(c.fees_amount_cents)));
  end if;
  if c.funds_expiry_date < (borsello.platform_now() at time zone 'Europe/Rome')::date then
    return borsello.refused('FundsExpiryDateInvalid', json_build_object(
      'fundsExpiryDate', 'must not lie in the past.'));
  end if;

  if not is_credit then
    chosen := borsello.choose_bucket(c, final_cents);
    if (chosen.outcome).code in ('BucketNotFound', 'BucketNotMatching', 'FundsExpired') then
      return chosen.outcome;
    end if;
  else
    chosen.funds_type := c.funds_type;
    chosen.funds_expiry_date := c.funds_expiry_date;
    if is_simulated then
      select bucket_id into chosen.bucket_id from borsello.bucket
      where wallet_id = c.wallet_id and funds_type = c.funds_type
        and funds_expiry_date is not distinct from c.funds_expiry_date;
    end if;
  end if;

  used := borsello.limits_used(c.wallet_id);
  case c.type
    when 'CashDeposit' then used.cash_deposit := used.cash_deposit + c.amount_cents;
    when 'CashWithdrawal' then used.cash_withdrawal := used.cash_withdrawal + c.amount_cents;
    when 'WelfareDeposit' then used.welfare_deposit := used.welfare_deposit + c.amount_cents;
    else null;
  end case;
  -- Without an amount, which a simulation may leave out, none violates the minimum.
  block := borsello.limit_block(bounds, used, nullif(c.amount_cents, 0));
  violated := borsello.violated_limit(c.type, c.amount_cents, bounds, used);
  if violated is not null and not is_simulated then
    return borsello.limit_refusal(violated, block);
  end if;
  if violated is null and (chosen.outcome).code is not null then return chosen.outcome; end if;
  if is_simulated then
    return borsello.done(borsello.operation_amounts(c, final_cents, net_cents,
      coalesce(chosen.funds_type, c.funds_type), chosen.funds_expiry_date, chosen.bucket_id, block));
  end if;

  if is_credit then
    chosen.bucket_id := borsello.bucket_for(c.wallet_id, c.partner_key, c.funds_type,
      c.funds_expiry_date, c.is_withdrawable, c.actor);
  end if;
  o.operation_id := uuidv7();
  o.first_answer := borsello.json_joined(
    case when c.type in ('CashWithdrawal', 'SctWithdrawal')
      then json_build_object('operationId', o.operation_id)
      else json_build_object('operationId', o.operation_id,
        'operationGroupId', c.operation_group_id) end,
    borsello.operation_amounts(c, final_cents, net_cents, chosen.funds_type,
      chosen.funds_expiry_date, chosen.bucket_id, block));
  o.wallet_id := c.wallet_id;
  o.partner_key := c.partner_key;
  o.dealer_key := party.dealer;
  o.store_id := c.store_id;
  o.type := c.type;
  o.idempotency_key := c.idempotency_key;
  o.request_hash := decode(c.request_hash, 'hex');
  o.amount_cents := c.amount_cents;
  o.final_amount_cents := final_cents;
  o.net_amount_cents := net_cents;
  o.fees_amount_cents := c.fees_amount_cents;
  o.fees := c.fees;
  o.status := 'Initialized';
  o.creation_date := borsello.platform_now();
  o.expiry_date := coalesce(party.expires_at, o.creation_date + c.expires_after);
  o.operation_group_id := c.operation_group_id;
  o.tags := c.tags;
  o.metadata := c.metadata;
  o.funds_type := chosen.funds_type;
  o.bucket_id := chosen.bucket_id;
  o.funds_expiry_date := chosen.funds_expiry_date;
  if c.type = 'SctWithdrawal' then
    o.creditor_name := w.first_name || ' ' || w.last_name;
    o.creditor_iban := w.iban;
  end if;
  outcome := borsello.done(o.first_answer);
  outcome.opened := o;
  return outcome;
end $$;

-- Writes operations that were initialised, each table once. They are of different wallets, so that each
-- wallet's events stay in the order of its commands.
create function borsello.write_opened(operations borsello.operation[], actors text[])
returns void language plpgsql volatile as $$
begin
  insert into borsello.operation (operation_id, wallet_id, partner_key, dealer_key, store_id, type,
    idempotency_key, request_hash, first_answer, amount_cents, final_amount_cents, net_amount_cents,
    fees_amount_cents, fees, status, creation_date, last_update_date, expiry_date,
    operation_group_id, tags, metadata, funds_type, bucket_id, funds_expiry_date, creditor_name,
    creditor_iban)
  select operation_id, wallet_id, partner_key, dealer_key, store_id, type,
    idempotency_key, request_hash, first_answer, amount_cents, final_amount_cents, net_amount_cents,
    fees_amount_cents, fees, status, creation_date, creation_date, expiry_date,
    operation_group_id, tags, metadata, funds_type, bucket_id, funds_expiry_date, creditor_name,
    creditor_iban
  from unnest(operations) order by operation_id;
  insert into borsello.audit (at, actor, partner_key, entity, entity_id, action, to_status)
  select creation_date, actors[ordinality], partner_key, 'Operation', operation_id::text,
    'initialise', status
  from unnest(operations) with ordinality order by operation_id;
  insert into borsello.outbox
    (message_id, destinations, session_id, subject, partner_key, entity_version, body)
  select message_id, array[o.partner_key, 'platform-events'], o.wallet_id::text,
    'OperationInitialized', o.partner_key, o.version,
    borsello.event_body(message_id, o.creation_date, borsello.operation_event(o))
  from (select operation_id, uuidv7() as message_id from unnest(operations)) as told
    join borsello.operation as o using (operation_id)
  order by operation_id;
end $$;

-- The kind of movement that a confirmation posts.
create function borsello.movement_kind(o borsello.operation) returns text
language sql immutable parallel safe
return case when o.income then 'Deposit' when o.type = 'Payment' then 'Payment'
  else 'Withdrawal' end;

-- The account that a confirmation moves money to or from, by its name (contract 4.6).
create function borsello.counterparty_kind(o borsello.operation) returns text
language sql immutable parallel safe
return case
  when o.type = 'SctWithdrawal' then 'Transit'
  when o.store_id is not null then 'Store'
  when o.type = 'Payment' then 'Cards'
  when o.type = 'WelfareDeposit' then 'Dealer'
  else 'Bank'
end;

create function borsello.counterparty_reference(o borsello.operation) returns text
language sql immutable parallel safe
return case
  when o.type = 'SctWithdrawal' then 'outgoing'
  when o.store_id is not null then o.store_id::text
  when o.type = 'Payment' then 'cards'
  when o.type = 'WelfareDeposit' then o.dealer_key
  else 'safeguarding'
end;

-- Initialized to an end without money: cancelled, expired or terminated.
create function borsello.end_operation(
  of_operation uuid, actor text, action text, end_status text, reason text default null
) returns borsello.operation language plpgsql volatile as $$
declare
  o borsello.operation;
begin
  update borsello.operation set status = end_status, version = version + 1,
    last_update_date = borsello.platform_now(), feedback = coalesce(reason, feedback),
    cancellation_date = case when end_status = 'Cancelled' then borsello.platform_now() end,
    termination_date = case when end_status = 'Terminated' then borsello.platform_now() end
  where operation_id = of_operation and status = 'Initialized'
  returning * into o;
  if found then
    perform borsello.record_operation_change(o, actor, action, 'Initialized',
      'OperationCancelled', borsello.operation_end_dates(o));
  end if;
  return o;
end $$;

-- What the limits of its type have used, where they bind a confirmation.
create function borsello.limits_to_confirm(o borsello.operation) returns borsello.limit_bounds
language sql stable
return case when o.type in ('CashDeposit', 'CashWithdrawal', 'WelfareDeposit')
  then borsello.limits_used(o.wallet_id) end;

-- What forbids to confirm an operation of a locked, active wallet; a null code: nothing. `taken_before`
-- is what others that are confirmed with it take from its bucket.
create function borsello.why_not_confirmed(
  o borsello.operation, limits borsello.limit_bounds, taken_before bigint default 0
) returns borsello.command_outcome language plpgsql stable as $$
declare
  bounds borsello.limit_bounds := borsello.bounds_for(limits, o.type);
  used borsello.limit_bounds := borsello.limits_to_confirm(o);
  violated text;
  balance bigint;
begin
  violated := borsello.violated_limit(o.type, o.amount_cents, bounds, used);
  if violated is not null then
    return borsello.limit_refusal(violated, borsello.limit_block(bounds,
      coalesce(used, borsello.limits_used(o.wallet_id)), o.amount_cents));
  end if;
  if not o.income then
    select balance_cents into balance from borsello.bucket where bucket_id = o.bucket_id;
    if balance - taken_before < o.final_amount_cents then
      return borsello.refused('InsufficientBalance', json_build_object(
        'finalAmount', borsello.money(o.final_amount_cents)));
    end if;
  end if;
  return null;
end $$;

-- Initialized to Confirmed: the wallets' funds move here. The caller has locked the wallets and checked
-- the operations. However many they are, each table is written once: what a statement costs before its
-- first row is most of what a single confirmation costs.
create function borsello.confirm_checked(operation_ids uuid[], actors text[]) returns void
language plpgsql volatile as $$
declare
  at timestamptz := borsello.platform_now();
  -- A variable: the rows are found by their ids, not by an index of all that is open.
  open_status text := 'Initialized';
  confirmed bigint;
begin
  update borsello.operation set status = 'Confirmed', version = version + 1,
    confirmation_date = at, last_update_date = at
  where operation_id = any(operation_ids) and status = open_status;
  get diagnostics confirmed = row_count;
  if confirmed <> cardinality(operation_ids) then
    raise exception '% of % operations could be confirmed', confirmed, cardinality(operation_ids)
      using errcode = 'check_violation';
  end if;

  insert into borsello.ledger_transaction (operation_id, kind, posted_at)
  select operation_id, borsello.movement_kind(o), at
  from borsello.operation as o where operation_id = any(operation_ids) order by operation_id;
  insert into borsello.entry (transaction_id, account_id, amount_cents)
  select transaction_id, account_id, sum(cents)::bigint
  from (
    select t.transaction_id, bucket.account_id,
      case
        when o.income then o.net_amount_cents
        when o.type = 'Payment' then -o.amount_cents
        else -o.final_amount_cents
      end as cents
    from borsello.operation as o join borsello.bucket using (bucket_id)
      join borsello.ledger_transaction as t
        on t.cause_id = o.operation_id and t.kind = borsello.movement_kind(o)
    where o.operation_id = any(operation_ids)
    union all
    select t.transaction_id,
      coalesce(known.account_id, borsello.account_for(
        o.partner_key, borsello.counterparty_kind(o), borsello.counterparty_reference(o))),
      case when o.income then -o.amount_cents else o.amount_cents end
    from borsello.operation as o
      join borsello.ledger_transaction as t
        on t.cause_id = o.operation_id and t.kind = borsello.movement_kind(o)
      left join borsello.account as known on known.partner_key = o.partner_key
        and known.kind = borsello.counterparty_kind(o)
        and known.reference = borsello.counterparty_reference(o)
    where o.operation_id = any(operation_ids)
    union all
    -- A payment's fee is posted when it is completed.
    select t.transaction_id,
      borsello.account_for(o.partner_key, 'Fees', fee ->> 'beneficiary'),
      borsello.cents(fee -> 'amount')
    from borsello.operation as o
      join borsello.ledger_transaction as t
        on t.cause_id = o.operation_id and t.kind = borsello.movement_kind(o)
      cross join lateral json_array_elements(o.fees) as fee
    where o.operation_id = any(operation_ids) and o.type <> 'Payment' and o.fees_amount_cents > 0
  ) as line
  group by transaction_id, account_id having sum(cents) <> 0
  order by transaction_id, account_id;

  insert into borsello.audit
    (at, actor, partner_key, entity, entity_id, action, from_status, to_status, detail)
  select at, by.actor, o.partner_key, 'Operation', o.operation_id::text, 'confirm',
    'Initialized', o.status, borsello.operation_audit_detail(o)
  from unnest(operation_ids, actors) as by (operation_id, actor)
    join borsello.operation as o using (operation_id)
  order by operation_id;
  insert into borsello.outbox
    (message_id, destinations, session_id, subject, partner_key, entity_version, body)
  select message_id, array[partner_key, 'platform-events'], session_id, subject, partner_key,
    version, borsello.event_body(message_id, at, payload)
  from (
    select uuidv7() as message_id, o.operation_id, event.place, event.subject, o.partner_key,
      o.wallet_id::text as session_id, o.version, event.payload
    from borsello.operation as o
      join borsello.ledger_transaction as t
        on t.cause_id = o.operation_id and t.kind = borsello.movement_kind(o)
      cross join lateral (values
        (1, 'OperationConfirmed', borsello.json_joined(borsello.operation_event(o),
          json_build_object('confirmationDate', borsello.iso(o.confirmation_date)))),
        (2, 'TransactionConfirmed', borsello.transaction_event(o, t.transaction_id, t.kind))
      ) as event (place, subject, payload)
    where o.operation_id = any(operation_ids)
  ) as told
  order by operation_id, place;
  update borsello.wallet set last_usage_date = at
  where wallet_id in (
    select o.wallet_id from borsello.operation as o where operation_id = any(operation_ids));
end $$;

create function borsello.operation_for(c borsello.operation_command) returns borsello.operation
language sql stable
return (
  select o from borsello.operation as o
  where operation_id = c.operation_id and wallet_id = c.wallet_id
    and (c.type is null or type = c.type)
);

create function borsello.confirm_operation(c borsello.operation_command, is_alone boolean)
returns borsello.command_outcome language plpgsql volatile as $$
declare
  locked record;
  o borsello.operation;
  forbidden borsello.command_outcome;
begin
  locked := borsello.lock_wallet_for(c, is_alone);
  if (locked.outcome).code is not null then return locked.outcome; end if;
  o := borsello.operation_for(c);
  if o.operation_id is null then
    return borsello.refused('OperationNotFound',
      json_build_object('operationId', c.operation_id));
  elsif o.confirmation_date is not null and o.status <> 'Terminated' then
    return borsello.done(borsello.operation_record(o));
  elsif o.status = 'Initialized' and o.expiry_date <= borsello.platform_now()
    and o.operation_group_id is null then
    o := borsello.end_operation(o.operation_id, 'platform', 'expire', 'Expired');
  end if;
  if o.status = 'Expired' or (o.status = 'Initialized' and o.expiry_date <= borsello.platform_now())
  then
    return borsello.refused('OperationExpired',
      json_build_object('expiryDate', borsello.iso(o.expiry_date)));
  elsif o.status <> 'Initialized' then
    return borsello.refused('OperationStatusInvalid', json_build_object('status', o.status));
  elsif o.operation_group_id is not null then
    return borsello.refused('OperationInGroup',
      json_build_object('operationGroupId', o.operation_group_id));
  elsif (locked.w).status <> 'Active' then
    return borsello.refused('WalletNotActive', json_build_object('status', (locked.w).status));
  end if;
  forbidden := borsello.why_not_confirmed(o, c.limits);
  if forbidden.code is not null then return forbidden; end if;
  perform borsello.confirm_checked(array[o.operation_id], array[c.actor]);
  return borsello.done(borsello.operation_record(borsello.operation_for(c)));
end $$;

-- Those of the commands that ask for a plain confirmation, decided and done together: their places and
-- answers. Whatever is refused, repeated or not free at the moment is left to be decided by itself.
create function borsello.confirm_plain(commands borsello.operation_command[])
returns table (place bigint, answer json) language plpgsql volatile as $$
declare
  at timestamptz := borsello.platform_now();
  open_status text := 'Initialized';
  locked uuid[];
  places bigint[];
  ids uuid[];
  actors text[];
begin
  select array_agg(wallet_id) into locked from (
    select wallet_id from borsello.wallet as w
    where w.status = 'Active' and (w.wallet_id, w.partner_key) in (
      select c.wallet_id, c.partner_key from unnest(commands) as c where c.kind = 'confirm')
    order by wallet_id for no key update skip locked
  ) as w;
  select array_agg(asked.place), array_agg(asked.operation_id), array_agg(asked.actor)
  into places, ids, actors
  from (
    select first.place, first.operation_id, first.actor, o.income
        or bucket.balance_cents >= sum(case when o.income then 0 else o.final_amount_cents end)
          over (partition by o.bucket_id order by first.place) as is_covered
    from (
        select distinct on (operation_id) ordinality as place, operation_id, wallet_id, type, actor,
          limits
        from unnest(commands) with ordinality
        where kind = 'confirm' and wallet_id = any(locked)
        order by operation_id, ordinality
      ) as first
      join borsello.operation as o on o.operation_id = first.operation_id
        and o.wallet_id = first.wallet_id and (first.type is null or first.type = o.type)
      join borsello.bucket on bucket.bucket_id = o.bucket_id
    where o.status = open_status and o.operation_group_id is null and o.expiry_date > at
      and borsello.violated_limit(o.type, o.amount_cents,
        borsello.bounds_for(first.limits, o.type), borsello.limits_to_confirm(o)) is null
  ) as asked
  where asked.is_covered;
  if ids is null then return; end if;
  perform borsello.confirm_checked(ids, actors);
  return query
    select done.place, borsello.operation_record(o)
    from unnest(places, ids) as done (place, operation_id)
      join borsello.operation as o using (operation_id);
end $$;

create function borsello.cancel_operation(c borsello.operation_command, is_alone boolean)
returns borsello.command_outcome language plpgsql volatile as $$
declare
  locked record;
  o borsello.operation;
begin
  locked := borsello.lock_wallet_for(c, is_alone);
  if (locked.outcome).code is not null then return locked.outcome; end if;
  o := borsello.operation_for(c);
  if o.operation_id is null then
    return borsello.refused('OperationNotFound',
      json_build_object('operationId', c.operation_id));
  elsif o.status = 'Cancelled' then
    return borsello.done(borsello.operation_record(o));
  elsif o.status <> 'Initialized' then
    return borsello.refused('OperationStatusInvalid', json_build_object('status', o.status));
  end if;
  return borsello.done(borsello.operation_record(
    borsello.end_operation(o.operation_id, c.actor, 'cancel', 'Cancelled')));
end $$;

-- Confirmed, or failed to settle, to Terminated: what was posted is mirrored. Null: a credit was spent.
create function borsello.terminate_posted(o borsello.operation, actor text)
returns borsello.operation language plpgsql volatile as $$
declare
  ended borsello.operation;
  posted_id bigint;
  free_cents bigint;
begin
  if o.income then
    select balance_cents - borsello.held_of(o.wallet_id, o.bucket_id) into free_cents
    from borsello.bucket where bucket_id = o.bucket_id;
    if free_cents < o.net_amount_cents then return null; end if;
  end if;
  update borsello.operation set status = 'Terminated', version = version + 1,
    termination_date = borsello.platform_now(), last_update_date = borsello.platform_now()
  where operation_id = o.operation_id and status = o.status
    and (status = 'TransferFailed' or harvesting_id is null)
  returning * into strict ended;
  posted_id := borsello.reverse_movements(ended);
  perform borsello.record_operation_change(ended, actor, 'terminate', o.status,
    'OperationCancelled', borsello.operation_end_dates(ended));
  if posted_id is not null then
    perform borsello.publish_event('TransactionConfirmed', ended.partner_key,
      ended.wallet_id::text, ended.version,
      borsello.transaction_event(ended, posted_id, 'Reversal'));
  end if;
  return ended;
end $$;

create function borsello.terminate_operation(c borsello.operation_command, is_alone boolean)
returns borsello.command_outcome language plpgsql volatile as $$
declare
  locked record;
  o borsello.operation;
begin
  locked := borsello.lock_wallet_for(c, is_alone);
  if (locked.outcome).code is not null then return locked.outcome; end if;
  -- Settlement claims an operation by its own row, not by the wallet's: whoever comes first decides.
  select * into o from borsello.operation
  where operation_id = c.operation_id and wallet_id = c.wallet_id
    and (c.type is null or type = c.type)
  for no key update;
  if o.operation_id is null then
    return borsello.refused('OperationNotFound',
      json_build_object('operationId', c.operation_id));
  elsif o.status = 'Terminated' then
    return borsello.done(borsello.operation_record(o));
  elsif o.status = 'Initialized' then
    return borsello.done(borsello.operation_record(
      borsello.end_operation(o.operation_id, c.actor, 'terminate', 'Terminated')));
  elsif (o.status = 'Confirmed' and o.harvesting_id is null)
    or (o.status = 'TransferFailed' and c.is_operator) then
    o := borsello.terminate_posted(o, c.actor);
    return case when o.operation_id is null
      then borsello.refused('InsufficientBalance',
        json_build_object('operationId', 'the deposit was spent already.'))
      else borsello.done(borsello.operation_record(o)) end;
  end if;
  return borsello.refused('OperationStatusInvalid', json_build_object('status', o.status));
end $$;

-- The group record (wallet seed, 2.5).
create function borsello.operation_group_record(
  g borsello.operation_group, bounds borsello.limit_bounds
) returns json language sql stable
return json_build_object(
  'operationGroupId', g.operation_group_id, 'walletId', g.wallet_id,
  'walletAvailableBalance', borsello.money(borsello.available_cents(g.wallet_id)),
  'partnerKey', g.partner_key, 'creationDate', borsello.iso(g.creation_date),
  'confirmationDate', borsello.iso(g.confirmation_date),
  'expiryDate', borsello.iso(g.expiry_date),
  'cancellationDate', borsello.iso(g.cancellation_date), 'status', g.status,
  'groupOperations', coalesce((
    select json_agg(borsello.operation_record(o) order by o.operation_id)
    from borsello.operation as o where o.operation_group_id = g.operation_group_id), '[]'),
  'limits', borsello.limit_block(bounds, borsello.limits_used(g.wallet_id), null)
);

-- Payload of the events of a group (wallet seed, section 6); `more` holds the dates of its end.
create function borsello.record_group_change(
  g borsello.operation_group, actor text, action text, from_status text, event text, more json
) returns void
language sql volatile
begin atomic
  insert into borsello.audit
    (actor, partner_key, entity, entity_id, action, from_status, to_status)
  values (actor, (g).partner_key, 'OperationGroup', (g).operation_group_id::text, action,
    from_status, (g).status);
  select borsello.publish_event(event, (g).partner_key, (g).wallet_id::text, (g).version,
    borsello.json_with(json_build_object(
      'operationGroupId', (g).operation_group_id, 'walletId', (g).wallet_id,
      'partnerKey', (g).partner_key, 'dealerKey', w.originating_dealer_key,
      'creationDate', borsello.iso((g).creation_date)), more))
  from borsello.wallet as w where w.wallet_id = (g).wallet_id;
end;

-- A pending group and its open members end together; false: it was not pending any more.
create function borsello.end_group(
  of_group uuid, actor text, action text, end_status text, reason text default null
) returns boolean language plpgsql volatile as $$
declare
  g borsello.operation_group;
begin
  update borsello.operation_group set status = end_status, version = version + 1,
    cancellation_date = case when end_status = 'Cancelled' then borsello.platform_now() end,
    termination_date = case when end_status = 'Terminated' then borsello.platform_now() end
  where operation_group_id = of_group and status = 'Initialized'
  returning * into g;
  if not found then return false; end if;
  perform borsello.record_group_change(g, actor, action, 'Initialized',
    'OperationGroupCancelled', json_build_object(
      'cancellationDate', borsello.iso(g.cancellation_date),
      'expiryDate', case when end_status = 'Expired' then borsello.iso(g.expiry_date) end,
      'terminationDate', borsello.iso(g.termination_date)));
  perform borsello.end_operation(operation_id, actor, action, end_status, reason)
  from (
    select operation_id from borsello.operation
    where operation_group_id = of_group and status = 'Initialized' order by operation_id
  ) as member;
  return true;
end $$;

create function borsello.initialise_group(c borsello.operation_command, is_alone boolean)
returns borsello.command_outcome language plpgsql volatile as $$
declare
  is_first boolean;
  earlier record;
  locked record;
  g borsello.operation_group;
  answer json;
begin
  is_first := pg_try_advisory_xact_lock(
    hashtextextended(c.partner_key || c.idempotency_key, 21));
  select request_hash, first_answer into earlier from borsello.operation_group
  where partner_key = c.partner_key and idempotency_key = c.idempotency_key;
  if found then
    return case when earlier.request_hash = decode(c.request_hash, 'hex')
      then borsello.done(earlier.first_answer)
      else borsello.refused('IdempotencyKeyReused') end;
  elsif not is_first then
    return borsello.refused('IdempotencyKeyInUse');
  end if;
  locked := borsello.lock_wallet_for(c, is_alone);
  if (locked.outcome).code is not null then return locked.outcome; end if;
  if (locked.w).status <> 'Active' then
    return borsello.refused('WalletNotActive', json_build_object('status', (locked.w).status));
  end if;
  select * into g from borsello.operation_group
  where wallet_id = c.wallet_id and status = 'Initialized';
  if found and g.expiry_date <= borsello.platform_now() then
    perform borsello.end_group(g.operation_group_id, 'platform', 'expire', 'Expired');
  elsif found then
    return borsello.refused('OperationGroupAlreadyPending',
      json_build_object('operationGroupId', g.operation_group_id));
  end if;
  insert into borsello.operation_group
    (wallet_id, partner_key, idempotency_key, request_hash, expiry_date)
  values (c.wallet_id, c.partner_key, c.idempotency_key, decode(c.request_hash, 'hex'),
    borsello.platform_now() + c.expires_after)
  returning * into g;
  answer := borsello.operation_group_record(g, c.limits);
  update borsello.operation_group set first_answer = answer
  where operation_group_id = g.operation_group_id;
  perform borsello.record_group_change(g, c.actor, 'initialise', null,
    'OperationGroupInitialized', '{}');
  return borsello.done(answer);
end $$;

-- The group that a command names, of the wallet that it locked.
create function borsello.group_for(c borsello.operation_command) returns borsello.operation_group
language sql stable
return (
  select g from borsello.operation_group as g
  where operation_group_id = c.operation_group_id and wallet_id = c.wallet_id
);

-- All members or none: all are checked before the first is written.
create function borsello.confirm_group(c borsello.operation_command, is_alone boolean)
returns borsello.command_outcome language plpgsql volatile as $$
declare
  -- As in confirm_checked.
  open_status text := 'Initialized';
  locked record;
  g borsello.operation_group;
  member record;
  forbidden borsello.command_outcome;
  members uuid[] := '{}';
begin
  locked := borsello.lock_wallet_for(c, is_alone);
  if (locked.outcome).code is not null then return locked.outcome; end if;
  g := borsello.group_for(c);
  if g.operation_group_id is null then
    return borsello.refused('OperationGroupNotFound',
      json_build_object('operationGroupId', c.operation_group_id));
  elsif g.status = 'Confirmed' then
    return borsello.done(borsello.operation_group_record(g, c.limits));
  elsif g.status = 'Initialized' and g.expiry_date <= borsello.platform_now() then
    perform borsello.end_group(g.operation_group_id, 'platform', 'expire', 'Expired');
    g := borsello.group_for(c);
  end if;
  if g.status <> 'Initialized' then
    return borsello.refused('OperationGroupStatusInvalid', json_build_object('status', g.status));
  elsif (locked.w).status <> 'Active' then
    return borsello.refused('WalletNotActive', json_build_object('status', (locked.w).status));
  end if;
  for member in
    select o, sum(case when o.income then -o.net_amount_cents else o.final_amount_cents end) over (
        partition by o.bucket_id order by o.operation_id
        rows between unbounded preceding and 1 preceding)::bigint as taken_before
    from borsello.operation as o
    where operation_group_id = g.operation_group_id and status = open_status
    order by operation_id
  loop
    forbidden := borsello.why_not_confirmed(member.o, c.limits, coalesce(member.taken_before, 0));
    if forbidden.code is not null then
      return borsello.refused(forbidden.code, borsello.json_with(
        json_build_object('operationId', (member.o).operation_id), forbidden.properties));
    end if;
    members := members || (member.o).operation_id;
  end loop;
  if cardinality(members) = 0 then
    return borsello.refused('OperationGroupStatusInvalid',
      json_build_object('groupOperations', 'the group has no operation to confirm.'));
  end if;
  update borsello.operation_group set status = 'Confirmed', version = version + 1,
    confirmation_date = borsello.platform_now()
  where operation_group_id = g.operation_group_id
  returning * into strict g;
  perform borsello.record_group_change(g, c.actor, 'confirm', 'Initialized',
    'OperationGroupConfirmed',
    json_build_object('confirmationDate', borsello.iso(g.confirmation_date)));
  perform borsello.confirm_checked(members, array_fill(c.actor, array[cardinality(members)]));
  return borsello.done(borsello.operation_group_record(g, c.limits));
end $$;

-- Cancels or terminates a pending group; a repeat answers the same record.
create function borsello.end_group_by_command(
  c borsello.operation_command, is_alone boolean, action text, end_status text
) returns borsello.command_outcome language plpgsql volatile as $$
declare
  locked record;
  g borsello.operation_group;
begin
  locked := borsello.lock_wallet_for(c, is_alone);
  if (locked.outcome).code is not null then return locked.outcome; end if;
  g := borsello.group_for(c);
  if g.operation_group_id is null then
    return borsello.refused('OperationGroupNotFound',
      json_build_object('operationGroupId', c.operation_group_id));
  elsif g.status not in ('Initialized', end_status) then
    return borsello.refused('OperationGroupStatusInvalid', json_build_object('status', g.status));
  end if;
  perform borsello.end_group(g.operation_group_id, c.actor, action, end_status);
  return borsello.done(borsello.operation_group_record(borsello.group_for(c), c.limits));
end $$;

-- A command that names no wallet finds it by its operation.
create function borsello.run_operation_command(c borsello.operation_command, is_alone boolean)
returns borsello.command_outcome language plpgsql volatile as $$
begin
  if c.wallet_id is null then
    select wallet_id into c.wallet_id from borsello.operation
    where operation_id = c.operation_id and operation.partner_key = c.partner_key;
    if c.wallet_id is null then
      return borsello.refused('OperationNotFound',
        json_build_object('operationId', c.operation_id));
    end if;
  end if;
  return case c.kind
    when 'initialise' then borsello.initialise_operation(c, is_alone, false)
    when 'simulate' then borsello.initialise_operation(c, is_alone, true)
    when 'confirm' then borsello.confirm_operation(c, is_alone)
    when 'cancel' then borsello.cancel_operation(c, is_alone)
    when 'terminate' then borsello.terminate_operation(c, is_alone)
    when 'initialiseGroup' then borsello.initialise_group(c, is_alone)
    when 'confirmGroup' then borsello.confirm_group(c, is_alone)
    when 'cancelGroup' then borsello.end_group_by_command(c, is_alone, 'cancel', 'Cancelled')
    when 'terminateGroup' then
      borsello.end_group_by_command(c, is_alone, 'terminate', 'Terminated')
  end;
end $$;

-- Commands that wait together, in one round trip and one commit: each outcome with its own place. They
-- touch few rows of large tables: each row is found by its key, and no plan is made twice.
create function borsello.run_operation_commands(commands json, is_alone boolean)
returns table (place bigint, code text, properties json, answer json)
language plpgsql volatile
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  given borsello.operation_command[] := array(
    select c from json_populate_recordset(null::borsello.operation_command, commands) as c);
  command borsello.operation_command;
  outcome borsello.command_outcome;
  confirmed bigint[] := '{}';
  opened borsello.operation[] := '{}';
  openers text[] := '{}';
  opened_wallets uuid[] := '{}';
begin
  -- Where one waits for wallets, it does so in the order of the commands.
  if not is_alone then
    for place, answer in select * from borsello.confirm_plain(given) loop
      confirmed := confirmed || place;
      return next;
    end loop;
  end if;
  place := 0;
  foreach command in array given loop
    place := place + 1;
    continue when place = any(confirmed);
    -- Initialisations of different wallets do not see each other; all else sees what came before it.
    if cardinality(opened) > 0 and (
      command.kind <> 'initialise' or command.wallet_id = any(opened_wallets)) then
      perform borsello.write_opened(opened, openers);
      opened := '{}';
      openers := '{}';
      opened_wallets := '{}';
    end if;
    outcome := borsello.run_operation_command(command, is_alone);
    code := outcome.code;
    properties := outcome.properties;
    answer := outcome.answer;
    return next;
    if (outcome.opened).operation_id is not null then
      opened := opened || outcome.opened;
      openers := openers || command.actor;
      opened_wallets := opened_wallets || command.wallet_id;
    end if;
  end loop;
  if cardinality(opened) > 0 then perform borsello.write_opened(opened, openers); end if;
end $$;

-- The same as one: the first refusal undoes those before it and is all that is returned. The wallets
-- are locked first, all in one order, so that two such calls never wait for each other.
create function borsello.run_operation_commands_as_one(commands json)
returns table (place bigint, code text, properties json, answer json)
language plpgsql volatile as $$
declare
  outcome record;
begin
  perform from borsello.wallet
  where wallet_id in (
    select operation.wallet_id
    from json_populate_recordset(null::borsello.operation_command, commands) as c
      join borsello.operation using (operation_id)
    where operation.partner_key = c.partner_key
  )
  order by wallet_id for no key update;
  for outcome in select * from borsello.run_operation_commands(commands, true) loop
    place := outcome.place;
    code := outcome.code;
    properties := outcome.properties;
    answer := outcome.answer;
    if code is not null then raise sqlstate 'BG001'; end if;
    return next;
  end loop;
exception when sqlstate 'BG001' then
  return query select outcome.place, outcome.code, outcome.properties, outcome.answer;
end $$;

-- Ends what has passed its time, at most so many groups and operations; how many they were. A wallet
-- that somebody else holds has its turn next time.
create function borsello.expire_operations(at_most integer) returns integer
language plpgsql volatile as $$
declare
  due record;
  expired integer := 0;
begin
  for due in
    select operation_group_id, wallet_id from borsello.operation_group
    where status = 'Initialized' and expiry_date <= borsello.platform_now()
    order by expiry_date limit at_most
  loop
    perform from borsello.wallet where wallet_id = due.wallet_id
    for no key update skip locked;
    if found and borsello.end_group(due.operation_group_id, 'platform', 'expire', 'Expired') then
      expired := expired + 1;
    end if;
  end loop;
  for due in
    select operation_id, wallet_id from borsello.operation
    where status = 'Initialized' and expiry_date <= borsello.platform_now()
    order by expiry_date limit at_most
  loop
    perform from borsello.wallet where wallet_id = due.wallet_id
    for no key update skip locked;
    if found and (borsello.end_operation(due.operation_id, 'platform', 'expire', 'Expired')
      ).operation_id is not null then
      expired := expired + 1;
    end if;
  end loop;
  return expired;
end $$;
