-- What a change of a wallet's IBAN leaves behind: its audit row, its event and what it tells the flows
-- of the validations. `ended`: the attempt that waited until now; `awaited`: the one that waits from
-- now on; null where there is none.
create function borsello.record_iban_change(
  w borsello.wallet, actor text, action text, event text, payload json, ended integer,
  awaited integer
) returns void
language sql volatile
begin atomic
  insert into borsello.audit (actor, partner_key, entity, entity_id, action, detail)
  values (actor, (w).partner_key, 'Wallet', (w).wallet_id::text, action,
    case when awaited is not null then json_build_object('attempt', awaited) end);
  select borsello.publish_event(event, (w).partner_key, (w).wallet_id::text, (w).version, payload);
  select borsello.tell_flows('IbanChanged', (w).wallet_id::text, json_build_object(
    'walletId', (w).wallet_id, 'partnerKey', (w).partner_key, 'attempt', ended))
  where ended is not null;
  select borsello.tell_flows('IbanSet', (w).wallet_id::text, json_build_object(
    'walletId', (w).wallet_id, 'partnerKey', (w).partner_key, 'attempt', awaited))
  where awaited is not null;
end;
