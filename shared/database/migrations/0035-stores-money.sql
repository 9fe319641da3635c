-- What stores owe and are owed (contract 4.6): groups that transfers, direct debits and payments settle.

alter table borsello.reconciliation_group
  -- What was paid of it, with the sign of the store's account: a store's payment raises what it is owed.
  add column settled_cents bigint not null default 0,
  -- What is left: what the partner still owes the store; negative: what the store still has to pay.
  add column open_cents bigint not null generated always as (owed_to_store_cents + settled_cents) stored,
  -- Harvests of its day still join it: nothing was paid or asked for yet.
  add column is_growing boolean not null default true,
  -- Direct debits and payments that were asked for, and when the last one was.
  add column attempts integer not null default 0,
  add column asked_at timestamptz;
-- What cancels itself out is settled.
update borsello.reconciliation_group set status = 'Reconciled', is_growing = false
where owed_to_store_cents = 0;
alter table borsello.reconciliation_group add constraint reconciliation_group_settled check (
  case status when 'Pending' then open_cents <> 0 when 'Reconciled' then open_cents = 0 else true end
  and (status = 'Pending' or not is_growing));
drop index borsello.reconciliation_group_growing;
create unique index reconciliation_group_growing on borsello.reconciliation_group (store_id, day)
  where is_growing;
create index reconciliation_group_pending on borsello.reconciliation_group (partner_key, store_id)
  where status = 'Pending';
create index reconciliation_group_collecting on borsello.reconciliation_group (reconciliation_id)
  where status = 'Collecting';
-- The harvests that a group is made of.
create index harvesting_by_store on borsello.operation (store_id)
  where wallet_id is null and store_id is not null;

-- The codes of groups that its reason names, of those of one store.
alter table borsello.bank_notification add column reconciliation_codes text[];

-- What a notification paid of a group. Its movement has the notification as its cause, the kind
-- Reconciliation and this occurrence.
create table borsello.reconciliation_payment (
  bank_notification_id uuid not null references borsello.bank_notification on delete cascade,
  occurrence integer not null,
  reconciliation_id uuid not null references borsello.reconciliation_group,
  amount_cents bigint not null check (amount_cents > 0),
  primary key (bank_notification_id, occurrence)
);
create index reconciliation_payment_by_group on borsello.reconciliation_payment (reconciliation_id);

-- A store keeps its row for as long as one of its groups is open.
create or replace function borsello.open_reconciliations(of_store uuid) returns bigint
language sql stable
return (
  select count(*) from borsello.reconciliation_group
  where store_id = of_store and status <> 'Reconciled'
);

-- The state of a group after something of it was paid, taken back or asked for.
create function borsello.group_status(open_cents bigint) returns text
language sql immutable parallel safe
return case when open_cents = 0 then 'Reconciled' else 'Pending' end;

create function borsello.record_group_change(
  g borsello.reconciliation_group, actor text, action text, from_status text, detail json default null
) returns void
language sql volatile
begin atomic
  insert into borsello.audit
    (actor, partner_key, entity, entity_id, action, from_status, to_status, detail)
  values (actor, (g).partner_key, 'Reconciliation', (g).reconciliation_id::text, action, from_status,
    (g).status, detail);
end;

-- Adds a harvesting to its store's group of the day: what the partner owes the store by it. A group that
-- comes out even needs no payment: it is reconciled there and then, and what is harvested later opens
-- another.
create or replace function borsello.join_reconciliation_group(h borsello.operation) returns uuid
language plpgsql volatile as $$
declare
  fresh uuid := uuidv7();
  joined borsello.reconciliation_group;
