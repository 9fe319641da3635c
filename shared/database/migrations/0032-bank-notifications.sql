-- Bank notifications (contract 0.3, 4.4, 4.6): booked against the suspense account when they arrive, matched and
-- credited in the same transaction, decided by a person where nothing fits, sent back.

alter table borsello.bank_notification
  drop constraint bank_notification_failed_rule_check,
  add constraint bank_notification_failed_rule_check check (failed_rule in ('Code', 'DebtorIban',
    'Amount', 'DebtorName', 'Wallet', 'Account', 'Request', 'Mandate', 'Reconciliation', 'Return'));
create index bank_notification_due on borsello.bank_notification (partner_key, type, wallet_id)
  where is_due and iban_attempt is null and status in ('Received', 'Accepted');
-- What waits for the bank or for another attempt has a flow.
create index bank_notification_under_way on borsello.bank_notification (bank_notification_id)
  where status in ('Accepted', 'RejectionRequested');
create index bank_notification_open_by_wallet on borsello.bank_notification (wallet_id)
  where status in ('Received', 'Accepted', 'Failed', 'PartiallyConsumed');

create index operation_by_notification on borsello.operation (bank_notification_id)
  where bank_notification_id is not null;

-- What a transfer's reason and reference may name: codes of IBAN validations, requests or operations of ours,
-- references of mandates and of the bank, codes of reconciliation groups.
create type borsello.transfer_marks as (
  codes bpchar[], ids uuid[], reference_names text[], reconciliation_codes text[]);

-- Why a notification stays where it is: the rule that failed, and what would fit.
create function borsello.leave_notification(
  of_notification uuid, rule text, why text, of_wallet uuid default null, as_type text default 'None'
) returns void language sql volatile
begin atomic
  with before as (
    select bank_notification_id, status from borsello.bank_notification
    where bank_notification_id = of_notification and status in ('Received', 'Accepted')
    for no key update
  ), changed as (
    update borsello.bank_notification as n set status = 'Received', failed_rule = rule,
      feedback = why, is_due = false, next_attempt_at = null, reconciliation_type = as_type,
      wallet_id = coalesce(of_wallet, n.wallet_id), last_update_date = borsello.platform_now()
    from before where n.bank_notification_id = before.bank_notification_id
    returning n.partner_key, before.status as from_status
  )
  insert into borsello.audit
    (actor, partner_key, entity, entity_id, action, from_status, to_status)
  select 'platform', partner_key, 'BankNotification', of_notification::text, 'leave', from_status,
    'Received'
  from changed where from_status <> 'Received';
end;

-- Has the flow of a notification look at it.
create function borsello.tell_notification(n borsello.bank_notification) returns void
language sql volatile
return borsello.tell_flows('NotificationAdvanced',
  coalesce((n).wallet_id, (n).bank_notification_id)::text, json_build_object(
    'bankNotificationId', (n).bank_notification_id, 'partnerKey', (n).partner_key));

-- What stays Received is told with its first feedback, and anew where its money came back to it, whoever
-- wrote that.
drop trigger notification_answered on borsello.bank_notification;
create trigger notification_answered after update of feedback on borsello.bank_notification
  for each row when (
    new.status = 'Received' and new.feedback is not null and new.partner_key is not null
    and (old.feedback is null
      or old.status in ('RejectionRequested', 'Rejected', 'PartiallyConsumed', 'Consumed')))
  execute function borsello.tell_received_notification();

-- The validated wallets that a transfer to this account may be for, and by which rule.
create function borsello.wallets_meant(
  m borsello.transfer_marks, from_iban text, to_iban text, platform_account text
) returns table (
  rule text, wallet_id uuid, partner_key text, first_name text, last_name text
) language sql stable
begin atomic
  with collecting as (
    select partner_key from borsello.partner
    where borsello.collection_account(partner, platform_account) = to_iban
  )
  select 'Code', w.wallet_id, w.partner_key, w.first_name, w.last_name
  from borsello.iban_validation as v join borsello.wallet as w using (wallet_id)
  where v.code = any((m).codes) and w.is_iban_validated and w.iban_validation_code = v.code
    and w.partner_key in (select partner_key from collecting)
  union
  select 'DebtorIban', w.wallet_id, w.partner_key, w.first_name, w.last_name
  from collecting join borsello.wallet as w using (partner_key)
  where w.iban = from_iban and w.is_iban_validated
  union
  select 'Reference', w.wallet_id, w.partner_key, w.first_name, w.last_name
  from collecting join borsello.mandate as held using (partner_key)
    join borsello.wallet as w on w.wallet_id = held.wallet_id
  where held.mandate_unique_reference = any((m).reference_names) and w.is_iban_validated;
end;

-- The request of ours that a notification names: by its id or its operation's, by what the bank calls it,
-- or, of a direct debit, by the mandate and the amount where nothing else names it. Only requests bring
-- money in, or may bounce, that are direct debits, payments and returns.
create function borsello.named_request(
  m borsello.transfer_marks, of_partner text, of_type text, cents bigint
) returns uuid language plpgsql stable as $$
declare
  found_id uuid;
