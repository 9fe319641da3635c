-- Wallet mandates: what is asked of the bank for them and what becomes of it, what ends them, and what
-- partners hear of it.

alter table borsello.mandate
  -- Counts the changes: each business event carries the version that it reports.
  add column version bigint not null default 1,
  -- What PDF and bank are told besides, as it was when the mandate was filled.
  add column debtor_tax_id text,
  add column debtor_bic text,
  add column zip_code text,
  add column province text,
  add column country text,
  add column creditor_identifier text,
  add column creditor_name text,
  add column creditor_address text,
  add column pre_notification_days integer;

create function borsello.count_mandate_change() returns trigger language plpgsql as $$
begin
  new.version := old.version + 1;
  return new;
end $$;
create trigger mandate_changes_counted before update on borsello.mandate
  for each row execute function borsello.count_mandate_change();

-- What every change of a mandate leaves behind: its audit row, the event of a wallet's partner, and the
-- message to the flows that have to know.
create or replace function borsello.record_mandate_change(
  m borsello.mandate, actor text, action text, from_status text, message text default null
) returns void
language sql volatile
begin atomic
  insert into borsello.audit
    (actor, partner_key, entity, entity_id, action, from_status, to_status)
  values (actor, (m).partner_key, 'Mandate', (m).mandate_id::text, action, from_status, (m).status);
  select borsello.publish_event('MandateStatusChanged', (m).partner_key, (m).wallet_id::text,
    (m).version, borsello.json_with(borsello.mandate_record(m),
      json_build_object('previousStatus', from_status)))
  where (m).wallet_id is not null and from_status <> (m).status;
  select borsello.tell_flows(message, coalesce((m).wallet_id, (m).store_id)::text,
    json_build_object('walletId', (m).wallet_id, 'partnerKey', (m).partner_key,
      'mandateId', (m).mandate_id, 'status', (m).status))
  where message is not null;
end;

-- What the bank is told with each request for a mandate (contract 0.3). A store's has neither amount nor
-- frequency.
create function borsello.mandate_terms(m borsello.mandate) returns json
language sql stable parallel safe
return json_strip_nulls(json_build_object(
  'mandateUniqueReference', m.mandate_unique_reference,
  'creditorIdentifier', m.creditor_identifier, 'creditorName', m.creditor_name,
  'debtorName', m.debtor_name, 'debtorIban', m.debtor_iban, 'debtorTaxId', m.debtor_tax_id,
  'amount', borsello.money(m.amount_cents), 'frequency', m.frequency, 'sequenceType', 'RCUR',
  'signatureDate', borsello.rome_date(m.sign_requested_at)));

-- What the bank was asked to activate under a reference; no row: nothing, or it is a mandate that was
-- active before its requests were kept.
create function borsello.activation_of(of_mandate uuid, reference text)
returns setof borsello.bank_request
language sql stable rows 1
begin atomic
  select * from borsello.bank_request
  where mandate_id = of_mandate and kind = 'mandateActivation'
    and payload ->> 'mandateUniqueReference' = reference
  order by requested_at desc, request_id desc limit 1;
end;

-- References that the bank is to revoke, one row each: a mandate that is signed again after a lapse has
-- another one, and the bank may still accept the first.
create table borsello.mandate_revocation (
  mandate_id uuid not null references borsello.mandate on delete cascade,
  mandate_unique_reference text not null,
  -- The wallet, or the store.
  subject_id uuid not null,
  -- The request that the bank was asked last, and when.
  request_id uuid not null,
  asked_at timestamptz not null default borsello.platform_now(),
  -- Requests before this one that the bank refused, one after the other.
  refusals integer not null default 0,
  ended_at timestamptz,
  primary key (mandate_id, mandate_unique_reference)
);
create index mandate_revocation_open on borsello.mandate_revocation (subject_id)
  where ended_at is null;

-- Asks the bank to revoke a reference: the same request again where it is silent, else another one. The
-- caller holds the mandate's row.
create function borsello.revoke_at_bank(m borsello.mandate, reference text) returns void
language plpgsql volatile as $$
declare
  revocation borsello.mandate_revocation;
  last borsello.bank_request;
  asked_before bigint;
  fresh uuid;