begin
  insert into borsello.reconciliation_group as known
    (reconciliation_id, partner_key, store_id, day, code, owed_to_store_cents)
  select fresh, h.partner_key, h.store_id, h.harvest_day, 'RC' || string_agg(
      substr('ABCDEFGHJKLMNPQRSTUVWXYZ23456789', get_byte(hash, place) % 32 + 1, 1), ''
      order by place),
    case when h.type in ('CashWithdrawal', 'Payment') then h.amount_cents else -h.amount_cents end
  from (select sha256(convert_to(fresh::text, 'UTF8')) as hash) as digest,
    generate_series(0, 9) as place
  on conflict (store_id, day) where is_growing do update set
    owed_to_store_cents = known.owed_to_store_cents + excluded.owed_to_store_cents,
    status = borsello.group_status(known.open_cents + excluded.owed_to_store_cents),
    is_growing = known.open_cents + excluded.owed_to_store_cents <> 0,
    last_update_date = excluded.last_update_date, version = known.version + 1
  returning * into joined;
  if joined.version = 1 then
    perform borsello.record_group_change(joined, 'platform', 'open', null);
  elsif joined.status = 'Reconciled' then
    perform borsello.record_group_change(joined, 'platform', 'reconcile', 'Pending');
  end if;
  return joined.reconciliation_id;
end $$;

-- The groups of a partner whose codes stand in a text, however it is spaced and written.
create function borsello.named_reconciliations(of_partner text, reason text)
returns setof borsello.reconciliation_group language sql stable
begin atomic
  select g from borsello.reconciliation_group as g
  where partner_key = of_partner and code in (
    select substr(letters, place, 12)
    from (select regexp_replace(upper(reason), '[^A-Z0-9]', '', 'g') as letters) as compact,
      generate_series(1, length(letters) - 11) as place
    where substr(letters, place, 2) = 'RC');
end;

-- The store whose owner's account this is; null: of none or of several.
create function borsello.store_of_owner(of_partner text, iban text) returns uuid
language sql stable
begin atomic
  select min(store_id::text)::uuid from borsello.store
  where partner_key = of_partner and borsello.account_key(owner_iban) = borsello.account_key(iban)
    and deletion_date is null
  having count(*) = 1;
end;
create index store_by_owner_iban on borsello.store (partner_key, borsello.account_key(owner_iban))
  where deletion_date is null and owner_iban is not null;

-- Pays so much of a group from what a notification holds in suspense. The caller holds both rows and has the
-- notification consumed.
create function borsello.pay_group(
  of_group uuid, n borsello.bank_notification, cents bigint, actor text
) returns void language plpgsql volatile as $$
declare
  g borsello.reconciliation_group;
  before text;
  times integer;
begin
  select count(*) + 1 into times from borsello.reconciliation_payment
  where bank_notification_id = n.bank_notification_id;
  insert into borsello.reconciliation_payment
  values (n.bank_notification_id, times, of_group, cents);
  update borsello.reconciliation_group set settled_cents = settled_cents + cents,
    status = borsello.group_status(open_cents + cents), is_growing = false,
    last_update_date = borsello.platform_now(), version = version + 1
  where reconciliation_id = of_group and status = 'Pending' and -open_cents >= cents
  returning old.status into strict before;
  select * into strict g from borsello.reconciliation_group where reconciliation_id = of_group;
  perform borsello.post_cause(null, n.bank_notification_id, null, 'Reconciliation',
    array[borsello.account_for(g.partner_key, 'Suspense', 'received'),
      (select account_id from borsello.store where store_id = g.store_id)],
    array[-cents, cents], times);
  perform borsello.record_group_change(g, actor, 'pay', before, json_build_object(
    'bankNotificationId', n.bank_notification_id, 'amount', borsello.money(cents),
    'left', borsello.money(-g.open_cents)));
end $$;

-- Pays groups, in the order given, from notifications, in the order given, for as long as there is something
-- of both. The caller holds all of these rows.
create function borsello.pay_groups(codes text[], notification_ids uuid[], actor text)
returns void language plpgsql volatile as $$
declare
  n borsello.bank_notification;
  g borsello.reconciliation_group;
  notification_id uuid;
  rest bigint;
  part bigint;
