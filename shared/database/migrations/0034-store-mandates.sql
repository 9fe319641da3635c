-- Store mandates (contract 4.3): references of the partner's own, and the way through the bank, attempt by
-- attempt. A store's mandate is one row, which the wallet mandate record and the store mandate record show.

alter table borsello.mandate
  -- What the partner calls it; null: by the reference that the bank knows, which is ours.
  add column partner_reference text check (length(partner_reference) between 1 and 255),
  -- Of a store's: activations that the bank refused.
  add column attempts integer not null default 0,
  -- Of a store's that the bank was asked for: when it is asked again unless it has answered.
  add column next_attempt_at timestamptz,
  add column last_payment_receive_date timestamptz,
  add column metadata json;

-- Banks tell references apart by their letters, not by the case of these. (Transfers name them exactly, which
-- mandate_reference_once finds.)
create unique index mandate_reference_any_case on borsello.mandate
  (partner_key, upper(mandate_unique_reference));
create unique index mandate_partner_reference_once on borsello.mandate
  (partner_key, upper(partner_reference)) where partner_reference is not null;
create index store_mandate_by_date on borsello.mandate (partner_key, creation_date, mandate_id)
  include (store_id) where store_id is not null;
create index store_mandate_to_ask_for on borsello.mandate
  (partner_key, coalesce(next_attempt_at, fill_date))
  where store_id is not null and status = 'Filled';

-- Wallet seed, 2.7.
create function borsello.store_mandate_record(m borsello.mandate) returns json
language sql stable parallel safe
return json_build_object(
  'storeMandateId', m.mandate_id, 'partnerKey', m.partner_key, 'storeId', m.store_id,
  'mandateUniqueReference', coalesce(m.partner_reference, m.mandate_unique_reference),
  'debtorName', m.debtor_name, 'debtorIban', m.debtor_iban,
  'creationDate', borsello.iso(m.creation_date), 'fillDate', borsello.iso(m.fill_date),
  'activationDate', borsello.iso(m.activation_date),
  'disableRequestDate', borsello.iso(m.disable_request_date),
  'disabledDate', borsello.iso(m.disabled_date), 'status', m.status, 'feedback', m.last_error,
  'attempts', m.attempts,
  'lastPaymentReceiveDate', borsello.iso(m.last_payment_receive_date), 'metadata', m.metadata
);

create or replace function borsello.mandate_record(m borsello.mandate) returns json
language sql stable parallel safe
return json_build_object(
  'mandateId', m.mandate_id, 'walletId', m.wallet_id, 'storeId', m.store_id, 'type', m.type,
  'partnerKey', m.partner_key,
  'mandateUniqueReference', coalesce(m.partner_reference, m.mandate_unique_reference),
  'debtorName', m.debtor_name, 'debtorIban', m.debtor_iban,
  'amount', borsello.money(m.amount_cents), 'frequency', m.frequency,
  'creationDate', borsello.iso(m.creation_date), 'fillDate', borsello.iso(m.fill_date),
  'activationRequestDate', borsello.iso(m.activation_request_date),
  'activationDate', borsello.iso(m.activation_date),
  'disableRequestDate', borsello.iso(m.disable_request_date),
  'disabledDate', borsello.iso(m.disabled_date),
  'rejectionDate', borsello.iso(m.rejection_date), 'status', m.status,
  'nextDepositRequestDate', m.next_deposit_request_date,
  'lastDepositRequestedDate', borsello.iso(m.last_deposit_requested_date),
  'addressStreet', m.address_street, 'city', m.city, 'lastError', m.last_error,
  'lastFailureDate', borsello.iso(m.last_failure_date),
  'nextDepositDate', m.next_deposit_date, 'lastDepositDate', borsello.iso(m.last_deposit_date)
);

-- A store's mandate was signed on the partner's paper before it was filled.
create or replace function borsello.mandate_terms(m borsello.mandate) returns json
language sql stable parallel safe
return json_strip_nulls(json_build_object(
  'mandateUniqueReference', m.mandate_unique_reference,
  'creditorIdentifier', m.creditor_identifier, 'creditorName', m.creditor_name,
  'debtorName', m.debtor_name, 'debtorIban', m.debtor_iban, 'debtorTaxId', m.debtor_tax_id,
  'amount', borsello.money(m.amount_cents), 'frequency', m.frequency, 'sequenceType', 'RCUR',
  'signatureDate', borsello.rome_date(
    case when m.store_id is null then m.sign_requested_at else m.fill_date end)));

-- A store's mandate is asked for again under its reference after a refusal: what the bank accepted once
-- counts, whatever it says of the other requests, else the last of them.
create or replace function borsello.activation_of(of_mandate uuid, reference text)
returns setof borsello.bank_request
language sql stable rows 1
begin atomic
  select * from borsello.bank_request
  where mandate_id = of_mandate and kind = 'mandateActivation'
    and payload ->> 'mandateUniqueReference' = reference
  order by (status = 'Accepted') desc, requested_at desc, request_id desc limit 1;
