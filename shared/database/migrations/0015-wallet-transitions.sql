-- What a wallet's change of state leaves behind: its audit row, its event and, at its closure, the
-- message that ends its onboarding.
create function borsello.record_wallet_transition(
  w borsello.wallet, actor text, action text, event text, from_status text
) returns void
language sql volatile
begin atomic
  insert into borsello.audit
    (actor, partner_key, entity, entity_id, action, from_status, to_status)
  values (actor, (w).partner_key, 'Wallet', (w).wallet_id::text, action, from_status, (w).status);
  select borsello.publish_event(event, (w).partner_key, (w).wallet_id::text, (w).version,
    case event when 'WalletReopened' then borsello.wallet_reopened_event(w)
      else borsello.wallet_updated_event(w) end);
  select borsello.tell_flows('OnboardingClosed', (w).wallet_id::text,
    json_build_object('walletId', (w).wallet_id, 'partnerKey', (w).partner_key))
  where event = 'WalletClosed';
end;
