-- What the card network asks of an affiliate, and what a card's limits have used; the reversal of payments
-- from a wallet that were asked for so (card seed, 2.7 and 4.3; contract 3.3).

create table borsello.card_authorisation (
  partner_key text not null references borsello.partner,
  -- The processor's: one answer for each.
  transaction_id text not null,
  kind text not null check (kind in ('request', 'advice', 'inquiry', 'reversal')),
  -- SHA-256 of what was asked for.
  request_hash bytea not null check (length(request_hash) = 32),
  card_id uuid not null references borsello.card,
  account_id uuid not null references borsello.card_account,
  ref_transaction_id text,
  -- Of a preauthorisation, its increments and its completion: the preauthorisation's.
  root_transaction_id text,
  type integer not null,
  amount_cents bigint not null check (amount_cents >= 0),
  -- Pending: the affiliate is being asked. Unreached: it was not, and may be asked again. Replaced: by a
  -- completion. Abandoned: given up without the affiliate's answer, which may have been an approval.
  status text not null check (
    status in ('Pending', 'Unreached', 'Approved', 'Declined', 'Reversed', 'Replaced', 'Abandoned')),
  -- The Rome day on which the amount counts towards the card's limits; null: it does not.
  counted_on date,
  is_atm boolean not null,
  is_ecommerce boolean not null,
  -- As it came, while it may have to be asked again.
  request json,
  -- Word for word; null while there is none.
  answer json,
  answered_by text check (answered_by in ('platform', 'affiliate', 'standIn')),
  -- By the true clock, which no sandbox moves: how long somebody has been asking.
  asked_at timestamptz not null default clock_timestamp(),
  creation_date timestamptz not null default borsello.platform_now(),
  primary key (partner_key, transaction_id),
  constraint card_authorisation_answered
    check ((answer is null) = (status in ('Pending', 'Unreached'))),
  constraint card_authorisation_by check ((answer is null) = (answered_by is null))
);
create index card_authorisation_pending on borsello.card_authorisation (asked_at)
  where status = 'Pending';
create index card_authorisation_held on borsello.card_authorisation (account_id)
  where status = 'Pending';
create index card_authorisation_reversal
  on borsello.card_authorisation (partner_key, ref_transaction_id) where kind = 'reversal';
create index card_authorisation_chain
  on borsello.card_authorisation (partner_key, root_transaction_id)
  where root_transaction_id is not null;

-- What counts towards a card's limits, by Rome day: any limit is the sum of at most a year's few rows.
create table borsello.card_usage (
  card_id uuid not null references borsello.card,
  day date not null,
  overall_cents bigint not null check (overall_cents >= 0),
  atm_cents bigint not null check (atm_cents >= 0),
  ecommerce_cents bigint not null check (ecommerce_cents >= 0),
  primary key (card_id, day)
);

create function borsello.count_authorisation(a borsello.card_authorisation) returns void
language sql volatile
begin atomic
  insert into borsello.card_usage as known
    (card_id, day, overall_cents, atm_cents, ecommerce_cents)
  select (a).card_id, (a).counted_on, (a).amount_cents,
    case when (a).is_atm then (a).amount_cents else 0 end,
    case when (a).is_ecommerce then (a).amount_cents else 0 end
  where (a).counted_on is not null
  on conflict (card_id, day) do update set
    overall_cents = known.overall_cents + excluded.overall_cents,
    atm_cents = known.atm_cents + excluded.atm_cents,
    ecommerce_cents = known.ecommerce_cents + excluded.ecommerce_cents;
end;

-- On the day on which it was counted, whatever day it is now.
create function borsello.uncount_authorisation(a borsello.card_authorisation) returns void
language sql volatile
begin atomic
  update borsello.card_usage set overall_cents = overall_cents - (a).amount_cents,
    atm_cents = atm_cents - case when (a).is_atm then (a).amount_cents else 0 end,
    ecommerce_cents = ecommerce_cents - case when (a).is_ecommerce then (a).amount_cents else 0 end
  where card_id = (a).card_id and day = (a).counted_on;
end;

create function borsello.audit_authorisation(
  a borsello.card_authorisation, actor text, action text, from_status text
) returns void
language sql volatile
begin atomic
  insert into borsello.audit
    (actor, partner_key, entity, entity_id, action, from_status, to_status, detail)
  values (actor, (a).partner_key, 'CardAuthorisation', (a).transaction_id, action, from_status,
    (a).status, json_build_object('cardId', (a).card_id, 'kind', (a).kind,
      'responseCode', (a).answer ->> 'responseCode', 'answeredBy', (a).answered_by));
end;