end;

create function borsello.activations_asked(of_mandate uuid) returns integer
language sql stable
return (
  select count(*)::integer from borsello.bank_request
  where mandate_id = of_mandate and kind = 'mandateActivation'
);

-- When a store's mandate that the bank was asked for goes on: long ago, if the bank has said something that
-- was not taken up yet. Null: the bank was not asked, or it is settled.
create function borsello.store_mandate_due(m borsello.mandate) returns timestamptz
language sql stable
return (
  select case when asked.status = 'Accepted'
      or (asked.status = 'Refused' and m.attempts < borsello.activations_asked(m.mandate_id))
    then timestamptz 'epoch' else m.next_attempt_at end
  from borsello.activation_of(m.mandate_id, m.mandate_unique_reference) as asked
  where m.store_id is not null and m.status = 'Filled'
);

create function borsello.silent_until(terms json) returns timestamptz
language sql stable
return borsello.platform_now() + make_interval(secs => (terms ->> 'silenceSeconds')::integer);

-- One step of a store's mandate on its way through the bank: asked for, activated, a refusal noted or, once
-- all attempts are used up, rejected; asked for again when its time has come, after silence by the same
-- request. `is_pressed`: after a refusal or silence it waits no longer. False: there was nothing to do.
create function borsello.advance_store_mandate(
  of_mandate uuid, terms json, is_pressed boolean default false
) returns boolean
language plpgsql volatile as $$
declare
  m borsello.mandate;
  asked borsello.bank_request;
  asked_before integer;
begin
  select * into m from borsello.mandate
  where mandate_id = of_mandate and store_id is not null and status = 'Filled' for no key update;
  if not found then return false; end if;
  select * into asked from borsello.activation_of(m.mandate_id, m.mandate_unique_reference);
  asked_before := borsello.activations_asked(m.mandate_id);
  if asked.status = 'Accepted' then
    update borsello.mandate set status = 'Active', activation_date = borsello.platform_now(),
      next_attempt_at = null, last_error = null
    where mandate_id = of_mandate returning * into m;
    perform borsello.record_mandate_change(m, 'platform', 'activate', 'Filled', 'MandateSettled');
  elsif asked.status = 'Refused' and m.attempts < asked_before then
    update borsello.mandate set attempts = asked_before,
      last_error = 'ActivationRefused: ' || coalesce(asked.reason_code, 'no reason'),
      last_failure_date = borsello.platform_now(),
      next_attempt_at = borsello.retry_at(terms, asked_before)
    where mandate_id = of_mandate returning * into m;
    if m.attempts < json_array_length(terms -> 'retrySeconds') then
      perform borsello.record_mandate_change(m, 'platform', 'noteRefusal', 'Filled');
      return true;
    end if;
    update borsello.mandate set status = 'Rejected', next_attempt_at = null,
      rejection_date = borsello.platform_now()
    where mandate_id = of_mandate returning * into m;
    perform borsello.record_mandate_change(m, 'platform', 'reject', 'Filled', 'MandateSettled');
  elsif m.next_attempt_at > borsello.platform_now() and not (is_pressed
    and (asked.status = 'Refused' or m.last_error is not distinct from 'BankSilent'))
  then
    return false;
  elsif asked.status = 'Requested' then
    perform borsello.inquire(asked.request_id);
    -- Silence is followed ever more slowly, as refusals are.
    update borsello.mandate set last_error = 'BankSilent',
      next_attempt_at = greatest(borsello.silent_until(terms),
        borsello.retry_at(terms, asked.inquiries + 1))
    where mandate_id = of_mandate returning * into m;
    perform borsello.record_mandate_change(m, 'platform', 'inquire', 'Filled');
  else
    perform borsello.request_bank(
      borsello.derived_id('mandateActivation', of_mandate, asked_before + 1), 'mandateActivation',
      m.partner_key, null, of_mandate, borsello.mandate_terms(m), 'mandate-' || of_mandate,
      'bankOutcome');
    update borsello.mandate
    set activation_request_date = coalesce(activation_request_date, borsello.platform_now()),
      next_attempt_at = borsello.silent_until(terms)
    where mandate_id = of_mandate returning * into m;
    perform borsello.record_mandate_change(
      m, 'platform', 'requestActivation', 'Filled', 'StoreMandateAsked');
  end if;
  return true;
end $$;

-- Ends a mandate: cancelled where the bank was never asked for it, else every reference is revoked that
-- the bank may know or may still accept. A store's is cancelled until it is active, and nobody waits for
-- what is revoked besides. False: its status does not allow it.
create or replace function borsello.disable_mandate(of_mandate uuid, actor text) returns boolean
language plpgsql volatile as $$
declare
  m borsello.mandate;
  before text;
  reference text;
  is_cancelled boolean;