begin
  if cardinality(m.ids) > 0 then
    select request_id into found_id from borsello.bank_request
    where request_id = any(m.ids) and kind in ('directDebit', 'payment', 'return')
      and partner_key = coalesce(of_partner, partner_key) limit 1;
    if found_id is not null then return found_id; end if;
    select request_id into found_id from borsello.bank_request
    where operation_id = any(m.ids) and kind = 'payment'
      and partner_key = coalesce(of_partner, partner_key) order by attempt desc limit 1;
    if found_id is not null then return found_id; end if;
  end if;
  select request_id into found_id from borsello.bank_request
  where transaction_reference = any(m.reference_names) and kind in ('directDebit', 'payment', 'return')
    and partner_key = of_partner limit 1;
  if found_id is not null or of_type <> 'IncomingSdd' then return found_id; end if;
  select min(r.request_id::text)::uuid into found_id
  from borsello.mandate as held join borsello.bank_request as r using (mandate_id)
  where held.partner_key = of_partner and held.mandate_unique_reference = any(m.reference_names)
    and r.kind = 'directDebit' and r.status in ('Requested', 'Accepted', 'Booked')
    and borsello.cents(r.payload -> 'amount') = cents
    and not exists (
      select from borsello.bank_notification as n where n.named_request_id = r.request_id)
  having count(*) = 1;
  return found_id;
end $$;

-- Whether the bank's word on a request has booked the money that a notification tells of, too. What the
-- platform made itself for money that waits ('collection …', 'own …') is no word of the bank.
create function borsello.is_told_by(r borsello.bank_request, cents bigint) returns boolean
language sql stable
return (r).status = any(case when (r).kind = 'directDebit' then '{Booked,Returned}'::text[]
    else '{Returned}' end)
  and borsello.cents((r).payload -> 'amount') = cents
  and not exists (
    select from borsello.bank_notification as n
    where n.named_request_id = (r).request_id and n.amount_cents = cents
      and n.repeat_key !~ '^(collection|own) ');

-- Whether the bank has still to say what becomes of the request's money: a collection is booked, what was
-- paid or sent back may bounce.
create function borsello.is_undecided(r borsello.bank_request) returns boolean
language sql immutable parallel safe
return (r).status in ('Requested', 'Accepted') or (r).kind <> 'directDebit' and (r).status = 'Booked';

-- The operation that the money of a request became; null: none, or none that is known by it.
create function borsello.operation_of_request(r borsello.bank_request) returns uuid
language plpgsql stable as $$
declare
  became uuid;
begin
  if r.wallet_id is null then return null; end if;
  became := case when r.kind = 'directDebit' then borsello.collection_deposit_id(r.request_id)
    else borsello.derived_id('returned', r.operation_id, r.attempt) end;
  return (
    select coalesce(min(operation_id::text)::uuid, r.operation_id) from borsello.operation
    where operation_id = became);
end $$;

-- Credits a wallet with what a notification still holds. The caller holds the wallet's row, and the
-- notification's.
create function borsello.credit_notification(
  n borsello.bank_notification, of_wallet uuid, actor text
) returns borsello.bank_notification language plpgsql volatile as $$
declare
  cents constant bigint := n.amount_cents - n.consumed_amount_cents;
  r borsello.bank_request;
  credited uuid;
begin
  -- A collection that was booked while its wallet could not take it.
  select * into r from borsello.bank_request
  where request_id = n.named_request_id and kind = 'directDebit' and status = 'Booked'
    and n.reconciliation_type = 'Mandate' and n.failed_rule = 'Wallet' and wallet_id = of_wallet;
  if r.request_id is not null then
    credited := borsello.credit_held_collection(n, r, actor);
    if credited is null then return null; end if;
  else
    credited := (borsello.credit_incoming(
      case n.type when 'IncomingSctInstant' then 'SctInstantDeposit'
        when 'IncomingSdd' then 'SddDeposit' else 'SctStandardDeposit' end,
      of_wallet, cents, borsello.account_for(n.partner_key, 'Suspense', 'received'), uuidv7(),
      n.bank_notification_id, actor, n.metadata)).operation_id;
  end if;
  return borsello.consume_notification(n.bank_notification_id, cents,
    case when r.request_id is null then 'WalletDeposit' else 'Mandate' end, credited, of_wallet,
    null, actor);
end $$;

-- Why nothing was found, and what would fit.
create function borsello.why_unmatched(
  n borsello.bank_notification, m borsello.transfer_marks, platform_account text, is_ambiguous boolean,
  out rule text, out why text
) language plpgsql stable as $$
declare
  ended_as text;
begin
  if not exists (select from borsello.partner
    where borsello.collection_account(partner, platform_account) = n.creditor_iban)
  then
    rule := 'Account';
    why := 'Account: no partner collects on the account that the transfer reached; '
      'one to the account that the instructions name would fit';
    return;
  elsif is_ambiguous then
    rule := 'Wallet';
    why := 'Wallet: several wallets fit; the code of one of them alone would fit';
    return;
  elsif n.type = 'IncomingSdd' then
    rule := 'Mandate';
    why := 'Mandate: it names no direct debit of ours that is open; one with the reference of its mandate '
      'or its request, and that amount, would fit';
    return;
  end if;
  select v.status into ended_as from borsello.iban_validation as v
    join borsello.partner using (partner_key)
  where v.code = any(m.codes) and v.status <> 'Waiting'
    and borsello.collection_account(partner, platform_account) = n.creditor_iban limit 1;
  rule := 'Code';
  why := case when ended_as is not null then 'Code: the IBAN validation with this code has ended, as '
      || borsello.iban_validation_end(ended_as)
      || '; the code of the wallet''s present instructions would fit'
    when (select count(*) from borsello.iban_validation as v
        where v.code = any(m.codes) and v.status = 'Waiting') > 1
      then 'Code: the reason holds the codes of several open IBAN validations; the code of one of them '
        'alone would fit'
    else 'Code: the reason holds the code of no open IBAN validation, and the debtor''s IBAN is not '
      'validated; the code of a wallet''s instructions would fit' end;