begin
  foreach notification_id in array notification_ids loop
    select * into strict n from borsello.bank_notification
    where bank_notification_id = notification_id;
    rest := n.amount_cents - n.consumed_amount_cents;
    for g in
      select waiting.* from unnest(codes) with ordinality as given (code, place)
        join borsello.reconciliation_group as waiting using (code)
      where waiting.status = 'Pending' and waiting.open_cents < 0 order by place
    loop
      part := least(rest, -g.open_cents);
      exit when part = 0;
      perform borsello.pay_group(g.reconciliation_id, n, part, actor);
      rest := rest - part;
    end loop;
    if rest < n.amount_cents - n.consumed_amount_cents then
      perform borsello.consume_notification(notification_id,
        n.amount_cents - n.consumed_amount_cents - rest, 'StoreReconciliation', null, null,
        n.store_id, actor);
    end if;
  end loop;
end $$;

-- Why none of the groups that a transfer names takes its money.
create function borsello.why_not_payable(of_partner text, reason text) returns text
language sql stable
begin atomic
  select 'Reconciliation: ' || case
      when status = 'Collecting' and open_cents < 0 then 'a direct debit of group ' || code
        || ' is out; it is looked at again once the bank has decided on that'
      when open_cents > 0 or status = 'Collecting' then 'group ' || code
        || ' is owed to the store, not by it; the code of a group that the store has to pay would fit'
      else 'group ' || code || ' is paid already; the code of a group that waits for its payment '
        || 'would fit, or an approval, which uses it for the store''s next one' end
  from borsello.named_reconciliations(of_partner, reason)
  order by status <> 'Collecting', day, reconciliation_id limit 1;
end;

-- Matches what a store has paid with what it owes (contract 4.4, 4.6), under the locks that it takes: store,
-- groups, notifications. Null: the notification was consumed, in full or in part; else the feedback for a
-- person. By itself it takes all or nothing: everything that waits and names the same codes must add up
-- to what they owe. A person's approval uses the one notification for the groups that it names, then for
-- the store's others, the oldest first.
create function borsello.reconcile_notification(
  of_notification uuid, by_person boolean, actor text
) returns text language plpgsql volatile as $$
declare
  n borsello.bank_notification;
  of_store uuid;
  stores uuid[];
  codes text[];
  payable text[];
  grown text[];
  notification_ids uuid[];
  needed bigint;
  held bigint;
  why text;
