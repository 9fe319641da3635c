-- What the sweep of flows looks for, found by indexes that hold only what is under way.

-- Each wallet is being onboarded from its first moment, so that whoever looks for the running ones
-- need not ask which wallets have no row yet. The audit's row of the wallet's creation tells of both.
create function borsello.onboard_wallet() returns trigger language plpgsql as $$
begin
  insert into borsello.onboarding (wallet_id, partner_key, started_at, expires_at) values (
    new.wallet_id, new.partner_key, new.creation_date, new.creation_date + interval '90 days');
  return null;
end $$;
create trigger wallet_onboarded after insert on borsello.wallet
  for each row execute function borsello.onboard_wallet();

insert into borsello.onboarding (wallet_id, partner_key, started_at, expires_at)
select wallet_id, partner_key, creation_date, creation_date + interval '90 days'
from borsello.wallet on conflict do nothing;

create index contract_signing on borsello.contract (wallet_id) where status = 'Signing';
create index mandate_with_flow on borsello.mandate (coalesce(wallet_id, store_id))
  where status in ('Filled', 'ActivationRequested', 'Active', 'DisableRequested');