end $$;

-- Tries a notification that is Received or Accepted: code alone, else the debtor's IBAN and name, else a
-- reference. Null: done, whatever came of it. Names are judged outside: `judge` are the wallets whose holder's
-- name is asked about, `judged` the same with the answer as `fits`; `again`: what was judged has changed.
create function borsello.settle_notification(
  of_notification uuid, m borsello.transfer_marks, platform_account text, judged json
) returns json language plpgsql volatile as $$
declare
  n borsello.bank_notification;
  w borsello.wallet;
  chosen uuid;
  by_iban uuid[];
  fitting uuid[];
  is_ambiguous boolean := false;
  failed record;
  why text;
begin
  select * into n from borsello.bank_notification where bank_notification_id = of_notification;
  if n.status is null or n.status not in ('Received', 'Accepted') or n.iban_attempt is not null then
    return null;
  elsif not n.is_booked then
    select * into failed from borsello.why_unmatched(n, m, platform_account, false);
    perform borsello.leave_notification(of_notification, failed.rule, failed.why);
    return null;
  elsif n.repeat_key like 'own %' or n.reconciliation_type = 'Return' and n.failed_rule = 'Wallet' then
    -- What came back for a closed wallet is a person's to decide about, whatever has become of the wallet.
    update borsello.bank_notification set is_due = false
    where bank_notification_id = of_notification;
    return null;
  elsif n.named_request_id is not null and n.reconciliation_type = 'Mandate'
    and n.failed_rule = 'Wallet'
  then
    chosen := n.wallet_id;
  elsif n.named_request_id is not null then
    return borsello.leave_named(n);
  elsif n.type = 'IncomingReconciliation' then
    why := borsello.reconcile_notification(of_notification, false, 'platform');
    if why is not null then
      perform borsello.leave_notification(
        of_notification, 'Reconciliation', why, null, 'StoreReconciliation');
    end if;
    return null;
  elsif n.type <> 'IncomingSdd' then
    select array_agg(wallet_id) into fitting
    from borsello.wallets_meant(m, n.debtor_iban, n.creditor_iban, platform_account)
    where rule = 'Code';
    is_ambiguous := coalesce(cardinality(fitting) > 1, false);
    chosen := case when cardinality(fitting) = 1 then fitting[1] end;
    if chosen is null then
      select array_agg(wallet_id) into by_iban
      from borsello.wallets_meant(m, n.debtor_iban, n.creditor_iban, platform_account)
      where rule = 'DebtorIban';
      if by_iban is not null and judged is null then
        return json_build_object('judge', (
          select json_agg(json_build_object('walletId', wallet_id, 'firstName', first_name,
            'lastName', last_name))
          from borsello.wallet where wallet_id = any(by_iban)));
      end if;
      select array_agg(wallet_id) into fitting from borsello.wallet
        join json_to_recordset(judged) as named
          ("walletId" uuid, "firstName" text, "lastName" text, fits boolean)
          on wallet_id = named."walletId"
      where wallet_id = any(by_iban) and fits
        and (first_name, last_name) = (named."firstName", named."lastName");
      is_ambiguous := is_ambiguous or coalesce(cardinality(fitting) > 1, false);
      chosen := case when cardinality(fitting) = 1 then fitting[1] end;
    end if;
    if chosen is null then
      select array_agg(wallet_id) into fitting
      from borsello.wallets_meant(m, n.debtor_iban, n.creditor_iban, platform_account)
      where rule = 'Reference';
      is_ambiguous := is_ambiguous or coalesce(cardinality(fitting) > 1, false);
      chosen := case when cardinality(fitting) = 1 then fitting[1] end;
    end if;
  end if;

  if chosen is null and n.type <> 'IncomingSdd' and exists (
    select from borsello.reconciliation_group
    where code = any(m.reconciliation_codes) and partner_key = n.partner_key)
  then
    why := borsello.reconcile_notification(of_notification, false, 'platform');
    if why is not null then
      perform borsello.leave_notification(
        of_notification, 'Reconciliation', why, null, 'StoreReconciliation');
    end if;
    return null;
  elsif chosen is null and cardinality(by_iban) = 1 and not is_ambiguous then
    select * into w from borsello.wallet where wallet_id = by_iban[1];
    perform borsello.leave_notification(of_notification, 'DebtorName',
      'DebtorName: the debtor''s name is not that of the holder of the wallet with this IBAN; one that '
        'holds ' || w.first_name || ' and ' || w.last_name || ' would fit', w.wallet_id, 'WalletDeposit');
    return null;
  elsif chosen is null then
    select * into failed from borsello.why_unmatched(n, m, platform_account, is_ambiguous);
    perform borsello.leave_notification(of_notification, failed.rule, failed.why);
    return null;
  end if;

  select * into w from borsello.wallet where wallet_id = chosen for no key update;
  if n.named_request_id is null and (not w.is_iban_validated or exists (
    select from json_to_recordset(judged) as named
      ("walletId" uuid, "firstName" text, "lastName" text)
    where named."walletId" = chosen
      and (named."firstName", named."lastName") <> (w.first_name, w.last_name)))
  then
    return json_build_object('again', true);
  end if;
  select * into n from borsello.bank_notification
  where bank_notification_id = of_notification for no key update;
  if n.status not in ('Received', 'Accepted') then return null; end if;
  if w.status <> 'Active' then
    perform borsello.leave_notification(of_notification, 'Wallet', 'Wallet: the wallet is '
        || w.status || ', so nothing can be credited to it; ' || case w.status when 'Suspended'
          then 'an Active one would fit, and is credited then'
          else 'a person decides: what is rejected is sent back' end, chosen,
      case when n.named_request_id is null then 'WalletDeposit' else 'Mandate' end);
  elsif (borsello.credit_notification(n, chosen, 'platform')).bank_notification_id is null then
    perform borsello.leave_named(n);
  end if;
  return null;