begin
  select * into strict n from borsello.bank_notification
  where bank_notification_id = of_notification;
  select array_agg(distinct store_id), array_agg(code order by day, reconciliation_id)
  into stores, codes from borsello.named_reconciliations(n.partner_key, n.reason);
  if cardinality(stores) > 1 then
    return 'Reconciliation: the reason holds the codes of groups of several stores; '
      'those of one store alone would fit';
  end if;
  of_store := coalesce(
    stores[1], n.store_id, borsello.store_of_owner(n.partner_key, n.debtor_iban));
  why := 'Reconciliation: the reason holds the code of no reconciliation group of the partner; '
    'the code of a group that waits for its payment would fit' || case when of_store is null then ''
      else ', or an approval, which uses it for what the store of the debtor''s account owes' end;
  if of_store is null then return why; end if;
  perform from borsello.store where store_id = of_store for no key update;
  perform from borsello.reconciliation_group
  where store_id = of_store and status <> 'Reconciled' order by reconciliation_id for no key update;
  perform from borsello.bank_notification
  where bank_notification_id = of_notification
    or (store_id = of_store and status in ('Received', 'PartiallyConsumed'))
  order by bank_notification_id for no key update;
  update borsello.bank_notification set store_id = of_store, reconciliation_codes = codes,
    reconciliation_code = coalesce(codes[1], reconciliation_code),
    reconciliation_type = 'StoreReconciliation'
  where bank_notification_id = of_notification and is_booked
    and status in ('Received', 'Accepted', 'Processing', 'Failed', 'PartiallyConsumed')
  returning * into n;
  if not found then return 'Reconciliation: it holds nothing that could be used'; end if;
  if stores is null and not by_person then return why; end if;

  -- A credit claims the groups that it names, whatever comes of it.
  update borsello.reconciliation_group set is_growing = false
  where code = any(codes) and is_growing and open_cents < 0;
  payable := array(
    select code from borsello.reconciliation_group
    where code = any(codes) and status = 'Pending' and open_cents < 0
    order by day, reconciliation_id);

  if by_person then
    payable := payable || array(
      select code from borsello.reconciliation_group
      where store_id = of_store and status = 'Pending' and open_cents < 0 and code <> all(payable)
      order by day, reconciliation_id);
    if payable = '{}' then
      return coalesce(borsello.why_not_payable(n.partner_key, n.reason),
        'Reconciliation: the store has nothing to pay at present');
    end if;
    perform borsello.pay_groups(payable, array[of_notification], actor);
    perform borsello.reconcile_waiting(of_store, payable);
    return null;
  end if;

  if payable = '{}' then return borsello.why_not_payable(n.partner_key, n.reason); end if;
  -- Whatever names one of these groups counts for all that it names, unless a person wants it sent back.
  loop
    select array_agg(distinct m.bank_notification_id), array_agg(distinct g.code)
    into notification_ids, grown
    from borsello.bank_notification as m join borsello.reconciliation_group as g
      on g.code = any(m.reconciliation_codes)
    where (m.bank_notification_id = of_notification or (
        m.store_id = of_store and m.is_booked and m.status in ('Received', 'PartiallyConsumed')
        and m.failed_rule is distinct from 'Return'))
      and m.reconciliation_codes && payable and g.status = 'Pending' and g.open_cents < 0;
    exit when cardinality(grown) = cardinality(payable);
    payable := grown;
  end loop;
  payable := array(
    select code from borsello.reconciliation_group
    where code = any(payable) order by day, reconciliation_id);
  notification_ids := array(
    select bank_notification_id from borsello.bank_notification
    where bank_notification_id = any(notification_ids)
    order by reception_date, bank_notification_id);
  select sum(-open_cents) into needed from borsello.reconciliation_group
  where code = any(payable);
  select sum(amount_cents - consumed_amount_cents) into held from borsello.bank_notification
  where bank_notification_id = any(notification_ids);
  if held < needed then
    why := 'Reconciliation: ' || array_to_string(payable, ', ') || ' asks for '
      || to_char(needed / 100.0, 'FM999999999990.00') || ', and what names it holds '
      || to_char(held / 100.0, 'FM999999999990.00')
      || '; the rest with the same code would fit, or an approval, which lowers what is to pay';
    update borsello.bank_notification
    set feedback = why, last_update_date = borsello.platform_now()
    where bank_notification_id = any(notification_ids) and status = 'Received'
      and bank_notification_id <> of_notification and feedback <> why;
    return why;
  end if;
  perform borsello.pay_groups(payable, notification_ids, actor);
  perform borsello.reconcile_waiting(of_store, payable);
  -- The others may have been enough.
  return case when not exists (
      select from borsello.bank_notification
      where bank_notification_id = of_notification
        and consumed_amount_cents > n.consumed_amount_cents)
    then borsello.why_not_payable(n.partner_key, n.reason) end;
end $$;

-- Looks again at the transfers of a store that wait and name one of these groups, since those have changed.
-- The caller holds the store's row.
create function borsello.reconcile_waiting(of_store uuid, changed_codes text[]) returns void
language plpgsql volatile as $$
declare
  n borsello.bank_notification;
  why text;
begin
  for n in
    select * from borsello.bank_notification
    where store_id = of_store and status = 'Received' and is_booked
      and reconciliation_codes && changed_codes and failed_rule is distinct from 'Return'
    order by reception_date, bank_notification_id
  loop
    why := borsello.reconcile_notification(n.bank_notification_id, false, 'platform');
    update borsello.bank_notification set feedback = why, last_update_date = borsello.platform_now()
    where bank_notification_id = n.bank_notification_id and status = 'Received'
      and feedback is distinct from why;
  end loop;
end $$;