-- What a card holder sees of an authorisation that has its answer: of what moves money alone, and not of
-- what the platform acknowledges because it is known already.
create function borsello.write_card_transaction(a borsello.card_authorisation) returns void
language sql volatile
begin atomic
  insert into borsello.card_transaction (transaction_id, partner_key, card_id, account_id,
    customer_id, billing_cents, status, type, transaction_date, metadata)
  select (a).transaction_id, (a).partner_key, (a).card_id, (a).account_id, card.customer_id,
    (a).amount_cents, case when (a).status = 'Approved' then 'Authorised' else 'Declined' end,
    (a).type, coalesce(((a).request ->> 'transactionDateTime')::timestamptz,
      borsello.platform_now()),
    borsello.json_joined(json_build_object('kind', (a).kind,
      'responseCode', (a).answer ->> 'responseCode', 'answeredBy', (a).answered_by),
      ((a).request::jsonb - 'cardToken' - 'responseCode')::json)
  from borsello.card
  where card_id = (a).card_id and (a).kind in ('request', 'advice')
    and (a).type not in (6, 30, 91, 92)
    and ((a).status <> 'Approved' or (a).answered_by <> 'platform')
  on conflict (partner_key, transaction_id) do nothing;
end;

-- Writes what was asked for: Pending, and counted from now on; or answered at once. False: another card's
-- request has taken the identifier at this moment.
create function borsello.open_authorisation(given json, actor text) returns boolean
language plpgsql volatile as $$
declare
  a borsello.card_authorisation :=
    json_populate_record(null::borsello.card_authorisation, given);
begin
  insert into borsello.card_authorisation (partner_key, transaction_id, kind, request_hash, card_id,
    account_id, ref_transaction_id, root_transaction_id, type, amount_cents, status, counted_on,
    is_atm, is_ecommerce, request, answer, answered_by)
  values (a.partner_key, a.transaction_id, a.kind, a.request_hash, a.card_id, a.account_id,
    a.ref_transaction_id, a.root_transaction_id, a.type, a.amount_cents, a.status, a.counted_on,
    a.is_atm, a.is_ecommerce, case when a.status = 'Pending' then a.request end, a.answer,
    a.answered_by)
  on conflict (partner_key, transaction_id) do nothing;
  if not found then return false; end if;
  perform borsello.count_authorisation(a);
  if a.status <> 'Pending' then
    perform borsello.audit_authorisation(a, actor, a.kind, null);
    perform borsello.write_card_transaction(a);
  end if;
  return true;
end $$;

-- The affiliate is asked once more under the same identifier; what was not counted any more is again. False:
-- whoever asked before has an answer after all.
create function borsello.reopen_authorisation(of_partner text, of_transaction text, count_on date)
returns boolean language plpgsql volatile as $$
declare
  a borsello.card_authorisation;
begin
  select * into strict a from borsello.card_authorisation
  where partner_key = of_partner and transaction_id = of_transaction for no key update;
  if a.status not in ('Pending', 'Unreached') then return false; end if;
  if a.status = 'Unreached' then
    a.counted_on := count_on;
    perform borsello.count_authorisation(a);
  end if;
  update borsello.card_authorisation set status = 'Pending', counted_on = a.counted_on,
    asked_at = clock_timestamp()
  where partner_key = of_partner and transaction_id = of_transaction;
  return true;
end $$;

-- What was approved is so no more: reversed, or replaced by what completes it. A transaction that was
-- presented meanwhile is clearing's and stays. True where it was approved until now.
create function borsello.undo_authorisation(
  of_partner text, of_transaction text, to_status text, because_of text, actor text
) returns boolean language plpgsql volatile as $$
declare
  a borsello.card_authorisation;
begin
  select * into a from borsello.card_authorisation
  where partner_key = of_partner and transaction_id = of_transaction for no key update;
  if a.status is distinct from 'Approved' then return false; end if;
  perform borsello.uncount_authorisation(a);
  update borsello.card_authorisation set status = to_status, counted_on = null
  where partner_key = of_partner and transaction_id = of_transaction returning * into a;
  perform borsello.audit_authorisation(a, actor,
    case to_status when 'Reversed' then 'reverse' else 'replace' end, 'Approved');
  update borsello.card_transaction set status = 'Reversed',
    metadata = borsello.json_with(metadata, json_build_object(
      case to_status when 'Reversed' then 'reversedBy' else 'replacedBy' end, because_of))
  where partner_key = of_partner and transaction_id = of_transaction and status = 'Authorised';
  return true;
end $$;

-- The answer of one that the affiliate was asked about, or (Unreached) that there is none. False: it was
-- answered, or given up, meanwhile.
create function borsello.end_authorisation(
  of_partner text, of_transaction text, to_status text, its_answer json, by text, actor text
) returns boolean language plpgsql volatile as $$
declare
  a borsello.card_authorisation;
  was text;
