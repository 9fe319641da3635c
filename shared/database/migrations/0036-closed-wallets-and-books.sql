-- What a wallet leaves when it closes, and what comes back for one that is closed: paid out, or held in
-- suspense as a notification of ours, so that no cent lies there that nothing shows.

-- Of ours alone: the operation whose mirrored entries brought the money into suspense; null where the
-- notification was booked itself.
alter table borsello.bank_notification add column source_operation_id uuid;
create index bank_notification_by_source on borsello.bank_notification (source_operation_id)
  where source_operation_id is not null;

-- A notification that the platform makes itself, of money in suspense that a person decides about: approved
-- it is credited to a wallet, rejected it goes to the account that it names as the debtor's. The money is
-- booked from the bank account here or, where an operation is given, was put into suspense by that
-- operation's own entries. Null where the same was held before.
create function borsello.hold_in_suspense(
  of_partner text, of_wallet uuid, of_type text, cents bigint, debtor_name text, debtor_iban text,
  reason text, reference text, why text, as_type text, more json, of_operation uuid default null
) returns uuid language plpgsql volatile as $$
declare
  at constant timestamptz := borsello.platform_now();
  account text;
  held uuid;
begin
  select coalesce(borsello.collection_account(p), '') into strict account
  from borsello.partner as p where p.partner_key = of_partner;
  insert into borsello.bank_notification (partner_key, type, reception_date, creditor_iban,
    debtor_name, debtor_iban, amount_cents, reason, transaction_reference, content_hash, repeat_key,
    reconciliation_type, wallet_id, failed_rule, feedback, metadata, is_booked, source_operation_id)
  values (of_partner, of_type, at, account, hold_in_suspense.debtor_name,
    hold_in_suspense.debtor_iban, cents, hold_in_suspense.reason, reference,
    borsello.transfer_content(of_type, reference, null, hold_in_suspense.debtor_name,
      hold_in_suspense.debtor_iban, null, account, cents, hold_in_suspense.reason, at),
    'own ' || reference, as_type, of_wallet, 'Wallet', why, more, true, of_operation)
  on conflict on constraint bank_notification_once do nothing
  returning bank_notification_id into held;
  if held is null then return null; end if;
  insert into borsello.audit (actor, partner_key, entity, entity_id, action, to_status)
  values ('platform', of_partner, 'BankNotification', held::text, 'receive', 'Received');
  if of_operation is null then
    perform borsello.post_cause(null, held, null, 'Notification', array[
        borsello.account_for(of_partner, 'Bank', 'safeguarding'),
        borsello.account_for(of_partner, 'Suspense', 'received')],
      array[-cents, cents]);
  end if;
  return held;
end $$;

-- What comes back of a closed wallet's operation, and how a person may decide about it.
create function borsello.feedback_for_closed(what text) returns text
language sql immutable parallel safe
return 'Wallet: ' || what || ' for a wallet that is closed; approve it for a wallet that is active, or '
  || 'reject it to have it paid to the account that it names as the debtor''s';

-- Posts the mirror of all that an operation moved so far; null where nothing is left to mirror. A
-- bucket of a closed wallet takes no money back: it is held in suspense, where a person decides.
create or replace function borsello.reverse_movements(o borsello.operation) returns bigint
language plpgsql volatile as $$
declare
  mirrored_accounts bigint[];
  mirrored_cents bigint[];
  held_cents bigint;
  times integer;
  posted_id bigint;
begin
  select array_agg(case when returns_to_closed
      then borsello.account_for(o.partner_key, 'Suspense', 'received') else account_id end),
    array_agg(-cents), coalesce(-sum(cents) filter (where returns_to_closed), 0)
  into mirrored_accounts, mirrored_cents, held_cents
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
  posted_id := borsello.post_movement(
    o.operation_id, 'Reversal', mirrored_accounts, mirrored_cents, times);
  if posted_id is not null and held_cents > 0 then
    perform borsello.hold_in_suspense(o.partner_key, o.wallet_id, 'IncomingSctStandard', held_cents,
      coalesce(o.creditor_name, w.first_name || ' ' || w.last_name),
      coalesce(o.creditor_iban, w.iban, ''), o.type || ' ' || o.operation_id, o.operation_id::text,
      borsello.feedback_for_closed('this ' || o.type || ' was undone'), 'Return',
      json_build_object('reversalOf', o.operation_id), o.operation_id)
    from borsello.wallet as w where w.wallet_id = o.wallet_id;
  end if;
  return posted_id;
end $$;

-- A payment that the bank sent back after it was booked: a new credit, linked to what it undoes, out of
-- the notification that named it where that came first. For a closed wallet a person decides.
create or replace function borsello.credit_returned_payment(
  o borsello.operation, r borsello.bank_request
) returns void language plpgsql volatile as $$
declare
  credit borsello.operation;
  posted_id bigint;
  told borsello.bank_notification;
  held uuid;
  link constant json := json_build_object('returnOf', o.operation_id);
  why constant text := borsello.feedback_for_closed('the bank sent this withdrawal back');