-- A direct debit or a payment of a group is out: what its row, the audit and its flow learn. The caller
-- holds the group's row and has made the request.
create function borsello.note_group_asked(
  g borsello.reconciliation_group, of_request uuid, moved_cents bigint, actor text
) returns void language plpgsql volatile as $$
declare
  asked borsello.reconciliation_group;
begin
  update borsello.bank_request set reconciliation_id = g.reconciliation_id, attempt = g.attempts + 1
  where request_id = of_request;
  update borsello.reconciliation_group set status = 'Collecting', is_growing = false,
    attempts = attempts + 1, asked_at = borsello.platform_now(),
    settled_cents = settled_cents + moved_cents, last_update_date = borsello.platform_now(),
    version = version + 1
  where reconciliation_id = g.reconciliation_id and status = 'Pending'
  returning * into strict asked;
  perform borsello.record_group_change(asked, actor, 'ask', 'Pending', (
    select json_build_object('requestId', request_id, 'kind', kind, 'amount', payload -> 'amount')
    from borsello.bank_request where request_id = of_request));
  perform borsello.tell_flows('StorePaymentAsked', g.store_id::text, json_build_object(
    'reconciliationId', g.reconciliation_id, 'partnerKey', g.partner_key));
end $$;

-- Asks for a direct debit of what a store owes by a group. The caller holds the rows of store, mandate and
-- group; the mandate is Active.
create function borsello.collect_group(
  g borsello.reconciliation_group, m borsello.mandate, cents bigint, on_day date, actor text
) returns void language plpgsql volatile as $$
declare
  fresh constant uuid := borsello.derived_id('directDebit', g.reconciliation_id, g.attempts + 1);
begin
  perform borsello.request_bank(fresh, 'directDebit', g.partner_key, null, m.mandate_id,
    borsello.json_with(borsello.mandate_terms(m), json_build_object(
      'mandateId', m.mandate_id, 'depositDate', on_day, 'reconciliationCode', g.code,
      'amount', borsello.money(cents), 'reason', 'Reconciliation ' || g.code)),
    'compensation-' || g.reconciliation_id, 'bankOutcome');
  perform borsello.note_group_asked(g, fresh, 0, actor);
  update borsello.mandate set last_deposit_requested_date = borsello.platform_now()
  where mandate_id = m.mandate_id;
end $$;

-- Pays a store what a group says that it is owed: the money has left the store's account, and is on its way
-- until the bank has booked it. The caller holds the rows of store and group.
create function borsello.pay_store(
  g borsello.reconciliation_group, s borsello.store, actor text
) returns void language plpgsql volatile as $$
declare
  fresh constant uuid := borsello.derived_id('payment', g.reconciliation_id, g.attempts + 1);
begin
  perform borsello.request_bank(fresh, 'payment', g.partner_key, null, null, json_build_object(
      'reconciliationCode', g.code, 'creditorName', coalesce(s.owner_name, s.name),
      'creditorIban', s.owner_iban, 'amount', borsello.money(g.open_cents),
      'reason', 'Reconciliation ' || g.code),
    'compensation-' || g.reconciliation_id, 'bankOutcome');
  perform borsello.post_cause(null, null, g.reconciliation_id, 'StorePayment',
    array[s.account_id, borsello.account_for(g.partner_key, 'Transit', 'outgoing')],
    array[-g.open_cents, g.open_cents], g.attempts + 1);
  perform borsello.note_group_asked(g, fresh, -g.open_cents, actor);
end $$;

-- The store's mandate by which it may be debited, locked; the caller holds the store's row.
create function borsello.lock_store_mandate(of_store uuid) returns setof borsello.mandate
language sql volatile rows 1
begin atomic
  select m from borsello.mandate as m where store_id = of_store and status = 'Active'
  for no key update;
end;

-- Collects from stores what they owe, and pays what they are owed: so many groups of a partner up to the
-- day, of those that were not asked for since. What no mandate and no account can settle waits for
-- another day. Resolves to how many were asked for.
create function borsello.compensate_stores(
  of_partner text, up_to timestamptz, asked_before timestamptz, deposit_date date, at_most integer,
  actor text
) returns integer language plpgsql volatile as $$
declare
  candidate record;
  s borsello.store;
  m borsello.mandate;
  g borsello.reconciliation_group;
  asked integer := 0;
