-- Collections of wallet mandates (contract 4.3): each is a request `directDebit` to the bank; what the bank says
-- of it is booked, and shows on its mandate, in the transaction that records it.

alter table borsello.mandate
  -- The agreed date from which the next ones are counted; null: next_deposit_date.
  add column deposit_anchor date;
create index mandate_due on borsello.mandate (partner_key, next_deposit_request_date, mandate_id)
  where status = 'Active' and wallet_id is not null;
create index collection_open on borsello.bank_request (request_id)
  where kind = 'directDebit' and status in ('Requested', 'Accepted') and reconciliation_id is null;

alter table borsello.operation
  -- Of a collected deposit that the debtor's bank took back: its code. It is no part of the limits then.
  add column return_reason text;

-- A step of settlement that goes well clears the feedback of the one that failed, and leaves the return's.
create function borsello.keep_return_reason() returns trigger language plpgsql as $$
begin
  new.feedback := new.return_reason;
  return new;
end $$;
create trigger return_reason_kept before update on borsello.operation
  for each row when (new.return_reason is not null and new.feedback is null)
  execute function borsello.keep_return_reason();

create or replace function borsello.limits_used(of_wallet uuid) returns borsello.limit_bounds
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
      and return_reason is null
  ) as counted
);

-- The deposit that a collection becomes: the same whenever it is worked out.
create function borsello.collection_deposit_id(of_request uuid) returns uuid
language sql immutable parallel safe
return borsello.derived_id('deposit', of_request, 1);

-- What collections of a wallet may yet become deposits.
create function borsello.collecting_cents(of_wallet uuid) returns bigint
language sql stable parallel safe
return (
  select coalesce(sum(borsello.cents(r.payload -> 'amount')), 0)::bigint
  from borsello.mandate as m join borsello.bank_request as r using (mandate_id)
  where m.wallet_id = of_wallet and r.kind = 'directDebit' and r.status in ('Requested', 'Accepted')
);

create function borsello.tell_collection(r borsello.bank_request) returns void
language sql volatile
return borsello.tell_flows('CollectionRequested', coalesce((r).wallet_id, (r).request_id)::text,
  json_build_object('requestId', (r).request_id, 'partnerKey', (r).partner_key));

-- Asks the bank for a collection that settles on a date, or says why it is left out, and sets the dates of
-- the next one. The caller holds the rows of wallet and mandate. Null: it was left out.
create function borsello.take_due_collection(
  of_mandate uuid, why_skipped text, settling_on date, next_request date, next_deposit date,
  actor text
) returns uuid language plpgsql volatile as $$
declare
  m borsello.mandate;
  r borsello.bank_request;
  nth integer;
  fresh uuid;
begin
  update borsello.mandate set
    deposit_anchor = coalesce(deposit_anchor, next_deposit_date),
    next_deposit_request_date = next_request, next_deposit_date = next_deposit,
    last_deposit_requested_date = case when why_skipped is null then borsello.platform_now()
      else last_deposit_requested_date end,
    last_error = coalesce('CollectionSkipped: ' || why_skipped, last_error)
  where mandate_id = of_mandate returning * into strict m;
  if why_skipped is not null then
    perform borsello.record_mandate_change(m, actor, 'skipDeposit', m.status);
    return null;
  end if;
  select count(*) + 1 into nth from borsello.bank_request
  where mandate_id = of_mandate and kind = 'directDebit'
    and payload ->> 'depositDate' = settling_on::text;
  fresh := borsello.derived_id('directDebit ' || settling_on, of_mandate, nth);
  perform borsello.request_bank(fresh, 'directDebit', m.partner_key, m.wallet_id, of_mandate,
    borsello.json_with(borsello.mandate_terms(m),
      json_build_object('mandateId', of_mandate, 'depositDate', settling_on)),
    'deposit-' || fresh, 'bankOutcome');
  update borsello.bank_request set attempt = nth where request_id = fresh returning * into strict r;
  perform borsello.record_mandate_change(m, actor, 'requestDeposit', m.status);
  perform borsello.tell_collection(r);
  return fresh;
end $$;

