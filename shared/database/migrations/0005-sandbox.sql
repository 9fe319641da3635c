-- The sandbox's token signing key: kept, so that tokens survive a restart. Empty in production.

create table borsello.sandbox_signing_key (
  only_row boolean primary key default true check (only_row),
  private_jwk jsonb not null
);