begin
  for candidate in
    select waiting.reconciliation_id, waiting.store_id
    from borsello.reconciliation_group as waiting join borsello.store using (store_id)
    where waiting.partner_key = of_partner and waiting.status = 'Pending'
      and day <= borsello.rome_date(up_to - interval '1 millisecond')
      and (asked_at is null or asked_at < asked_before)
      and case when open_cents > 0 then store.owner_iban is not null else exists (
        select from borsello.mandate where mandate.store_id = store.store_id and status = 'Active') end
    order by waiting.store_id, waiting.reconciliation_id limit at_most
  loop
    select * into strict s from borsello.store where store_id = candidate.store_id
    for no key update;
    select * into m from borsello.lock_store_mandate(s.store_id);
    select * into g from borsello.reconciliation_group
    where reconciliation_id = candidate.reconciliation_id and status = 'Pending'
      and (asked_at is null or asked_at < asked_before) for no key update;
    continue when g.reconciliation_id is null;
    if g.open_cents > 0 and s.owner_iban is not null then
      perform borsello.pay_store(g, s, actor);
    elsif g.open_cents < 0 and m.mandate_id is not null then
      perform borsello.collect_group(g, m, -g.open_cents, deposit_date, actor);
    else
      continue;
    end if;
    asked := asked + 1;
  end loop;
  return asked;
end $$;

-- What may be collected by a store's mandate at present, of one group or of all that wait; null: there is
-- no such mandate of a store, or no such group of that store.
create function borsello.collectable_cents(of_mandate uuid, of_reconciliation uuid) returns bigint
language sql stable
begin atomic
  select coalesce(sum(-open_cents) filter (
      where g.status = 'Pending' and open_cents < 0 and m.status = 'Active'), 0)::bigint
  from borsello.mandate as m left join borsello.reconciliation_group as g
    on g.store_id = m.store_id
    and (of_reconciliation is null or g.reconciliation_id = of_reconciliation)
    and (of_reconciliation is not null or g.status = 'Pending')
  where m.mandate_id = of_mandate and m.store_id is not null
  group by m.mandate_id
  having of_reconciliation is null or count(g.reconciliation_id) > 0;
end;

-- Asks for direct debits by one store's mandate at once, a group each, the oldest first: of one group or of
-- all that wait, up to an amount (null: all that is owed). Resolves to how many were asked for.
create function borsello.request_store_collection(
  of_mandate uuid, cents bigint, of_reconciliation uuid, deposit_date date, actor text
) returns integer language plpgsql volatile as $$
declare
  of_store uuid;
  m borsello.mandate;
  g borsello.reconciliation_group;
  rest bigint := cents;
  part bigint;
  asked integer := 0;
begin
  select store_id into of_store from borsello.mandate where mandate_id = of_mandate;
  perform from borsello.store where store_id = of_store for no key update;
  select * into m from borsello.lock_store_mandate(of_store);
  if m.mandate_id is distinct from of_mandate then return 0; end if;
  for g in
    select * from borsello.reconciliation_group
    where store_id = of_store and status = 'Pending' and open_cents < 0
      and (of_reconciliation is null or reconciliation_id = of_reconciliation)
    order by day, reconciliation_id for no key update
  loop
    part := least(rest, -g.open_cents);
    exit when part <= 0;
    perform borsello.collect_group(g, m, part, deposit_date, actor);
    rest := rest - part;
    asked := asked + 1;
  end loop;
  return asked;
end $$;

-- What the bank did about a direct debit or a payment of a group: its row, the audit, and what waited for it.
create function borsello.note_group_outcome(r borsello.bank_request, moved_cents bigint) returns void
language plpgsql volatile as $$
declare
  g borsello.reconciliation_group;
  before text;