end $$;

-- Of a notification that names a request of ours and is not used up by that request's outcome.
create function borsello.leave_named(n borsello.bank_notification) returns json
language plpgsql volatile as $$
declare
  r borsello.bank_request;
begin
  select * into r from borsello.bank_request where request_id = n.named_request_id;
  perform borsello.leave_notification(n.bank_notification_id, 'Request', 'Request: it names the '
      || case r.kind when 'directDebit' then 'direct debit' else r.kind end || ' '
      || r.request_id || case
        when borsello.cents(r.payload -> 'amount') <> n.amount_cents then
          ' with another amount; ' || borsello.money(borsello.cents(r.payload -> 'amount'))
            || ' would fit'
        when borsello.is_undecided(r) then ', of which the bank has not told that it is '
            || case r.kind when 'directDebit' then 'booked' else 'returned' end
            || '; that word would use it' || case when r.kind = 'payment' and r.operation_id is not null
              then ', and after seven days without it a person decides' else '' end
        when r.status = 'Refused' then ', which the bank has refused; a person decides what this is for'
        else ', which has its money already; a person decides what this is for' end,
    r.wallet_id, case when r.kind = 'directDebit' then 'Mandate' else 'Return' end);
  return null;
end $$;

-- The same as a part of a transaction that goes on where it fails: what a retry of the statement cannot cure
-- is answered as `error`, and nothing has changed.
create function borsello.process_notification(
  of_notification uuid, marks json, platform_account text, judged json
) returns json language plpgsql volatile as $$
declare
  failure text;
begin
  return borsello.settle_notification(of_notification,
    json_populate_record(null::borsello.transfer_marks, marks), platform_account, judged);
exception when others then
  if sqlstate ~ '^(08|40|53|55|57|58)' then raise; end if;
  get stacked diagnostics failure = message_text;
  return json_build_object('error', sqlstate || ': ' || failure);
end $$;

-- What a try was answered with, and how the notification stands after it.
create function borsello.notification_answer(of_notification uuid, result text, tried json)
returns json language sql volatile
return (
  select json_build_object('result', result, 'bankNotificationId', bank_notification_id,
    'partnerKey', partner_key, 'walletId', wallet_id, 'status', status, 'feedback', feedback,
    'isDue', is_due and iban_attempt is null and status in ('Received', 'Accepted'),
    'judge', tried -> 'judge', 'again', tried -> 'again', 'error', tried ->> 'error')
  from borsello.bank_notification where bank_notification_id = of_notification);

-- Stores what the bank reports, once; books it, matches it, credits it. `marks` are what its texts may name,
-- `platform_account` is the account that the instructions of partners without their own name.
create function borsello.receive_notification(message json, marks json, platform_account text)
returns json language plpgsql volatile as $$
declare
  given borsello.bank_notification := json_populate_record(null::borsello.bank_notification, message);
  m constant borsello.transfer_marks := json_populate_record(null::borsello.transfer_marks, marks);
  is_sct constant boolean := given.type in ('IncomingSctStandard', 'IncomingSctInstant');
  n borsello.bank_notification;
  r borsello.bank_request;
  is_told boolean := false;
  waiting record;
