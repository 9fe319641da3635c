-- An onboarding that ended can start again, each time as another attempt with a flow of its own; a
-- wallet that closes ends what is under way, and partners are told of signature, reminders and end.

-- Closed: the wallet was closed while it waited.
alter table borsello.iban_validation
  drop constraint iban_validation_status_check,
  add constraint iban_validation_status_check
    check (status in ('Waiting', 'Validated', 'Expired', 'Replaced', 'Closed'));
alter table borsello.contract
  drop constraint contract_status_check,
  add constraint contract_status_check
    check (status in ('Signing', 'Signed', 'Declined', 'Closed'));

alter table borsello.onboarding
  add column attempt integer not null default 1 check (attempt > 0),
  -- Counts the changes: each business event carries the version that it reports.
  add column version bigint not null default 1;

-- The view as its endpoint shows it, with these steps, and whose wallet it is.
create function borsello.onboarding_event(o borsello.onboarding, steps json) returns json
language sql stable parallel safe
return json_build_object(
  'walletId', o.wallet_id, 'partnerKey', o.partner_key, 'status', o.status, 'steps', steps,
  'startedAt', borsello.iso(o.started_at), 'endedAt', borsello.iso(o.ended_at));

-- What every change of an onboarding leaves behind: its audit row, and its event where it has one.
create function borsello.record_onboarding_change(
  o borsello.onboarding, actor text, action text, from_status text, event text, payload json
) returns void
language sql volatile
begin atomic
  insert into borsello.audit
    (actor, partner_key, entity, entity_id, action, from_status, to_status, detail)
  values (actor, (o).partner_key, 'Onboarding', (o).wallet_id::text, action, from_status,
    (o).status, json_build_object('attempt', (o).attempt, 'reminders', (o).reminders));
  select borsello.publish_event(event, (o).partner_key, (o).wallet_id::text, (o).version, payload)
  where event is not null;
end;

-- A signature is the partner's to know, too: its event wakes the flows. `message` is null where nobody
-- has to be told.
create or replace function borsello.record_contract_change(
  c borsello.contract, actor text, action text, from_status text, message text
) returns void
language sql volatile
begin atomic
  insert into borsello.audit
    (actor, partner_key, entity, entity_id, action, from_status, to_status, detail)
  values (actor, (c).partner_key, 'Contract', (c).wallet_id::text, action, from_status, (c).status,
    json_build_object('attempt', (c).attempt));
  select borsello.publish_event(message, (c).partner_key, (c).wallet_id::text, (c).attempt,
    json_build_object('walletId', (c).wallet_id, 'partnerKey', (c).partner_key,
      'status', (c).status, 'signedAt', borsello.iso((c).signed_at)))
  where message = 'ContractSigned';
  select borsello.tell_flows(message, (c).wallet_id::text, json_build_object(
    'walletId', (c).wallet_id, 'partnerKey', (c).partner_key, 'attempt', (c).attempt))
  where message <> 'ContractSigned';
end;