begin
  -- A word about an earlier request does not end the wait for the present one.
  update borsello.reconciliation_group set settled_cents = settled_cents + moved_cents,
    status = case when exists (
        select from borsello.bank_request as other
        where other.reconciliation_id = r.reconciliation_id and other.status in ('Requested', 'Accepted'))
      then status else borsello.group_status(open_cents + moved_cents) end,
    last_update_date = borsello.platform_now(), version = version + 1
  where reconciliation_id = r.reconciliation_id
  returning old.status into strict before;
  select * into strict g from borsello.reconciliation_group
  where reconciliation_id = r.reconciliation_id;
  perform borsello.record_group_change(g, 'bank', lower(r.status), before, json_build_object(
    'requestId', r.request_id, 'kind', r.kind, 'amount', r.payload -> 'amount',
    'reasonCode', r.reason_code));
  perform borsello.reconcile_waiting(g.store_id, array[g.code]);
end $$;

-- Whether a group's movement of this kind was posted for this attempt.
create function borsello.is_group_posted(r borsello.bank_request, of_kind text) returns boolean
language sql stable
return exists (
  select from borsello.ledger_transaction
  where cause_id = r.reconciliation_id and kind = of_kind and occurrence = r.attempt);

create function borsello.store_account(r borsello.bank_request) returns bigint
language sql stable
return (
  select account_id from borsello.reconciliation_group join borsello.store using (store_id)
  where reconciliation_id = r.reconciliation_id);

-- A direct debit of a store was decided, or came back: −Bank +Store, or its mirror. What came back before
-- its booking was heard of was booked all the same. The caller holds store, mandate and request.
create function borsello.settle_store_collection(r borsello.bank_request) returns void
language plpgsql volatile as $$
declare
  cents constant bigint := borsello.cents(r.payload -> 'amount');
  into_account constant bigint := borsello.store_account(r);
  moved bigint := 0;
begin
  if r.status not in ('Booked', 'Refused', 'Returned') then return; end if;
  perform from borsello.reconciliation_group
  where reconciliation_id = r.reconciliation_id for no key update;
  if r.status = 'Refused' then
    -- What names it is a person's to decide about, who may use it for this store.
    update borsello.bank_notification set store_id = g.store_id
    from borsello.reconciliation_group as g
    where named_request_id = r.request_id and is_booked and g.reconciliation_id = r.reconciliation_id
      and bank_notification.status in ('Received', 'Accepted', 'Failed');
    perform borsello.leave_named(n)
    from borsello.holding_notification(r.request_id) as n where n.bank_notification_id is not null;
  elsif not borsello.is_group_posted(r, 'Booking') and not exists (
    -- A person has used or sent back this money already, when the bank had told of it alone.
    select from borsello.bank_notification
    where named_request_id = r.request_id and is_booked and amount_cents = cents
      and status in ('Consumed', 'RejectionRequested', 'Rejected'))
  then
    perform borsello.post_cause(null, null, r.reconciliation_id, 'Booking',
      array[borsello.draw_account(r, null, 'Mandate', 'bank'), into_account], array[-cents, cents],
      r.attempt);
    moved := cents;
  end if;
  if r.status = 'Returned' then
    perform borsello.post_cause(null, null, r.reconciliation_id, 'Reversal',
      array[borsello.account_for(r.partner_key, 'Bank', 'safeguarding'), into_account],
      array[cents, -cents], r.attempt);
    moved := moved - cents;
  end if;
  update borsello.mandate set
    last_payment_receive_date = case when r.status = 'Booked' then borsello.platform_now()
      else last_payment_receive_date end,
    last_error = case when r.status = 'Booked' then null
      else coalesce(r.reason_code, r.status) end,
    last_failure_date = case when r.status = 'Booked' then last_failure_date
      else borsello.platform_now() end
  where mandate_id = r.mandate_id;
  perform borsello.note_group_outcome(r, moved);
end $$;