begin
  given.content_hash := borsello.transfer_content(given.type, given.transaction_reference,
    given.payment_gateway_reference, given.debtor_name, given.debtor_iban, given.creditor_name,
    given.creditor_iban, given.amount_cents, given.reason, given.reception_date);
  given.repeat_key := borsello.repeat_key(given.payment_gateway_reference, given.content_hash);
  select * into n from borsello.bank_notification where repeat_key = given.repeat_key;
  if n.bank_notification_id is not null then
    return borsello.notification_answer(n.bank_notification_id,
      case when n.content_hash = given.content_hash then 'repeated' else 'referenceReused' end, null);
  end if;

  given.partner_key := borsello.collecting_partner(given.creditor_iban);
  given.named_request_id :=
    borsello.named_request(m, given.partner_key, given.type, given.amount_cents);
  if given.named_request_id is not null then
    select * into r from borsello.bank_request where request_id = given.named_request_id;
    perform from borsello.wallet where wallet_id = r.wallet_id for no key update;
    perform from borsello.store where store_id = (
      select store_id from borsello.reconciliation_group
      where reconciliation_id = r.reconciliation_id) for no key update;
    select * into strict r from borsello.bank_request
    where request_id = given.named_request_id for update;
    is_told := borsello.is_told_by(r, given.amount_cents);
    given.partner_key := r.partner_key;
  elsif is_sct then
    -- The lock on a validation that waits makes its end wait for this transfer, or this transfer for its end.
    with candidate as (
      select v.wallet_id, v.attempt, v.partner_key
      from borsello.iban_validation as v join borsello.partner using (partner_key)
      where v.status = 'Waiting' and v.code = any(m.codes)
        and borsello.collection_account(partner, platform_account) = given.creditor_iban
      for share of v
    )
    select min(wallet_id::text)::uuid as wallet_id, min(attempt) as attempt,
      min(partner_key) as partner_key
    into waiting from candidate having count(*) = 1;
    given.wallet_id := waiting.wallet_id;
    given.iban_attempt := waiting.attempt;
    given.partner_key := coalesce(waiting.partner_key, given.partner_key, (
      select min(meant.partner_key) from borsello.wallets_meant(
        m, given.debtor_iban, given.creditor_iban, platform_account) as meant
      having min(meant.partner_key) = max(meant.partner_key)));
  end if;
  given.partner_key := coalesce(given.partner_key, borsello.operating_partner());

  insert into borsello.bank_notification (type, transaction_reference, payment_gateway_reference,
    debtor_name, debtor_iban, creditor_name, creditor_iban, amount_cents, reason, reception_date,
    content_hash, repeat_key, partner_key, wallet_id, iban_attempt, reconciliation_type,
    named_request_id, is_due, is_booked)
  values (given.type, given.transaction_reference, given.payment_gateway_reference, given.debtor_name,
    given.debtor_iban, given.creditor_name, given.creditor_iban, given.amount_cents, given.reason,
    given.reception_date, given.content_hash, given.repeat_key, given.partner_key, given.wallet_id,
    given.iban_attempt, case when given.iban_attempt is null then 'None' else 'IbanValidation' end,
    given.named_request_id, not is_told, not is_told and given.partner_key is not null)
  on conflict on constraint bank_notification_once do nothing
  returning * into n;
  if n.bank_notification_id is null then
    select * into strict n from borsello.bank_notification where repeat_key = given.repeat_key;
    return borsello.notification_answer(n.bank_notification_id,
      case when n.content_hash = given.content_hash then 'repeated' else 'referenceReused' end, null);
  end if;
  insert into borsello.audit (actor, partner_key, entity, entity_id, action, to_status)
  values ('bank', n.partner_key, 'BankNotification', n.bank_notification_id::text, 'receive', n.status);
  perform borsello.book_notification(n) where n.is_booked;
  if is_told then
    perform borsello.consume_notification(n.bank_notification_id, n.amount_cents,
      case when r.kind = 'directDebit' then 'Mandate' else 'Return' end,
      borsello.operation_of_request(r), r.wallet_id, null, 'bank');
  elsif n.iban_attempt is not null then
    perform borsello.tell_flows('SctReceived', n.wallet_id::text, json_build_object(
      'walletId', n.wallet_id, 'partnerKey', n.partner_key, 'attempt', n.iban_attempt,
      'bankNotificationId', n.bank_notification_id));
  else
    return borsello.notification_answer(n.bank_notification_id, 'stored',
      borsello.process_notification(n.bank_notification_id, marks, platform_account, null));
  end if;
  return borsello.notification_answer(n.bank_notification_id, 'stored', null);
end $$;

-- Its money is at the bank, and nobody's yet.
create function borsello.book_notification(n borsello.bank_notification) returns void
language sql volatile
begin atomic
  select borsello.post_cause(null, (n).bank_notification_id, null, 'Notification', array[
      borsello.account_for((n).partner_key, 'Bank', 'safeguarding'),
      borsello.account_for((n).partner_key, 'Suspense', 'received')],
    array[(n).consumed_amount_cents - (n).amount_cents,
      (n).amount_cents - (n).consumed_amount_cents]);
end;

-- A try has failed by an error of the platform: it is made again at its time, so many times.
create function borsello.fail_notification(of_notification uuid, terms json) returns void
language plpgsql volatile as $$
declare
  before borsello.bank_notification;
  n borsello.bank_notification;
  is_last boolean;
begin
  select * into before from borsello.bank_notification
  where bank_notification_id = of_notification and status in ('Received', 'Accepted')
  for no key update;
  if before.bank_notification_id is null then return; end if;
  is_last := before.attempts + 1 >= json_array_length(terms -> 'retrySeconds');
  update borsello.bank_notification set status = case when is_last then 'Failed' else 'Accepted' end,
    attempts = attempts + 1, is_due = not is_last,
    next_attempt_at = case when not is_last then borsello.retry_at(terms, attempts + 1) end,
    last_update_date = borsello.platform_now(),
    feedback = case when is_last then 'Failed: the platform could not process it and tries no more; a '
        'person decides, by approval or rejection'
      else 'Failed: the platform could not process it; it is tried again' end
  where bank_notification_id = of_notification returning * into n;
  insert into borsello.audit
    (actor, partner_key, entity, entity_id, action, from_status, to_status)
  select 'platform', n.partner_key, 'BankNotification', of_notification::text, action, from_status,
    to_status
  from (values (1, 'accept', 'Received', 'Accepted'), (2, 'process', 'Accepted', 'Processing'),
    (3, 'fail', 'Processing', n.status)) as step (place, action, from_status, to_status)
  where place > 1 or before.status = 'Received' order by place;
  perform borsello.tell_notification(n) where not is_last;