begin
  select * into a from borsello.card_authorisation
  where partner_key = of_partner and transaction_id = of_transaction for no key update;
  was := a.status;
  -- Of one that was not reached the platform alone decides: it is counted no more.
  if was is null or not (was = 'Pending' or was = 'Unreached' and by = 'platform') then
    return false;
  end if;
  if to_status <> 'Approved' then
    perform borsello.uncount_authorisation(a);
    a.counted_on := null;
  end if;
  a.status := to_status;
  a.answer := its_answer;
  a.answered_by := by;
  update borsello.card_authorisation set status = a.status, answer = a.answer,
    answered_by = a.answered_by, counted_on = a.counted_on,
    request = case when to_status = 'Unreached' then request end
  where partner_key = of_partner and transaction_id = of_transaction;
  perform borsello.audit_authorisation(a, actor, a.kind, was);
  if to_status <> 'Unreached' then perform borsello.write_card_transaction(a); end if;
  if to_status <> 'Approved' then return true; end if;
  if a.kind = 'reversal' then
    perform borsello.undo_authorisation(
      of_partner, a.ref_transaction_id, 'Reversed', of_transaction, actor);
  elsif a.type = 103 then
    perform borsello.undo_authorisation(
      of_partner, held.transaction_id, 'Replaced', of_transaction, actor)
    from borsello.card_authorisation as held
    where held.partner_key = of_partner and held.root_transaction_id = a.root_transaction_id
      and held.type in (101, 102) and held.status = 'Approved'
    order by held.transaction_id;
  end if;
  return true;
end $$;

-- Besides what was approved: what the affiliate is being asked about.
create or replace function borsello.open_card_holds(of_account uuid) returns integer
language sql stable
return (
  select count(*)::integer from borsello.card_transaction as t
    join borsello.card using (card_id)
  where card.account_id = of_account and t.status = 'Authorised'
    and t.transaction_date > borsello.platform_now() - interval '7 days'
) + (
  select count(*)::integer from borsello.card_authorisation
  where account_id = of_account and status = 'Pending'
);

-- The payment was reversed, or the reversal came first.
alter table borsello.o2i_payment add column reversal_date timestamptz;

-- A payment that is on its way to be settled, or settled, is mirrored and keeps its status, and its fee
-- stays; for a closed wallet the money is held in suspense, where a person decides.
create function borsello.credit_reversed_payment(o borsello.operation, actor text) returns void
language plpgsql volatile as $$
declare
  is_closed constant boolean :=
    (select status from borsello.wallet where wallet_id = o.wallet_id) = 'Closed';
  posted_id bigint;
begin
  posted_id := borsello.post_movement(o.operation_id, 'Reversal', array[
      borsello.account_for(
        o.partner_key, borsello.counterparty_kind(o), borsello.counterparty_reference(o)),
      case when is_closed then borsello.account_for(o.partner_key, 'Suspense', 'received')
        else (select account_id from borsello.bucket where bucket_id = o.bucket_id) end],
    array[-o.amount_cents, o.amount_cents]);
  if posted_id is null then return; end if;
  if is_closed then
    perform borsello.hold_in_suspense(o.partner_key, o.wallet_id, 'IncomingSctStandard',
      o.amount_cents, w.first_name || ' ' || w.last_name, coalesce(w.iban, ''),
      o.type || ' ' || o.operation_id, o.operation_id::text,
      borsello.feedback_for_closed('this ' || o.type || ' was reversed'), 'Return',
      json_build_object('reversalOf', o.operation_id), o.operation_id)
    from borsello.wallet as w where w.wallet_id = o.wallet_id;
  end if;
  update borsello.operation set version = version + 1, last_update_date = borsello.platform_now()
  where operation_id = o.operation_id returning * into strict o;
  perform borsello.record_operation_change(o, actor, 'return', o.status, null);
  perform borsello.publish_event('TransactionConfirmed', o.partner_key, o.wallet_id::text,
    o.version, borsello.transaction_event(o, posted_id, 'Reversal'));
end $$;

-- Gives a payment back, once; one that was declined, or never came, does not come any more. What is
-- available in the wallet then.
create function borsello.reverse_o2i_payment(
  of_partner text, of_transaction text, of_wallet uuid, actor text
) returns json language plpgsql volatile as $$
declare
  known borsello.o2i_payment;
  o borsello.operation;
begin
  perform pg_advisory_xact_lock(hashtextextended(of_partner || ' ' || of_transaction, 24));
  -- The hash of no payment: whichever comes is another one, and declined.
  insert into borsello.o2i_payment
    (partner_key, transaction_id, request_hash, answer, reversal_date)
  values (of_partner, of_transaction, ''::bytea,
    borsello.o2i_answer(of_wallet, 'ReversedBefore', null), borsello.platform_now())
  on conflict (partner_key, transaction_id) do nothing;
  if not found then
    select * into strict known from borsello.o2i_payment
    where partner_key = of_partner and transaction_id = of_transaction;
  end if;
  if known.operation_id is not null and known.reversal_date is null then
    perform from borsello.wallet join borsello.operation using (wallet_id)
    where operation_id = known.operation_id for no key update of wallet;
    -- Settlement claims an operation by its own row, not by the wallet's: whoever comes first decides.
    select * into strict o from borsello.operation
    where operation_id = known.operation_id for no key update;
    of_wallet := o.wallet_id;
    if o.status = 'Confirmed' and o.harvesting_id is null then
      perform borsello.terminate_posted(o, actor);
    elsif o.status <> 'Terminated' then
      perform borsello.credit_reversed_payment(o, actor);
    end if;
    update borsello.o2i_payment set reversal_date = borsello.platform_now()
    where partner_key = of_partner and transaction_id = of_transaction;
  end if;
  return borsello.o2i_answer(of_wallet, null, null);
end $$;