-- A payment to a store was decided, or came back: −Transit +Bank, or the mirror of what was moved. The caller
-- holds store and request.
create function borsello.settle_store_payment(r borsello.bank_request) returns void
language plpgsql volatile as $$
declare
  cents constant bigint := borsello.cents(r.payload -> 'amount');
  from_account constant bigint := borsello.store_account(r);
  transit constant bigint := borsello.account_for(r.partner_key, 'Transit', 'outgoing');
begin
  if r.status not in ('Booked', 'Refused', 'Returned') then return; end if;
  perform from borsello.reconciliation_group
  where reconciliation_id = r.reconciliation_id for no key update;
  if r.status <> 'Refused' then
    perform borsello.post_cause(null, null, r.reconciliation_id, 'Booking',
      array[transit, borsello.account_for(r.partner_key, 'Bank', 'safeguarding')],
      array[-cents, cents], r.attempt);
  end if;
  if r.status <> 'Booked' then
    perform borsello.post_cause(null, null, r.reconciliation_id, 'Reversal',
      array[case when r.status = 'Refused' then transit
        else borsello.draw_account(r, null, 'Return', 'bank') end, from_account],
      array[-cents, cents], r.attempt);
  end if;
  perform borsello.note_group_outcome(r, case when r.status = 'Booked' then 0 else cents end);
end $$;

-- What is not as the books must have it, one row each; none: they agree. A group is what its harvestings
-- owe, and was paid what the store's account says; a store's account is its groups, and the
-- operations that are in none yet.
create view borsello.store_mismatch (store_id, reconciliation_id, rule, expected_cents, found_cents) as
with harvested as (
  select reconciliation_id, sum(case when type in ('CashWithdrawal', 'Payment') then amount_cents
    else -amount_cents end)::bigint as cents
  from borsello.operation
  where wallet_id is null and reconciliation_id is not null group by reconciliation_id
), paid as (
  select reconciliation_id, sum(cents)::bigint as cents
  from (
    select t.reconciliation_id, entry.amount_cents as cents
    from borsello.ledger_transaction as t join borsello.entry using (transaction_id)
      join borsello.account using (account_id)
    where t.reconciliation_id is not null and account.kind = 'Store'
    union all
    select payment.reconciliation_id, entry.amount_cents
    from borsello.reconciliation_payment as payment
      join borsello.ledger_transaction as t on t.cause_id = payment.bank_notification_id
        and t.kind = 'Reconciliation' and t.occurrence = payment.occurrence
      join borsello.entry using (transaction_id) join borsello.account using (account_id)
    where account.kind = 'Store'
  ) as line group by reconciliation_id
), unharvested as (
  select entry.account_id, sum(entry.amount_cents)::bigint as cents
  from borsello.entry join borsello.account using (account_id)
    join borsello.ledger_transaction as t using (transaction_id)
    join borsello.operation as o on o.operation_id = t.operation_id
    left join borsello.operation as h on h.operation_id = o.harvesting_id
  where account.kind = 'Store' and h.reconciliation_id is null group by entry.account_id
), open_groups as (
  select store_id, sum(open_cents)::bigint as cents from borsello.reconciliation_group
  group by store_id
)
select g.store_id, g.reconciliation_id, 'Harvested', g.owed_to_store_cents, coalesce(harvested.cents, 0)
from borsello.reconciliation_group as g left join harvested using (reconciliation_id)
where g.owed_to_store_cents <> coalesce(harvested.cents, 0)
union all
select g.store_id, g.reconciliation_id, 'Settled', g.settled_cents, coalesce(paid.cents, 0)
from borsello.reconciliation_group as g left join paid using (reconciliation_id)
where g.settled_cents <> coalesce(paid.cents, 0)
union all
select s.store_id, null, 'Balance', s.expected, s.found
from (
  select store.store_id,
    coalesce(open_groups.cents, 0) + coalesce(unharvested.cents, 0) as expected,
    coalesce((select sum(amount_cents) from borsello.entry
      where entry.account_id = store.account_id), 0)::bigint as found
  from borsello.store left join open_groups using (store_id)
    left join unharvested on unharvested.account_id = store.account_id
) as s
where s.expected <> s.found;
