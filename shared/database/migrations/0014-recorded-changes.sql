-- What every change of a wallet, a contract or a store leaves behind: its audit row and what it tells
-- others, by name, so that the statements that make the change can be read and run as they are.

-- A message for the platform's own flows, in order with the others of its session.
create function borsello.tell_flows(subject text, session_id text, body json) returns void
language sql volatile
begin atomic
  insert into borsello.outbox (destinations, session_id, subject, body)
  values ('{platform-events}', $2, $1, $3);
end;

-- `to_status` only where the action is one of the wallet's states.
create function borsello.record_wallet_change(
  w borsello.wallet, actor text, action text, event text, payload json, to_status text default null
) returns void
language sql volatile
begin atomic
  insert into borsello.audit (actor, partner_key, entity, entity_id, action, to_status)
  values (actor, (w).partner_key, 'Wallet', (w).wallet_id::text, action, to_status);
  select borsello.publish_event(event, (w).partner_key, (w).wallet_id::text, (w).version, payload);
end;

create function borsello.record_contract_change(
  c borsello.contract, actor text, action text, from_status text, message text
) returns void
language sql volatile
begin atomic
  insert into borsello.audit
    (actor, partner_key, entity, entity_id, action, from_status, to_status, detail)
  values (actor, (c).partner_key, 'Contract', (c).wallet_id::text, action, from_status, (c).status,
    json_build_object('attempt', (c).attempt));
  select borsello.tell_flows(message, (c).wallet_id::text, json_build_object(
    'walletId', (c).wallet_id, 'partnerKey', (c).partner_key, 'attempt', (c).attempt));
end;

create function borsello.record_store_change(
  s borsello.store, actor text, action text, event text, state_before text
) returns void
language sql volatile
begin atomic
  insert into borsello.audit
    (actor, partner_key, entity, entity_id, action, from_status, to_status)
  values (actor, (s).partner_key, 'Store', (s).store_id::text, action, state_before,
    borsello.store_state(s));
  select borsello.publish_event(event, (s).partner_key, (s).store_id::text, (s).version,
    borsello.store_event(s));
end;