end $$;

-- Asks the bank to send back what is left of it. The caller holds the wallet's row, if it has one.
create function borsello.request_return(of_notification uuid, actor text)
returns borsello.bank_notification language plpgsql volatile as $$
declare
  before borsello.bank_notification;
  n borsello.bank_notification;
  place integer;
  fresh uuid;
begin
  select * into strict before from borsello.bank_notification
  where bank_notification_id = of_notification for no key update;
  if before.status not in ('Received', 'Accepted', 'Failed', 'PartiallyConsumed') then
    return null;
  end if;
  select count(*) + 1 into place from borsello.bank_request
  where bank_notification_id = of_notification and kind = 'return';
  fresh := borsello.derived_id('return', of_notification, place);
  perform borsello.request_bank(fresh, 'return', before.partner_key, before.wallet_id, null,
    json_build_object('bankNotificationId', of_notification, 'creditorName', before.debtor_name,
      'creditorIban', before.debtor_iban,
      'amount', borsello.money(before.amount_cents - before.consumed_amount_cents)),
    'notification-' || of_notification, 'bankOutcome');
  update borsello.bank_request set bank_notification_id = of_notification, attempt = place
  where request_id = fresh;
  update borsello.bank_notification set status = 'RejectionRequested', is_due = false,
    failed_rule = null, next_attempt_at = null, last_update_date = borsello.platform_now()
  where bank_notification_id = of_notification returning * into n;
  insert into borsello.audit
    (actor, partner_key, entity, entity_id, action, from_status, to_status)
  values (actor, n.partner_key, 'BankNotification', of_notification::text, 'reject', before.status,
    n.status);
  perform borsello.tell_notification(n);
  return n;
end $$;

-- What the bank says of a return: booked, the notification is over; refused, it is Received anew; sent back
-- after it was booked, too, and its money is in suspense again.
create function borsello.settle_return(r borsello.bank_request) returns void
language plpgsql volatile as $$
declare
  before borsello.bank_notification;
  cents constant bigint := borsello.cents(r.payload -> 'amount');
  suspense constant bigint := borsello.account_for(r.partner_key, 'Suspense', 'received');
  is_booked boolean;
  drawn bigint;
begin
  if r.status not in ('Booked', 'Refused', 'Returned') then return; end if;
  select * into strict before from borsello.bank_notification
  where bank_notification_id = r.bank_notification_id for no key update;
  if r.status <> 'Refused' then
    -- Outcomes overtake each other: what came back had been booked.
    is_booked := borsello.post_cause(null, before.bank_notification_id, null, 'SentBack',
      array[suspense, borsello.account_for(r.partner_key, 'Bank', 'safeguarding')],
      array[-cents, cents], r.attempt) is not null;
  end if;
  if r.status = 'Returned' then
    drawn := borsello.draw_account(r, null, 'Return', 'bank');
    if drawn <> suspense then
      perform borsello.post_cause(null, before.bank_notification_id, null, 'Notification',
        array[drawn, suspense], array[-cents, cents], r.attempt + 1);
    end if;
  end if;
  -- A collection that was taken back while its money was on its way: that is settled there.
  if before.status not in ('RejectionRequested', 'Rejected', 'Consumed')
    or before.status <> 'RejectionRequested' and r.status <> 'Returned'
  then
    return;
  end if;
  update borsello.bank_notification set last_update_date = borsello.platform_now(),
    next_attempt_at = null,
    status = case when r.status <> 'Booked' then 'Received'
      when consumed_amount_cents = 0 then 'Rejected' else 'Consumed' end,
    consumed_amount_cents = case
      when r.status = 'Booked' then amount_cents
      when before.status = 'RejectionRequested' then consumed_amount_cents
      else amount_cents - cents end,
    failed_rule = case when r.status <> 'Booked' then 'Return' end,
    feedback = case r.status when 'Booked' then feedback
      when 'Refused' then 'ReturnRefused: ' || coalesce(r.reason_code, 'no reason given')
        || '; the bank did not send it back; another rejection, or an approval, would fit'
      else 'ReturnBounced: ' || coalesce(r.reason_code, 'no reason given')
        || '; what was sent back has come again; another rejection, or an approval, would fit' end
  where bank_notification_id = before.bank_notification_id;
  insert into borsello.audit
    (actor, partner_key, entity, entity_id, action, from_status, to_status)
  select 'bank', n.partner_key, 'BankNotification', n.bank_notification_id::text,
    case r.status when 'Booked' then 'sendBack' when 'Refused' then 'refuseReturn'
      else 'bounceReturn' end, before.status, n.status
  from borsello.bank_notification as n where bank_notification_id = before.bank_notification_id;
  perform borsello.publish_event('WireTransferCompleted', before.partner_key,
    before.bank_notification_id::text, r.attempt, json_build_object('operationId', null,
      'walletId', null, 'partnerKey', before.partner_key, 'amount', borsello.money(cents),
      'creditorName', before.debtor_name, 'creditorIban', before.debtor_iban,
      'reason', before.reason, 'transactionReference', r.transaction_reference,
      'completionDate', borsello.iso(borsello.platform_now())))
  where r.status = 'Booked' and is_booked;
