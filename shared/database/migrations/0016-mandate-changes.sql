-- What every change of a mandate leaves behind: its audit row and, where flows have to know, the
-- message to them. A store's mandate is in order with what else its store tells.
create function borsello.record_mandate_change(
  m borsello.mandate, actor text, action text, from_status text, message text default null
) returns void
language sql volatile
begin atomic
  insert into borsello.audit
    (actor, partner_key, entity, entity_id, action, from_status, to_status)
  values (actor, (m).partner_key, 'Mandate', (m).mandate_id::text, action, from_status, (m).status);
  select borsello.tell_flows(message, coalesce((m).wallet_id, (m).store_id)::text,
    json_build_object('walletId', (m).wallet_id, 'partnerKey', (m).partner_key,
      'mandateId', (m).mandate_id, 'status', (m).status))
  where message is not null;
end;
