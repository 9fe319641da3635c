-- Wallet mandates: what ends them, what is asked of the bank for them, and what partners hear of it.

-- Disables the wallet's open mandate, if it has one, whatever the wallet's state: for commands that hold
-- the wallet's row and take from the mandate what it debits (closing, another IBAN, none).
create function borsello.disable_open_mandate(of_wallet uuid, actor text) returns void
language plpgsql volatile as $$
declare
  m borsello.mandate;
  before text;
begin
  select * into m from borsello.mandate
  where wallet_id = of_wallet
    and status in ('Draft', 'Filled', 'ActivationRequested', 'Active')
  for no key update;
  if not found then return; end if;
  before := m.status;
  if before in ('Draft', 'Filled') then
    update borsello.mandate set status = 'Cancelled', disabled_date = borsello.platform_now()
    where mandate_id = m.mandate_id returning * into m;
    perform borsello.record_mandate_change(m, actor, 'cancel', before, 'MandateSettled');
  else
    update borsello.mandate
    set status = 'DisableRequested', disable_request_date = borsello.platform_now()
    where mandate_id = m.mandate_id returning * into m;
    perform borsello.record_mandate_change(
      m, actor, 'requestDisable', before, 'MandateDisableRequested');
  end if;
end $$;
