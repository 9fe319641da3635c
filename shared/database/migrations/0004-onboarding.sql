-- How a wallet's onboarding ends. While it runs, its steps are read from the wallet's own rows.

create table borsello.onboarding (
  wallet_id uuid primary key references borsello.wallet on delete cascade,
  partner_key text not null references borsello.partner,
  status text not null default 'Running'
    check (status in ('Running', 'Completed', 'Expired', 'Failed')),
  started_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  reminders integer not null default 0,
  reminded_at timestamptz,
  check ((status = 'Running') = (ended_at is null))
);
create index onboarding_running on borsello.onboarding (wallet_id) where status = 'Running';

-- The steps as they stood at the end: what happens to the wallet later does not rewrite them.
create table borsello.onboarding_step (
  wallet_id uuid not null references borsello.onboarding on delete cascade,
  place integer not null,
  name text not null check (name in ('ibanValidation', 'contractSigning', 'mandateActivation')),
  status text not null check (status in ('Waiting', 'Running', 'Completed', 'Failed', 'Skipped')),
  started_at timestamptz,
  ended_at timestamptz,
  detail text,
  primary key (wallet_id, name)
);

-- Which transfers a flow that starts anew has still to look at.
create index bank_notification_untried on borsello.bank_notification (wallet_id)
  where status = 'Received' and attempts = 0;