-- Credits a collection to its wallet, once; null where that was done before. The caller holds the wallet's row.
create function borsello.credit_collection(
  r borsello.bank_request, from_account bigint, of_notification uuid, actor text
) returns borsello.operation language sql volatile
return borsello.credit_incoming('SddDeposit', (r).wallet_id,
  borsello.cents((r).payload -> 'amount'), from_account,
  borsello.collection_deposit_id((r).request_id), of_notification, actor,
  json_build_object('mandateId', (r).payload -> 'mandateId',
    'depositDate', (r).payload -> 'depositDate'));

-- The notification that names a collection which could not be credited.
create function borsello.holding_notification(of_request uuid) returns borsello.bank_notification
language sql stable
return (
  select n from borsello.bank_notification as n
  where named_request_id = of_request and is_booked and status in (
    'Received', 'Accepted', 'Processing', 'Failed', 'RejectionRequested')
  order by bank_notification_id limit 1
);

-- Booked for a wallet that takes no money now: it waits in suspense, as what the bank told of it or, where it
-- told nothing yet, as a notification of ours. What is a closed wallet's is sent back.
create function borsello.hold_collection(r borsello.bank_request) returns void
language plpgsql volatile as $$
declare
  n borsello.bank_notification;
  cents constant bigint := borsello.cents(r.payload -> 'amount');
  reference constant text := r.payload ->> 'mandateUniqueReference';
  received constant timestamptz := borsello.platform_now();
  collecting text;
  wallet_status text;
  why text;
begin
  select status into wallet_status from borsello.wallet where wallet_id = r.wallet_id;
  why := 'Wallet: ' || case wallet_status
    when 'Suspended' then 'the wallet is Suspended; the collection is credited when it is reactivated'
    when 'Closed' then 'the wallet is Closed; the collection is sent back'
    else 'the wallet of this collection was deleted for good' end;
  select * into n from borsello.bank_notification
  where named_request_id = r.request_id and is_booked and amount_cents = cents
    and status in ('Received', 'Accepted', 'Failed')
  order by bank_notification_id limit 1 for no key update;
  if n.bank_notification_id is not null then
    insert into borsello.audit
      (actor, partner_key, entity, entity_id, action, from_status, to_status)
    select 'bank', n.partner_key, 'BankNotification', n.bank_notification_id::text, 'leave', n.status,
      'Received'
    where n.status <> 'Received';
    update borsello.bank_notification set status = 'Received', failed_rule = 'Wallet', feedback = why,
      reconciliation_type = 'Mandate', wallet_id = r.wallet_id, is_due = false,
      next_attempt_at = null, last_update_date = received
    where bank_notification_id = n.bank_notification_id returning * into strict n;
  else
    select coalesce(borsello.collection_account(partner), '') into strict collecting
    from borsello.partner where partner_key = r.partner_key;
    insert into borsello.bank_notification (partner_key, type, reception_date, creditor_name,
      creditor_iban, debtor_name, debtor_iban, amount_cents, reason, transaction_reference,
      reconciliation_type, wallet_id, named_request_id, is_booked, failed_rule, feedback,
      content_hash, repeat_key)
    select r.partner_key, 'IncomingSdd', received, r.payload ->> 'creditorName', collecting, debtor,
      r.payload ->> 'debtorIban', cents, reference, told, 'Mandate', r.wallet_id, r.request_id, true,
      'Wallet', why, borsello.transfer_content('IncomingSdd', told, null, debtor,
        r.payload ->> 'debtorIban', null, collecting, cents, reference, received),
      'collection ' || r.request_id
    from (select r.payload ->> 'debtorName' as debtor,
      coalesce(r.transaction_reference, r.request_id::text) as told) as known
    returning * into strict n;
    perform borsello.post_cause(null, n.bank_notification_id, null, 'Notification',
      array[borsello.account_for(r.partner_key, 'Bank', 'safeguarding'),
        borsello.account_for(r.partner_key, 'Suspense', 'received')],
      array[-cents, cents]);
    insert into borsello.audit (actor, partner_key, entity, entity_id, action, to_status)
    values ('bank', r.partner_key, 'BankNotification', n.bank_notification_id::text, 'receive',
      n.status);
  end if;
  if wallet_status = 'Closed' then
    perform borsello.request_return(n.bank_notification_id, 'platform');
  end if;
end $$;