begin
  -- Held for a person before, whatever has become of the wallet and of the money since; or a person has
  -- used or sent back this money already, when the bank had told of it alone.
  if exists (
    select from borsello.bank_notification
    where named_request_id = r.request_id and (metadata ->> 'returnOf' = o.operation_id::text
      or is_booked and amount_cents = o.amount_cents
        and status in ('Consumed', 'RejectionRequested', 'Rejected')))
  then
    return;
  end if;
  if (select status from borsello.wallet where wallet_id = o.wallet_id) = 'Closed'
    and not exists (select from borsello.operation
      where operation_id = borsello.derived_id('returned', o.operation_id, r.attempt))
  then
    select * into told from borsello.bank_notification
    where named_request_id = r.request_id and is_booked
      and status in ('Received', 'Accepted', 'Failed') and amount_cents = o.amount_cents
    order by bank_notification_id limit 1 for no key update;
    insert into borsello.audit
      (actor, partner_key, entity, entity_id, action, from_status, to_status)
    select 'bank', o.partner_key, 'BankNotification', told.bank_notification_id::text, 'leave',
      told.status, 'Received'
    where told.status <> 'Received';
    update borsello.bank_notification set status = 'Received', wallet_id = o.wallet_id,
      reconciliation_type = 'Return', failed_rule = 'Wallet', feedback = why, metadata = link,
      is_due = false, next_attempt_at = null, last_update_date = borsello.platform_now()
    where bank_notification_id = told.bank_notification_id;
    if not found then
      held := borsello.hold_in_suspense(o.partner_key, o.wallet_id, 'IncomingSctStandard',
        o.amount_cents, o.creditor_name, o.creditor_iban, borsello.payment_reason(o),
        r.request_id::text, why, 'Return', link);
      update borsello.bank_notification set named_request_id = r.request_id
      where bank_notification_id = held;
    end if;
    return;
  end if;
  insert into borsello.operation (operation_id, wallet_id, partner_key, type, amount_cents,
    final_amount_cents, net_amount_cents, fees_amount_cents, status, funds_type, bucket_id,
    feedback, metadata)
  values (borsello.derived_id('returned', o.operation_id, r.attempt), o.wallet_id, o.partner_key,
    'SctStandardDeposit', o.amount_cents, o.amount_cents, o.amount_cents, 0, 'Initialized',
    o.funds_type, o.bucket_id, r.reason_code, link)
  on conflict (operation_id) do nothing
  returning * into credit;
  if credit.operation_id is null then return; end if;
  perform borsello.record_operation_change(
    credit, 'bank', 'initialise', null, 'OperationInitialized');
  posted_id := borsello.post_movement(credit.operation_id, 'Deposit', array[
      borsello.draw_account(r, credit.operation_id, 'Return', 'bank'),
      (select account_id from borsello.bucket where bucket_id = o.bucket_id)],
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

-- What the bank did after the operation had gone on without it. True: a person should look. Money that came
-- back is drawn from the notification that told of it, where that came first.
create or replace function borsello.settle_late_outcome(of_request uuid) returns boolean
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
    if r.status = 'Returned' and not exists (
      select from borsello.ledger_transaction
      where cause_id = o.operation_id and kind = 'Booking' and occurrence = 2)
    then
      perform borsello.post_movement(o.operation_id, 'Booking',
        array[transit, borsello.draw_account(r, o.operation_id, 'Return', 'bank')],
        array[o.amount_cents, -o.amount_cents], 2);
    end if;
    return r.status = 'Booked';
  end if;
  return false;
end $$;

-- Pays what a wallet that was just closed can be withdrawn of to its validated IBAN, one withdrawal for
-- each bucket, without fee and limits; without such an IBAN the funds stay. The caller holds its row.
create function borsello.pay_out_closed(of_wallet uuid, actor text) returns void
language plpgsql volatile as $$
declare
  w borsello.wallet;
  b record;
  o borsello.operation;
begin
  select * into strict w from borsello.wallet where wallet_id = of_wallet;
  if not w.is_iban_validated then return; end if;
  for b in
    select bucket_id, funds_type, funds_expiry_date,
      balance_cents - borsello.held_of(of_wallet, bucket_id) as free_cents
    from borsello.bucket
    where wallet_id = of_wallet and is_withdrawable
      and (funds_expiry_date is null
        or funds_expiry_date >= borsello.rome_date(borsello.platform_now()))
    order by bucket_id
  loop
    continue when b.free_cents <= 0;
    o.operation_id := uuidv7();
    o.wallet_id := of_wallet;
    o.partner_key := w.partner_key;
    o.type := 'SctWithdrawal';
    o.amount_cents := b.free_cents;
    o.final_amount_cents := b.free_cents;
    o.net_amount_cents := b.free_cents;
    o.fees_amount_cents := 0;
    o.fees := '[]';
    o.status := 'Initialized';
    o.creation_date := borsello.platform_now();
    o.metadata := json_build_object('reason', 'Closing');
    o.funds_type := b.funds_type;
    o.bucket_id := b.bucket_id;
    o.funds_expiry_date := b.funds_expiry_date;
    o.creditor_name := w.first_name || ' ' || w.last_name;
    o.creditor_iban := w.iban;
    perform borsello.write_opened(array[o], array[actor]);
    perform borsello.confirm_checked(array[o.operation_id], array[actor]);
  end loop;
end $$;

-- What was put into suspense for closed wallets until now, and that nothing shows.
select borsello.hold_in_suspense(o.partner_key, o.wallet_id, 'IncomingSctStandard', lying.cents,
  coalesce(o.creditor_name, w.first_name || ' ' || w.last_name),
  coalesce(o.creditor_iban, w.iban, ''), o.type || ' ' || o.operation_id, o.operation_id::text,
  borsello.feedback_for_closed('the money of this ' || o.type || ' lies in suspense'), 'Return',
  json_build_object(case when o.income then 'returnOf' else 'reversalOf' end, coalesce(
    o.metadata ->> 'returnOf', o.operation_id::text)), o.operation_id)
from (
  select operation_id, sum(amount_cents)::bigint as cents
  from borsello.ledger_transaction join borsello.entry using (transaction_id)
    join borsello.account using (account_id)
  where account.kind = 'Suspense' and operation_id is not null
  group by operation_id having sum(amount_cents) > 0
) as lying
  join borsello.operation as o using (operation_id) join borsello.wallet as w using (wallet_id)
order by o.operation_id;
