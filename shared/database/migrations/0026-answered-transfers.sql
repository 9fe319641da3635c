-- Every incoming transfer is answered for: whose it is, told from its repeats, bound to the IBAN
-- validation that it may belong to, and with a feedback for as long as it stays Received.

-- Accounts as they are compared.
create function borsello.account_key(iban text) returns text
language sql immutable parallel safe
return upper(regexp_replace(iban, '\s', '', 'g'));

-- The account that a partner's instructions name; `platform_account` is for partners without their own.
create function borsello.collection_account(p borsello.partner, platform_account text default null)
returns text language sql immutable parallel safe
return borsello.account_key(
  coalesce((p).settings #>> '{ibanVerification,destinationIban}', platform_account));

-- Whose account this is; null: nobody's, or that of several partners.
create function borsello.collecting_partner(iban text) returns text
language sql stable parallel safe
return (
  select min(partner_key) from borsello.partner
  where borsello.collection_account(partner) = borsello.account_key(iban)
  having count(*) = 1);

-- Who has what is nobody's.
create function borsello.operating_partner() returns text
language sql stable parallel safe
return (select min(partner_key) from borsello.partner where is_operator);

-- Everything that the bank said about a transfer: two transfers differ in some of it.
create function borsello.transfer_content(
  type text, transaction_reference text, payment_gateway_reference text, debtor_name text,
  debtor_iban text, creditor_name text, creditor_iban text, amount_cents bigint, reason text,
  reception_date timestamptz
) returns bytea language sql stable parallel safe
return sha256(convert_to(json_build_array(
  type, transaction_reference, payment_gateway_reference, debtor_name, debtor_iban, creditor_name,
  creditor_iban, amount_cents, reason, borsello.iso(reception_date))::text, 'UTF8'));

-- What a repeat has in common with its original: the gateway's reference or, without one, all of it.
create function borsello.repeat_key(payment_gateway_reference text, content_hash bytea) returns text
language sql immutable parallel safe
return coalesce('gateway ' || payment_gateway_reference, 'content ' || encode(content_hash, 'hex'));

alter table borsello.bank_notification
  drop constraint bank_notification_once,
  add column content_hash bytea,
  add column repeat_key text,
  -- Of the wallet: the IBAN validation whose code the reason holds.
  add column iban_attempt integer,
  -- The first rule that the last try failed by; null: not tried.
  add column failed_rule text
    check (failed_rule in ('Code', 'DebtorIban', 'Amount', 'DebtorName', 'Wallet')),
  -- Whether its validation's flow has (again) to look at it.
  add column is_due boolean not null default false;

update borsello.bank_notification set content_hash = borsello.transfer_content(
  type, transaction_reference, payment_gateway_reference, debtor_name, debtor_iban, creditor_name,
  creditor_iban, amount_cents, reason, reception_date);
-- One gateway reference with two transaction references were two notifications, and stay so.
update borsello.bank_notification as n
set repeat_key = borsello.repeat_key(
    case when place = 1 then n.payment_gateway_reference end, n.content_hash),
  partner_key = coalesce(n.partner_key, borsello.collecting_partner(n.creditor_iban),
    borsello.operating_partner())
from (
  select bank_notification_id, row_number() over (
    partition by payment_gateway_reference order by bank_notification_id) as place
  from borsello.bank_notification
) as known
where known.bank_notification_id = n.bank_notification_id;
alter table borsello.bank_notification
  alter column content_hash set not null,
  alter column repeat_key set not null,
  add constraint bank_notification_once unique (repeat_key);

-- What was received for a validation that still waits is tried again; what came for one that has
-- ended is told so.
update borsello.bank_notification as n
set iban_attempt = v.attempt, is_due = v.status = 'Waiting',
  failed_rule = case when v.status <> 'Waiting' then 'Code' end,
  feedback = case when v.status = 'Waiting' then n.feedback
    else coalesce(n.feedback, 'Code: the IBAN validation with this code has ended') end
from borsello.iban_validation as v
where n.status = 'Received' and n.reconciliation_type = 'IbanValidation'
  and v.wallet_id = n.wallet_id and position(v.code in borsello.account_key(n.reason)) > 0;
insert into borsello.outbox (destinations, session_id, subject, body)
select '{platform-events}', wallet_id::text, 'SctReceived', json_build_object('walletId', wallet_id,
  'partnerKey', partner_key, 'attempt', iban_attempt, 'bankNotificationId', bank_notification_id)
from borsello.bank_notification where is_due;

drop index borsello.bank_notification_untried;
create index bank_notification_by_attempt on borsello.bank_notification (wallet_id, iban_attempt)
  where status = 'Received';
-- Pages of a list are in this order, and are counted without the rows.
drop index borsello.bank_notification_by_date;
create index bank_notification_by_date on borsello.bank_notification
  (partner_key, creation_date, bank_notification_id) include (type, status);
-- Codes of validations that have ended are looked up, too.
create index iban_validation_by_code on borsello.iban_validation (code);

-- The record that the API and the event show (wallet seed, 2.9).
create function borsello.bank_notification_record(n borsello.bank_notification) returns json
language sql stable parallel safe
return json_build_object(
  'bankNotificationId', n.bank_notification_id, 'partnerKey', n.partner_key, 'type', n.type,
  'status', n.status, 'feedback', n.feedback, 'attempts', n.attempts,
  'creationDate', borsello.iso(n.creation_date), 'receptionDate', borsello.iso(n.reception_date),
  'acceptanceDate', borsello.iso(n.acceptance_date),
  'lastUpdateDate', borsello.iso(n.last_update_date),
  'creditorName', n.creditor_name, 'creditorIban', n.creditor_iban,
  'debtorName', n.debtor_name, 'debtorIban', n.debtor_iban,
  'amount', borsello.money(n.amount_cents), 'reason', n.reason,
  'transactionReference', n.transaction_reference, 'reconciliationCode', n.reconciliation_code,
  'reconciliationType', n.reconciliation_type,
  'paymentGatewayReference', n.payment_gateway_reference,
  'walletId', n.wallet_id, 'storeId', n.store_id, 'operationId', n.operation_id,
  'metadata', n.metadata, 'consumedAmount', borsello.money(n.consumed_amount_cents),
  'consumableAmount', borsello.money(n.amount_cents - n.consumed_amount_cents),
  'incomingPaymentId', n.incoming_payment_id
);

-- What stays Received is told once, with its first feedback, whoever wrote that.
create function borsello.tell_received_notification() returns trigger language plpgsql as $$
begin
  perform borsello.publish_event('BankNotificationReceived', new.partner_key,
    coalesce(new.wallet_id, new.bank_notification_id)::text, 1,
    borsello.bank_notification_record(new));
  return null;
end $$;
create trigger notification_stored after insert on borsello.bank_notification
  for each row when (
    new.status = 'Received' and new.feedback is not null and new.partner_key is not null)
  execute function borsello.tell_received_notification();
create trigger notification_answered after update of feedback on borsello.bank_notification
  for each row when (
    new.status = 'Received' and old.feedback is null and new.feedback is not null
    and new.partner_key is not null)
  execute function borsello.tell_received_notification();

-- Has the transfers tried again that failed by the wallet's state or its holder's name alone, once
-- either has changed. Called by that change, which holds the wallet's row.
create function borsello.retry_transfers(of_wallet uuid) returns void
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
end;

-- How an attempt ended.
create function borsello.iban_validation_end(status text) returns text
language sql immutable parallel safe
return case status
  when 'Expired' then 'no fitting transfer came in time'
  when 'Replaced' then 'the IBAN was replaced or removed'
  when 'Validated' then 'another transfer has validated the IBAN'
  else 'the wallet was closed' end;

-- Whoever ends an attempt, and in whatever way: partners are told once, and what was received for it
-- and not used is told why it stays where it is.
create function borsello.answer_ended_validation() returns trigger language plpgsql as $$
declare
  w borsello.wallet;
  ending constant text := borsello.iban_validation_end(new.status);
begin
  select * into w from borsello.wallet where wallet_id = new.wallet_id;
  if new.status = 'Validated' then
    perform borsello.publish_event('IbanValidated', w.partner_key, w.wallet_id::text, w.version,
      borsello.wallet_record(w));
  else
    perform borsello.publish_event('IbanValidationFailed', w.partner_key, w.wallet_id::text,
      w.version, json_build_object('walletId', w.wallet_id, 'partnerKey', w.partner_key,
        'iban', new.iban, 'feedback', case
          when new.feedback is distinct from old.feedback then new.feedback
          else upper(left(ending, 1)) || substr(ending, 2)
            || coalesce('; the last transfer did not fit: ' || old.feedback, '') end));
  end if;
  update borsello.bank_notification set is_due = false, failed_rule = 'Code',
    last_update_date = borsello.platform_now(),
    reconciliation_type = case when new.status = 'Validated' and debtor_iban = new.iban
      then 'WalletDeposit' else reconciliation_type end,
    feedback = case
      when new.status <> 'Validated' then
        'Code: the IBAN validation with this code has ended, as ' || ending
          || '; the code of the wallet''s present instructions would fit'
      when debtor_iban = new.iban then
        'Deposit: another transfer with this code has validated the IBAN; '
          || 'this one is a deposit, which the platform does not credit by itself yet'
      else 'Code: another transfer with this code has validated the IBAN '
        || 'that the wallet has; a deposit from that IBAN would fit' end
      || coalesce('. Before, it did not fit: ' || feedback, '')
  where wallet_id = new.wallet_id and iban_attempt = new.attempt and status = 'Received';
  return null;
end $$;
create trigger iban_validation_answered after update of status on borsello.iban_validation
  for each row when (old.status = 'Waiting' and new.status <> 'Waiting')
  execute function borsello.answer_ended_validation();