-- Credits what was held, now that the wallet takes money again; null: the debtor's bank has taken it back, or it
-- was credited before. The caller holds the rows of wallet, request and notification, and consumes the latter.
create function borsello.credit_held_collection(
  n borsello.bank_notification, r borsello.bank_request, actor text
) returns uuid language plpgsql volatile as $$
declare
  deposit borsello.operation;
begin
  if r.status <> 'Booked' then return null; end if;
  deposit := borsello.credit_collection(
    r, borsello.account_for(r.partner_key, 'Suspense', 'received'), n.bank_notification_id, actor);
  return deposit.operation_id;
end $$;

-- The deposit that a collection has become: its own or, where a person gave what was held to somebody else,
-- that one.
create function borsello.deposit_of(r borsello.bank_request) returns borsello.operation
language sql stable
return (
  select o from borsello.operation as o
  where o.type = 'SddDeposit' and o.operation_id in (
    select borsello.collection_deposit_id((r).request_id)
    union all
    select n.operation_id from borsello.bank_notification as n
    where n.named_request_id = (r).request_id and n.is_booked)
  limit 1
);

-- The debtor's bank has taken a collection back, weeks or months later even. A deposit is reversed whatever
-- became of it and of its wallet, and keeps its status; what was only held is not there any more; and what
-- had been sent back already is missing in suspense, where a person sees it.
create function borsello.take_back_collection(r borsello.bank_request) returns void
language plpgsql volatile as $$
declare
  why constant text := coalesce(r.reason_code, 'Returned');
  cents constant bigint := borsello.cents(r.payload -> 'amount');
  bank constant bigint := borsello.account_for(r.partner_key, 'Bank', 'safeguarding');
  o borsello.operation := borsello.deposit_of(r);
  n borsello.bank_notification;
  is_open boolean;
  posted_id bigint;
begin
  if o.operation_id is null then
    select * into n from borsello.bank_notification
    where named_request_id = r.request_id and is_booked and amount_cents = cents
    order by bank_notification_id limit 1 for no key update;
    -- A person may have given it to somebody before it was locked.
    o := borsello.deposit_of(r);
  end if;
  if o.operation_id is not null then
    perform from borsello.wallet where wallet_id = o.wallet_id for no key update;
    posted_id := borsello.post_movement(o.operation_id, 'Reversal', array[
        (select account_id from borsello.bucket where bucket_id = o.bucket_id), bank],
      array[-o.amount_cents, o.amount_cents]);
    if posted_id is null then return; end if;
    update borsello.operation set return_reason = why, feedback = why, version = version + 1,
      last_update_date = borsello.platform_now()
    where operation_id = o.operation_id returning * into strict o;
    perform borsello.record_operation_change(o, 'bank', 'return', o.status, null);
    perform borsello.publish_event('TransactionConfirmed', o.partner_key, o.wallet_id::text,
      o.version, borsello.transaction_event(o, posted_id, 'Reversal'));
    return;
  end if;
  if n.bank_notification_id is null then return; end if;
  is_open := n.status not in ('Rejected', 'Consumed');
  perform borsello.post_cause(null, n.bank_notification_id, null, 'Reversal',
    array[borsello.account_for(r.partner_key, 'Suspense', 'received'), bank],
    array[-cents, cents]);
  insert into borsello.audit (actor, partner_key, entity, entity_id, action, from_status, to_status)
  values ('bank', n.partner_key, 'BankNotification', n.bank_notification_id::text, 'return',
    n.status, case when is_open then 'Rejected' else n.status end);
  update borsello.bank_notification set consumed_amount_cents = amount_cents, is_due = false,
    status = case when is_open then 'Rejected' else n.status end, next_attempt_at = null,
    failed_rule = null, last_update_date = borsello.platform_now(),
    feedback = 'Returned: ' || why || '; the debtor''s bank has taken the collection back' || case
      when not is_open then ', which had been sent back before: a person decides' else '' end
  where bank_notification_id = n.bank_notification_id;
end $$;

-- Whether a mandate's last three collections of which the bank has decided all failed.
create function borsello.keeps_failing(of_mandate uuid) returns boolean
language sql stable
return (
  select count(*) = 3 and bool_and(status in ('Refused', 'Returned'))
  from (
    select status from borsello.bank_request
    where mandate_id = of_mandate and kind = 'directDebit'
      and status in ('Booked', 'Refused', 'Returned')
    order by requested_at desc, request_id desc limit 3
  ) as last_decided
);

