-- Partners are added, changed and removed by administrators' commands, while the platform runs.

alter table borsello.partner
  -- Null: another identity provider issues the partner's tokens.
  alter column client_secret_salt drop not null,
  alter column client_secret_hash drop not null,
  add constraint partner_client_secret_whole
    check ((client_secret_salt is null) = (client_secret_hash is null)),
  -- Books, tickets and documents go on naming a partner that was removed; nobody is let in as it.
  add column removed_at timestamptz;

-- AuthKeys that were replaced and hold until their time. Wall time, as for all that lets somebody in: the
-- sandbox's clock, which anybody there may move, ends no key.
create table borsello.former_auth_key (
  partner_key text not null references borsello.partner,
  salt bytea not null,
  hash bytea not null,
  valid_until timestamptz not null,
  primary key (partner_key, hash)
);