end $$;

-- Where the return of a notification stands: after silence the bank is asked for the same again, each time
-- after a longer one. Answers when its flow is to look again.
create function borsello.await_return(of_notification uuid, terms json) returns timestamptz
language plpgsql volatile as $$
declare
  n borsello.bank_notification;
  r borsello.bank_request;
begin
  -- Locked in the order of the bank's word.
  select * into r from borsello.bank_request
  where bank_notification_id = of_notification and kind = 'return' order by attempt desc limit 1
  for no key update;
  select * into n from borsello.bank_notification
  where bank_notification_id = of_notification and status = 'RejectionRequested'
  for no key update;
  if n.bank_notification_id is null or n.next_attempt_at > borsello.platform_now() then
    return n.next_attempt_at;
  end if;
  if n.next_attempt_at is not null then perform borsello.inquire(r.request_id); end if;
  update borsello.bank_notification set next_attempt_at = greatest(
    borsello.platform_now() + make_interval(secs => (terms ->> 'silenceSeconds')::integer),
    borsello.retry_at(terms, r.inquiries))
  where bank_notification_id = of_notification returning next_attempt_at into n.next_attempt_at;
  return n.next_attempt_at;
end $$;

-- Why a person cannot decide about it: null, or a refusal's code and what it says of the state found.
create function borsello.why_undecidable(n borsello.bank_notification, is_approval boolean)
returns json language sql stable
return case
  when (n).status = 'Consumed' then json_build_object('code', 'BankNotificationConsumed',
    'properties', json_build_object('status', (n).status))
  when (n).status <> all(case when is_approval then '{Received,Failed,PartiallyConsumed}'::text[]
      else '{Received,Accepted,Failed,PartiallyConsumed}' end) or not (n).is_booked
    then json_build_object('code', 'BankNotificationStatusInvalid',
      'properties', json_build_object('status', (n).status))
  when exists (select from borsello.bank_request as r where request_id = (n).named_request_id
      and borsello.is_undecided(r) and borsello.cents(payload -> 'amount') = (n).amount_cents
      -- Whoever was paid may name the operation, too: banks tell of what bounces within days.
      and not (r.status = 'Booked' and r.operation_id is not null
        and (n).creation_date < borsello.platform_now() - interval '7 days'))
    then json_build_object('code', 'BankNotificationStatusInvalid',
      'properties', json_build_object('status', (n).status, 'request',
        'The bank has not told the outcome of the request that it names: wait for that.'))
  when not is_approval and (n).debtor_iban = ''
    then json_build_object('code', 'BankNotificationStatusInvalid',
      'properties', json_build_object('status', (n).status, 'debtorIban',
        'It names no account to send it to: approve it for a wallet.')) end;

-- A person's word: it is for this wallet, or for the one or the store that it was matched with. It credits and
-- never validates. Null: there is no such notification.
create function borsello.approve_notification(
  of_notification uuid, of_partner text, to_wallet uuid, actor text
) returns json language plpgsql volatile as $$
declare
  n borsello.bank_notification;
  w borsello.wallet;
  refusal json;
  why text;
begin
  select * into n from borsello.bank_notification where bank_notification_id = of_notification
    and partner_key = of_partner;
  if n.bank_notification_id is null then return null; end if;
  select * into w from borsello.wallet
  where wallet_id = coalesce(to_wallet, n.wallet_id) for no key update;
  if to_wallet is null and (n.type = 'IncomingReconciliation' or n.store_id is not null
    or n.reconciliation_type = 'StoreReconciliation')
  then
    refusal := borsello.why_undecidable(n, true);
    if refusal is not null then return refusal; end if;
    why := borsello.reconcile_notification(of_notification, true, actor);
    if why is not null then
      return json_build_object('code', 'BankNotificationStatusInvalid',
        'properties', json_build_object('reconciliation', why));
    end if;
  else
    select * into n from borsello.bank_notification
    where bank_notification_id = of_notification for no key update;
    refusal := borsello.why_undecidable(n, true);
    if refusal is not null then return refusal; end if;
    if w.wallet_id is null and to_wallet is null then
      return json_build_object('code', 'BankNotificationStatusInvalid', 'properties',
        json_build_object('walletId', 'It fits no wallet and no store: name the wallet.'));
    elsif w.wallet_id is null then
      return json_build_object('code', 'WalletNotFound',
        'properties', json_build_object('walletId', to_wallet));
    elsif w.partner_key <> n.partner_key then
      return json_build_object('code', 'WalletOfAnotherPartner',
        'properties', json_build_object('walletId', w.wallet_id));
    elsif w.status <> 'Active' then
      return json_build_object('code', 'BankNotificationStatusInvalid', 'properties',
        json_build_object('status', n.status, 'walletStatus', w.status));
    end if;
    perform borsello.credit_notification(n, w.wallet_id, actor);
  end if;
  return json_build_object('notification', borsello.bank_notification_record(decided))
  from borsello.bank_notification as decided where bank_notification_id = of_notification;
end $$;

-- A person's word: it goes back to where it came from.
create function borsello.reject_notification(of_notification uuid, of_partner text, actor text)
returns json language plpgsql volatile as $$
declare
  n borsello.bank_notification;
  refusal json;