-- What a mandate shows of a collection that the bank has decided. Three failures in a row end the mandate.
create function borsello.note_collection(r borsello.bank_request) returns void
language plpgsql volatile as $$
declare
  m borsello.mandate;
  is_booked constant boolean := r.status = 'Booked';
begin
  update borsello.mandate set
    last_deposit_date = case when is_booked then borsello.platform_now() else last_deposit_date end,
    last_failure_date = case when is_booked then last_failure_date else borsello.platform_now() end,
    last_error = case when not is_booked
        then 'Collection' || r.status || ': ' || coalesce(r.reason_code, 'no reason given')
      when last_error like 'Collection%' then null else last_error end
  where mandate_id = r.mandate_id returning * into m;
  if not found then return; end if;
  perform borsello.record_mandate_change(m, 'bank', case r.status when 'Booked' then 'bookDeposit'
    when 'Refused' then 'refuseDeposit' else 'returnDeposit' end, m.status);
  if m.status = 'Active' and not is_booked and borsello.keeps_failing(m.mandate_id) then
    perform borsello.disable_mandate(m.mandate_id, 'platform');
  end if;
end $$;

-- Called where the bank's word of a wallet's collection is recorded, with the rows of wallet, mandate and
-- request locked in this order. A booking is the customer's money whatever became of the mandate meanwhile.
create function borsello.settle_collection(r borsello.bank_request) returns void
language plpgsql volatile as $$
begin
  if r.status not in ('Booked', 'Refused', 'Returned') then return; end if;
  if r.status = 'Returned' then
    -- It was booked before, though that word may come later: a wallet shows the same of it in either order.
    if (borsello.deposit_of(r)).operation_id is null
      and not exists (
        select from borsello.bank_notification where named_request_id = r.request_id and is_booked)
      and exists (
        select from borsello.wallet where wallet_id = r.wallet_id and status = 'Active')
    then
      perform borsello.credit_collection(
        r, borsello.account_for(r.partner_key, 'Bank', 'safeguarding'), null, 'bank');
      update borsello.mandate set last_deposit_date = borsello.platform_now()
      where mandate_id = r.mandate_id;
    end if;
    perform borsello.take_back_collection(r);
  elsif r.status = 'Booked' then
    if exists (
      select from borsello.bank_notification
      where named_request_id = r.request_id and is_booked
        and amount_cents = borsello.cents(r.payload -> 'amount')
        and status in ('Consumed', 'RejectionRequested', 'Rejected'))
    then
      -- A person has used or sent back this money already, when the bank had told of it alone.
      null;
    elsif exists (
      select from borsello.wallet where wallet_id = r.wallet_id and status = 'Active')
    then
      perform borsello.credit_collection(r, borsello.draw_account(
        r, borsello.collection_deposit_id(r.request_id), 'Mandate', 'bank'), null, 'bank');
    else
      perform borsello.hold_collection(r);
    end if;
  else
    perform borsello.leave_named(n)
    from borsello.holding_notification(r.request_id) as n where n.bank_notification_id is not null;
  end if;
  perform borsello.note_collection(r);
end $$;

-- A refusal of what the bank has booked changes nothing: it is kept, and a person sees it on the mandate.
create function borsello.note_contradiction(
  r borsello.bank_request, next_status text, reason text
) returns void language plpgsql volatile as $$
begin
  if r.kind <> 'directDebit' or next_status <> 'Refused' or r.status not in ('Booked', 'Returned')
    or exists (select from borsello.audit where entity = 'BankRequest'
      and entity_id = r.request_id::text and action = 'contradict')
  then
    return;
  end if;
  insert into borsello.audit
    (actor, partner_key, entity, entity_id, action, from_status, to_status, detail)
  values ('bank', r.partner_key, 'BankRequest', r.request_id::text, 'contradict', r.status, r.status,
    json_build_object('outcome', next_status, 'reasonCode', reason));
  update borsello.mandate set last_failure_date = borsello.platform_now(),
    last_error = 'RefusedAfterBooked: ' || coalesce(reason, 'no reason given')
  where mandate_id = r.mandate_id;
end $$;