begin
  select * into revocation from borsello.mandate_revocation
  where mandate_id = m.mandate_id and mandate_unique_reference = reference;
  select * into last from borsello.bank_request where request_id = revocation.request_id;
  if revocation.ended_at is null and last.status = 'Requested' then
    insert into borsello.outbox (destinations, session_id, subject, body)
    values ('{bank-requests}', coalesce(last.wallet_id, last.request_id)::text, 'BankRequest',
      borsello.json_with(
        json_build_object('requestId', last.request_id, 'kind', last.kind), last.payload));
    update borsello.mandate_revocation set asked_at = borsello.platform_now()
    where mandate_id = m.mandate_id and mandate_unique_reference = reference;
    return;
  end if;
  select count(*) into asked_before from borsello.bank_request
  where mandate_id = m.mandate_id and kind = 'mandateRevocation';
  fresh := borsello.derived_id('mandateRevocation', m.mandate_id, asked_before::integer + 1);
  perform borsello.request_bank(fresh, 'mandateRevocation', m.partner_key, m.wallet_id, m.mandate_id,
    borsello.json_with(
      (select json_object_agg(key, value)
       from json_each(coalesce(
         (select payload from borsello.activation_of(m.mandate_id, reference)),
         borsello.mandate_terms(m)))
       where key <> 'mandateUniqueReference'),
      json_build_object('mandateUniqueReference', reference)),
    'mandate-' || m.mandate_id, 'bankOutcome');
  insert into borsello.mandate_revocation as v
    (mandate_id, mandate_unique_reference, subject_id, request_id)
  values (m.mandate_id, reference, coalesce(m.wallet_id, m.store_id), fresh)
  on conflict (mandate_id, mandate_unique_reference) do update
  set request_id = fresh, asked_at = borsello.platform_now(), ended_at = null,
    refusals = case when v.ended_at is null and last.status = 'Refused' then v.refusals + 1 else 0 end;
end $$;

-- How a revocation ends (contract 4.3); null: it goes on. That the bank does not know the reference is no
-- end where it accepted it after it had been asked to revoke it.
create function borsello.revocation_end(v borsello.mandate_revocation) returns text
language sql stable
begin atomic
  select case
    when activation.status = 'Refused' then 'NeverActivated'
    when request.status = 'Accepted' then 'Revoked'
    when request.status = 'Refused' and request.reason_code = 'MD01'
      and not (activation.status = 'Accepted' and activation.last_outcome_at > (v).asked_at)
      then 'Unknown'
    when request.status = 'Refused' and (v).refusals >= 4 then 'GivenUp'
  end
  from borsello.bank_request as request
  left join borsello.activation_of((v).mandate_id, (v).mandate_unique_reference) as activation on true
  where request.request_id = (v).request_id;
end;

create function borsello.has_open_revocation(of_mandate uuid) returns boolean
language sql stable
begin atomic
  select exists (
    select from borsello.mandate_revocation where mandate_id = of_mandate and ended_at is null);
end;

-- Ends the revocations that the bank has decided, and with the last one a mandate that waits for it. True
-- when something ended now.
create function borsello.settle_revocations(of_mandate uuid) returns boolean
language plpgsql volatile as $$
declare
  m borsello.mandate;
  revocation borsello.mandate_revocation;
  ending text;
  failure text;
  is_ended boolean := false;