begin
  select * into m from borsello.mandate where mandate_id = of_mandate for no key update;
  before := m.status;
  if before is null or before not in ('Draft', 'Filled', 'ActivationRequested', 'Active') then
    return false;
  end if;
  is_cancelled := before in ('Draft', 'Filled')
    and (m.store_id is not null or borsello.activations_asked(of_mandate) = 0);
  update borsello.mandate
  set status = case when is_cancelled then 'Cancelled' else 'DisableRequested' end,
    disabled_date = case when is_cancelled then borsello.platform_now() end,
    disable_request_date = case when not is_cancelled then borsello.platform_now() end,
    next_attempt_at = null
  where mandate_id = of_mandate returning * into m;
  for reference in
    select m.mandate_unique_reference where before in ('ActivationRequested', 'Active')
    union
    select payload ->> 'mandateUniqueReference' from borsello.bank_request
    where mandate_id = of_mandate and kind = 'mandateActivation' and status <> 'Refused'
    except
    select mandate_unique_reference from borsello.mandate_revocation where mandate_id = of_mandate
  loop
    perform borsello.revoke_at_bank(m, reference);
  end loop;
  if is_cancelled then
    perform borsello.record_mandate_change(m, actor, 'cancel', before, case
      when borsello.has_open_revocation(of_mandate) then 'MandateDisableRequested'
      else 'MandateSettled' end);
    return true;
  end if;
  perform borsello.record_mandate_change(
    m, actor, 'requestDisable', before, 'MandateDisableRequested');
  if not borsello.has_open_revocation(of_mandate) then
    -- Whatever was asked for, the bank has refused or revoked already.
    update borsello.mandate set status = 'Disabled', disabled_date = borsello.platform_now()
    where mandate_id = of_mandate returning * into m;
    perform borsello.record_mandate_change(
      m, 'platform', 'disable', 'DisableRequested', 'MandateSettled');
  end if;
  return true;
end $$;

-- An acceptance that nothing waits for any more, since the request lapsed or was overtaken, leaves a live
-- mandate at the bank: its revocation is asked for in the transaction that notes it, and a person sees it.
-- A store's mandate waits for it as long as it is Filled.
create or replace function borsello.note_mandate_outcome(r borsello.bank_request) returns void
language plpgsql volatile as $$
declare
  m borsello.mandate;
  reference constant text := r.payload ->> 'mandateUniqueReference';
begin
  if r.kind <> 'mandateActivation' or r.status <> 'Accepted' then return; end if;
  select * into m from borsello.mandate where mandate_id = r.mandate_id for no key update;
  if not found or (reference = m.mandate_unique_reference
    and (m.status in ('ActivationRequested', 'Active')
      or (m.status = 'Filled' and m.store_id is not null))) or exists (
      select from borsello.mandate_revocation as v
        join borsello.bank_request as asked using (request_id)
      where v.mandate_id = m.mandate_id and v.mandate_unique_reference = reference
        and v.ended_at is null and asked.status = 'Requested')
  then
    return;
  end if;
  perform borsello.revoke_at_bank(m, reference);
  update borsello.mandate
  set last_error = 'LateAcceptance: ' || reference, last_failure_date = borsello.platform_now()
  where mandate_id = m.mandate_id returning * into m;
  perform borsello.record_mandate_change(
    m, 'bank', 'acceptLate', m.status, 'MandateDisableRequested');
end $$;

-- A mandate that is not used for thirty-six months may not be used any more, a store's neither. The bank is
-- told, so that it does not depend on its own count. Resolves to how many lapsed, of at most so many.
create or replace function borsello.lapse_unused_mandates(most integer) returns integer
language plpgsql volatile as $$
declare
  m borsello.mandate;
  lapsed integer := 0;
begin
  for m in select * from borsello.mandate
    where status = 'Active' and coalesce(last_deposit_requested_date, activation_date)
      <= borsello.platform_now() - interval '36 months'
    order by coalesce(last_deposit_requested_date, activation_date) limit most
    for no key update skip locked
  loop
    update borsello.mandate
    set status = 'Disabled', disabled_date = borsello.platform_now(), last_error = 'MandateLapsed'
    where mandate_id = m.mandate_id returning * into m;
    perform borsello.revoke_at_bank(m, m.mandate_unique_reference);
    perform borsello.record_mandate_change(
      m, 'platform', 'lapseUnused', 'Active', 'MandateDisableRequested');
    lapsed := lapsed + 1;
  end loop;
  return lapsed;
end $$;
drop index borsello.mandate_by_last_use;
create index mandate_by_last_use on borsello.mandate
  (coalesce(last_deposit_requested_date, activation_date)) where status = 'Active';