begin
  select * into n from borsello.bank_notification where bank_notification_id = of_notification
    and partner_key = of_partner;
  if n.bank_notification_id is null then return null; end if;
  perform from borsello.wallet where wallet_id = n.wallet_id for no key update;
  select * into n from borsello.bank_notification
  where bank_notification_id = of_notification for no key update;
  refusal := borsello.why_undecidable(n, false);
  if refusal is not null then return refusal; end if;
  return json_build_object('notification',
    borsello.bank_notification_record(borsello.request_return(of_notification, actor)));
end $$;

-- Has the credits tried again that failed by the wallet's state or its holder's name alone, once either has
-- changed: by the flow of the IBAN validation, or by their own. Called by that change, which holds the
-- wallet's row.
create or replace function borsello.retry_transfers(of_wallet uuid) returns void
language sql volatile
begin atomic
  with due as (
    update borsello.bank_notification as n set is_due = true
    from borsello.iban_validation as v
    where v.wallet_id = of_wallet and v.status = 'Waiting' and n.wallet_id = of_wallet
      and n.iban_attempt = v.attempt and n.status = 'Received'
      and n.failed_rule in ('DebtorName', 'Wallet')
    returning n.bank_notification_id, v.attempt, v.partner_key
  ), first_due as (
    select * from due order by bank_notification_id limit 1
  )
  select borsello.tell_flows('SctReceived', of_wallet::text, json_build_object(
    'walletId', of_wallet, 'partnerKey', partner_key, 'attempt', attempt,
    'bankNotificationId', bank_notification_id))
  from first_due;
  with due as (
    update borsello.bank_notification as n set is_due = true
    where wallet_id = of_wallet and iban_attempt is null and status = 'Received'
      and failed_rule in ('DebtorName', 'Wallet') and reconciliation_type <> 'Return'
      and repeat_key not like 'own %'
    returning n
  )
  select borsello.tell_notification(n) from due;
end;

-- Of a wallet that closes: what waits for it goes back. Called by the closing, which holds the wallet's row.
create function borsello.return_waiting(of_wallet uuid, actor text) returns void
language sql volatile
begin atomic
  select borsello.request_return(bank_notification_id, actor) from (
    select n.bank_notification_id from borsello.bank_notification as n
    where wallet_id = of_wallet and status in ('Received', 'Accepted', 'Failed', 'PartiallyConsumed')
      and borsello.why_undecidable(n, false) is null
    order by bank_notification_id) as waiting;
end;

-- What was received for an attempt that ended and was not used: a deposit, where another transfer has
-- validated the IBAN; else it says why it stays where it is.
create or replace function borsello.answer_ended_validation() returns trigger language plpgsql as $$
declare
  w borsello.wallet;
  n borsello.bank_notification;
  ending constant text := borsello.iban_validation_end(new.status);
begin
  select * into w from borsello.wallet where wallet_id = new.wallet_id;
  if new.status = 'Validated' then
    perform borsello.publish_event('IbanValidated', w.partner_key, w.wallet_id::text, w.version,
      borsello.wallet_record(w));
    for n in
      update borsello.bank_notification set is_due = true, iban_attempt = null,
        reconciliation_type = 'WalletDeposit', last_update_date = borsello.platform_now()
      where wallet_id = new.wallet_id and iban_attempt = new.attempt and status = 'Received'
        and bank_notification_id is distinct from new.bank_notification_id
      returning *
    loop
      perform borsello.tell_notification(n);
    end loop;
    return null;
  end if;
  perform borsello.publish_event('IbanValidationFailed', w.partner_key, w.wallet_id::text,
    w.version, json_build_object('walletId', w.wallet_id, 'partnerKey', w.partner_key,
      'iban', new.iban, 'feedback', case
        when new.feedback is distinct from old.feedback then new.feedback
        else upper(left(ending, 1)) || substr(ending, 2)
          || coalesce('; the last transfer did not fit: ' || old.feedback, '') end));
  update borsello.bank_notification set is_due = false, iban_attempt = null, failed_rule = 'Code',
    last_update_date = borsello.platform_now(),
    feedback = 'Code: the IBAN validation with this code has ended, as ' || ending
      || '; the code of the wallet''s present instructions would fit'
      || coalesce('. Before, it did not fit: ' || feedback, '')
  where wallet_id = new.wallet_id and iban_attempt = new.attempt and status = 'Received';
  return null;
end $$;

-- What older databases hold is at the bank and nobody's yet. Deposits, and what stores paid, were not tried
-- before; what was received for attempts that are over is nothing that their flows will look at.
update borsello.bank_notification as n set is_booked = true,
  is_due = n.is_due or n.status = 'Received' and (n.type = 'IncomingReconciliation'
    or n.feedback like 'Deposit: %' or n.feedback like 'Code: another transfer with this code has%'),
  iban_attempt = case when exists (
      select from borsello.iban_validation as v
      where v.wallet_id = n.wallet_id and v.attempt = n.iban_attempt and v.status = 'Waiting')
    then n.iban_attempt end
where partner_key is not null and status in (
  'Received', 'Accepted', 'Processing', 'PartiallyConsumed', 'Failed', 'RejectionRequested');
select borsello.book_notification(n) from borsello.bank_notification as n where is_booked;