begin
  select * into m from borsello.mandate where mandate_id = of_mandate for no key update;
  for revocation in select * from borsello.mandate_revocation
    where mandate_id = of_mandate and ended_at is null order by mandate_unique_reference
  loop
    ending := borsello.revocation_end(revocation);
    continue when ending is null;
    is_ended := true;
    update borsello.mandate_revocation set ended_at = borsello.platform_now()
    where mandate_id = of_mandate
      and mandate_unique_reference = revocation.mandate_unique_reference;
    insert into borsello.audit (actor, partner_key, entity, entity_id, action, detail)
    values ('bank', m.partner_key, 'Mandate', of_mandate::text, 'endRevocation', json_build_object(
      'mandateUniqueReference', revocation.mandate_unique_reference, 'end', ending));
    if ending = 'GivenUp' then
      select 'RevocationRefused: ' || coalesce(reason_code, 'no reason') into failure
      from borsello.bank_request where request_id = revocation.request_id;
    end if;
  end loop;
  if failure is not null then
    update borsello.mandate
    set last_error = failure, last_failure_date = borsello.platform_now()
    where mandate_id = of_mandate;
  end if;
  if is_ended and m.status = 'DisableRequested' and not borsello.has_open_revocation(of_mandate) then
    update borsello.mandate set status = 'Disabled', disabled_date = borsello.platform_now()
    where mandate_id = of_mandate returning * into m;
    perform borsello.record_mandate_change(
      m, 'platform', 'disable', 'DisableRequested', 'MandateSettled');
  end if;
  return is_ended;
end $$;

-- Ends a mandate: cancelled where the bank was never asked for it, else every reference is revoked that
-- the bank may know or may still accept. False: its status does not allow it.
create function borsello.disable_mandate(of_mandate uuid, actor text) returns boolean
language plpgsql volatile as $$
declare
  m borsello.mandate;
  before text;
  reference text;
begin
  select * into m from borsello.mandate where mandate_id = of_mandate for no key update;
  before := m.status;
  if before in ('Draft', 'Filled') and not exists (
    select from borsello.bank_request where mandate_id = of_mandate and kind = 'mandateActivation')
  then
    update borsello.mandate set status = 'Cancelled', disabled_date = borsello.platform_now()
    where mandate_id = of_mandate returning * into m;
    perform borsello.record_mandate_change(m, actor, 'cancel', before, 'MandateSettled');
    return true;
  elsif before is null or before not in ('Draft', 'Filled', 'ActivationRequested', 'Active') then
    return false;
  end if;
  update borsello.mandate
  set status = 'DisableRequested', disable_request_date = borsello.platform_now()
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

-- The same for the wallet's open mandate, if it has one, whatever the wallet's state: for commands that
-- hold the wallet's row and take from the mandate what it debits (closing, another IBAN, none).
create function borsello.disable_open_mandate(of_wallet uuid, actor text) returns void
language sql volatile
begin atomic
  select borsello.disable_mandate(mandate_id, actor) from borsello.mandate
  where wallet_id = of_wallet
    and status in ('Draft', 'Filled', 'ActivationRequested', 'Active');
end;

-- An acceptance that nothing waits for any more, since the request lapsed or was overtaken, leaves a live
-- mandate at the bank: its revocation is asked for in the transaction that notes it, and a person sees it.
create function borsello.note_mandate_outcome(r borsello.bank_request) returns void
language plpgsql volatile as $$
declare
  m borsello.mandate;
  reference constant text := r.payload ->> 'mandateUniqueReference';
begin
  if r.kind <> 'mandateActivation' or r.status <> 'Accepted' then return; end if;
  select * into m from borsello.mandate where mandate_id = r.mandate_id for no key update;
  if not found or (reference = m.mandate_unique_reference
    and m.status in ('ActivationRequested', 'Active')) or exists (
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

-- A mandate that is not used for thirty-six months may not be used any more. The bank is told, so that it
-- does not depend on its own count. Resolves to how many lapsed, of at most so many.
create function borsello.lapse_unused_mandates(most integer) returns integer
language plpgsql volatile as $$
declare
  m borsello.mandate;
  lapsed integer := 0;
begin
  for m in select * from borsello.mandate
    where status = 'Active' and wallet_id is not null
      and coalesce(last_deposit_requested_date, activation_date)
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
create index mandate_by_last_use on borsello.mandate
  (coalesce(last_deposit_requested_date, activation_date))
  where status = 'Active' and wallet_id is not null;

-- Why the sandbox bank refuses what a script has it refuse.
alter table borsello.sandbox_bank_script add column reason_code text;

-- Pages of a list are in this order, and are counted without the rows.
create index mandate_by_date on borsello.mandate (partner_key, creation_date, mandate_id)
  include (status, wallet_id, store_id);
