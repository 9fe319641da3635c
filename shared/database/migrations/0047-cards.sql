-- Card accounts, their addresses, their cards, and what is kept of each change (card seed, 2.1 to 2.4;
-- contract 4.5). The affiliate is the partner.

create table borsello.card_account (
  account_id uuid primary key,
  partner_key text not null references borsello.partner,
  customer_id uuid not null,
  -- Compared byte by byte: so its beginning alone finds it by the index, too.
  account_number text collate "C" not null,
  status text not null default 'ACTIVE'
    check (status in ('ACTIVE', 'LOCKED', 'BLOCKED', 'DELETED')),
  type text not null default 'CHARGE',
  status_reason_code text,
  -- Who locked it, and so who may unlock it; null unless it is LOCKED.
  lock_level text check (lock_level in ('CardHolder', 'AccountHolder', 'Admin')),
  card_processor_reference text not null,
  external_reference text,
  -- What the processor said of it, as `cardProcessorData` shows it.
  card_processor_data json not null,
  creation_date timestamptz not null default borsello.platform_now(),
  last_update_date timestamptz,
  version bigint not null default 1,
  constraint card_account_locked check ((status = 'LOCKED') = (lock_level is not null))
);
create unique index card_account_number_once
  on borsello.card_account (partner_key, account_number);
create index card_account_by_date on borsello.card_account (partner_key, creation_date, account_id);
create index card_account_of_customer on borsello.card_account (partner_key, customer_id)
  where status <> 'DELETED';

create table borsello.card_address (
  address_id uuid primary key,
  account_id uuid not null references borsello.card_account,
  partner_key text not null references borsello.partner,
  type text not null check (type in ('PermanentResidence', 'Work', 'Other', 'TemporaryResidence')),
  country_code text,
  line1 text,
  line2 text,
  line3 text,
  city text,
  post_office text,
  zip_code text,
  province text,
  external_reference text,
  card_processor_reference text not null,
  card_processor_data json not null,
  creation_date timestamptz not null default borsello.platform_now(),
  last_update_date timestamptz,
  version bigint not null default 1
);
create index card_address_of_account on borsello.card_address (account_id);

create table borsello.card (
  card_id uuid primary key default uuidv7(),
  account_id uuid not null references borsello.card_account,
  partner_key text not null references borsello.partner,
  -- Of the card holder, who need not be the account's customer.
  customer_id uuid not null,
  relation_type text not null check (relation_type in ('Primary', 'Business', 'Supplementary')),
  name_on_card text not null,
  bar_code text,
  -- The wallet or account that its payments are taken from.
  financial_reference text,
  external_reference text,
  product_code text not null,
  -- Six digits of the BIN, the token's number, the last four digits; null until the processor has issued it.
  pan_token text,
  masked_pan text,
  expiry_date date,
  status text not null default 'Active'
    check (status in ('Active', 'Locked', 'Blocked', 'Deleted', 'Expired')),
  status_reason_code text,
  -- Who locked it, and so who may unlock it; null unless it is Locked.
  lock_level text check (lock_level in ('Client', 'Admin')),
  card_processor_reference text,
  card_processor_data json not null,
  creation_date timestamptz not null default borsello.platform_now(),
  last_update_date timestamptz,
  version bigint not null default 1,
  constraint card_locked check ((status = 'Locked') = (lock_level is not null)),
  constraint card_issued_whole
    check ((pan_token is null) = (masked_pan is null) and (pan_token is null) = (expiry_date is null))
);
create unique index card_token_once on borsello.card (pan_token) where pan_token is not null;
create index card_of_account on borsello.card (account_id, creation_date, card_id);
create index card_to_expire on borsello.card (expiry_date)
  where expiry_date is not null and status in ('Active', 'Locked', 'Blocked');

-- Every change of an account's or a card's state, oldest first; nothing of it is ever rewritten.
create table borsello.card_state_change (
  change_id bigint generated always as identity primary key,
  account_id uuid not null references borsello.card_account,
  -- Null: the account's own change.
  card_id uuid references borsello.card,
  -- Null: it was created.
  from_status text,
  to_status text not null,
  level text,
  reason text,
  note text,
  actor text not null,
  at timestamptz not null default borsello.platform_now()
);
create index card_state_change_of_card on borsello.card_state_change (card_id, change_id)
  where card_id is not null;
create index card_state_change_of_account on borsello.card_state_change (account_id, change_id)
  where card_id is null;

-- The limits that were set for a card, all of them at once; a card without rows has the default ones.
create table borsello.card_limit (
  card_id uuid not null references borsello.card,
  type text not null,
  limit_cents bigint not null check (limit_cents >= 0),
  is_disabled boolean not null,
  primary key (card_id, type)
);

-- What a card holder sees (card seed, 2.4): an authorisation and the presentment that follows it are one.
create table borsello.card_transaction (
  -- The processor's: of the authorisation, else of the presentment.
  transaction_id text not null,
  partner_key text not null references borsello.partner,
  card_id uuid not null references borsello.card,
  account_id uuid not null references borsello.card_account,
  customer_id uuid not null,
  billing_cents bigint not null check (billing_cents >= 0),
  fee_cents bigint not null default 0,
  billing_currency text not null default 'EUR',
  -- Authorised: approved and not yet presented. Presented: waits for its clearing.
  status text not null
    check (status in ('Authorised', 'Declined', 'Reversed', 'Presented', 'Cleared')),
  -- As the processor codes it (card seed, 2.7): 20 pays into the card, all else out of it.
  type integer not null default 0,
  transaction_date timestamptz not null,
  metadata json,
  primary key (partner_key, transaction_id)
);
create index card_transaction_by_date
  on borsello.card_transaction (card_id, transaction_date, transaction_id);
create index card_transaction_open on borsello.card_transaction (card_id, transaction_date)
  where status = 'Authorised';

create function borsello.card_account_record(a borsello.card_account) returns json
language sql stable parallel safe
return json_build_object(
  'accountId', a.account_id, 'customerId', a.customer_id, 'accountNumber', a.account_number,
  'status', a.status, 'type', a.type, 'statusReasonCode', a.status_reason_code,
  'cardProcessorReference', a.card_processor_reference, 'externalReference', a.external_reference,
  'creationDate', borsello.iso(a.creation_date),
  'lastUpdateDate', borsello.iso(a.last_update_date), 'lockLevel', a.lock_level,
  'cardProcessorData', a.card_processor_data
);

create function borsello.card_address_record(a borsello.card_address) returns json
language sql stable parallel safe
return json_build_object(
  'addressId', a.address_id, 'cardProcessorReference', a.card_processor_reference, 'type', a.type,
  'countryCode', a.country_code, 'line1', a.line1, 'line2', a.line2, 'line3', a.line3,
  'city', a.city, 'postOffice', a.post_office, 'zipCode', a.zip_code, 'province', a.province,
  'externalReference', a.external_reference, 'creationDate', borsello.iso(a.creation_date),
  'lastUpdateDate', borsello.iso(a.last_update_date), 'cardProcessorData', a.card_processor_data
);

create function borsello.card_record(c borsello.card) returns json
language sql stable parallel safe
return json_build_object(
  'cardId', c.card_id, 'accountId', c.account_id, 'customerId', c.customer_id,
  'barCode', c.bar_code, 'financialReference', c.financial_reference,
  'productCode', c.product_code, 'panToken', c.pan_token, 'maskedPan', c.masked_pan,
  'status', c.status, 'statusReasonCode', c.status_reason_code, 'lockLevel', c.lock_level,
  'expiryDate', c.expiry_date, 'cardProcessorReference', c.card_processor_reference,
  'externalReference', c.external_reference, 'creationDate', borsello.iso(c.creation_date),
  'lastUpdateDate', borsello.iso(c.last_update_date), 'nameOnCard', c.name_on_card,
  'cardProcessorData', c.card_processor_data
);

create function borsello.card_transaction_record(t borsello.card_transaction) returns json
language sql stable parallel safe
return json_build_object(
  'transactionId', t.transaction_id, 'affiliateKey', t.partner_key, 'customerId', t.customer_id,
  'accountId', t.account_id, 'cardId', t.card_id, 'billingAmount', borsello.money(t.billing_cents),
  'feeAmount', borsello.money(t.fee_cents), 'billingCurrency', t.billing_currency,
  'transactionDate', borsello.iso(t.transaction_date), 'status', t.status, 'metadata', t.metadata
);

create function borsello.card_state_change_record(s borsello.card_state_change) returns json
language sql stable parallel safe
return json_build_object(
  'from', s.from_status, 'to', s.to_status, 'level', s.level, 'reason', s.reason, 'note', s.note,
  'actor', s.actor, 'at', borsello.iso(s.at)
);

-- Who changed a state, and what for: `level` and `reason` as they were given, which an unlocked record
-- holds no more.
create type borsello.card_command as (
  action text, event text, actor text, level text, reason text, note text
);

-- What a change of state leaves behind: its audit row, its record, its event with the state before.
create function borsello.record_card_account_change(
  a borsello.card_account, change borsello.card_command, from_status text
) returns void
language sql volatile
begin atomic
  insert into borsello.audit
    (actor, partner_key, entity, entity_id, action, from_status, to_status, detail)
  values ((change).actor, (a).partner_key, 'CardAccount', (a).account_id::text, (change).action,
    from_status, (a).status,
    json_build_object('level', (change).level, 'reason', (change).reason));
  insert into borsello.card_state_change
    (account_id, from_status, to_status, level, reason, note, actor)
  values ((a).account_id, from_status, (a).status, (change).level, (change).reason, (change).note,
    (change).actor);
  select borsello.publish_event((change).event, (a).partner_key, (a).account_id::text, (a).version,
    borsello.json_joined(
      json_build_object('partnerKey', (a).partner_key, 'previousStatus', from_status),
      borsello.card_account_record(a)));
end;

create function borsello.record_card_change(
  c borsello.card, change borsello.card_command, from_status text
) returns void
language sql volatile
begin atomic
  insert into borsello.audit
    (actor, partner_key, entity, entity_id, action, from_status, to_status, detail)
  values ((change).actor, (c).partner_key, 'Card', (c).card_id::text, (change).action, from_status,
    (c).status, json_build_object('level', (change).level, 'reason', (change).reason,
      'note', (change).note));
  insert into borsello.card_state_change
    (account_id, card_id, from_status, to_status, level, reason, note, actor)
  values ((c).account_id, (c).card_id, from_status, (c).status, (change).level, (change).reason,
    (change).note, (change).actor);
  select borsello.publish_event((change).event, (c).partner_key, (c).card_id::text, (c).version,
    borsello.json_joined(
      json_build_object('partnerKey', (c).partner_key, 'previousStatus', from_status),
      borsello.card_record(c)));
end;

-- A command for the card processor; the same id is the same command, however often it comes.
create function borsello.tell_card_processor(command_id uuid, session_id text, command json)
returns void
language sql volatile
begin atomic
  insert into borsello.outbox (message_id, destinations, session_id, subject, body)
  values ($1, '{card-processor-commands}', $2, 'CardProcessorCommand',
    borsello.json_joined(json_build_object('commandId', $1), $3));
end;

-- An account's change of state, told to the processor: one command for each version of the account.
create function borsello.command_card_account(
  a borsello.card_account, kind text, change borsello.card_command
) returns void
language sql volatile
return borsello.tell_card_processor(
  borsello.derived_id(kind, (a).account_id, (a).version::integer), (a).account_id::text,
  json_build_object('kind', kind, 'affiliate', (a).partner_key, 'accountId', (a).account_id,
    'level', (change).level, 'reason', (change).reason));

create function borsello.command_card(c borsello.card, kind text, change borsello.card_command)
returns void
language sql volatile
return borsello.tell_card_processor(
  borsello.derived_id(kind, (c).card_id, (c).version::integer), (c).card_id::text,
  json_build_object('kind', kind, 'affiliate', (c).partner_key, 'cardId', (c).card_id,
    'accountId', (c).account_id, 'level', (change).level, 'reason', (change).reason,
    'note', (change).note));

-- A card as it should be made, or as its references are now.
create function borsello.describe_card(c borsello.card, kind text) returns void
language sql volatile
return borsello.tell_card_processor(
  borsello.derived_id(kind, (c).card_id, (c).version::integer), (c).card_id::text,
  json_build_object('kind', kind, 'affiliate', (c).partner_key, 'cardId', (c).card_id,
    'accountId', (c).account_id, 'customerId', (c).customer_id,
    'relationType', (c).relation_type, 'nameOnCard', (c).name_on_card,
    'productCode', (c).product_code, 'barCode', (c).bar_code,
    'financialReference', (c).financial_reference,
    'externalReference', (c).external_reference, 'requestedAt', borsello.iso((c).creation_date)));

-- What a change of references or of an address leaves behind, which is no change of state: its audit row,
-- and what the processor is told.
create function borsello.record_card_account_update(a borsello.card_account, actor text)
returns void
language sql volatile
begin atomic
  insert into borsello.audit (actor, partner_key, entity, entity_id, action, from_status, to_status)
  values (actor, (a).partner_key, 'CardAccount', (a).account_id::text, 'update', (a).status,
    (a).status);
  select borsello.tell_card_processor(
    borsello.derived_id('accountUpdate', (a).account_id, (a).version::integer),
    (a).account_id::text,
    json_build_object('kind', 'accountUpdate', 'affiliate', (a).partner_key,
      'accountId', (a).account_id, 'externalReference', (a).external_reference));
end;

create function borsello.record_card_update(c borsello.card, actor text) returns void
language sql volatile
begin atomic
  insert into borsello.audit (actor, partner_key, entity, entity_id, action, from_status, to_status)
  values (actor, (c).partner_key, 'Card', (c).card_id::text, 'update', (c).status, (c).status);
  select borsello.describe_card(c, 'update');
end;

create function borsello.record_card_address_update(d borsello.card_address, actor text)
returns void
language sql volatile
begin atomic
  insert into borsello.audit (actor, partner_key, entity, entity_id, action)
  values (actor, (d).partner_key, 'CardAddress', (d).address_id::text, 'update');
  select borsello.tell_card_processor(
    borsello.derived_id('addressUpdate', (d).address_id, (d).version::integer),
    (d).account_id::text,
    json_build_object('kind', 'addressUpdate', 'affiliate', (d).partner_key,
      'addressId', (d).address_id, 'accountId', (d).account_id, 'type', (d).type,
      'countryCode', (d).country_code, 'line1', (d).line1, 'line2', (d).line2,
      'line3', (d).line3, 'city', (d).city, 'postOffice', (d).post_office,
      'zipCode', (d).zip_code, 'province', (d).province,
      'externalReference', (d).external_reference));
end;

-- How many purchases of an account's cards are approved and not yet presented. After seven days the
-- merchant's claim to the hold is over.
create function borsello.open_card_holds(of_account uuid) returns integer
language sql stable parallel safe
return (
  select count(*)::integer
  from borsello.card as c join borsello.card_transaction as t using (card_id)
  where c.account_id = of_account and t.status = 'Authorised'
    and t.transaction_date > borsello.platform_now() - interval '7 days'
);

-- A card can be used through the whole month of its expiry date, as days are counted in Rome.
create function borsello.is_card_over(expiry_date date) returns boolean
language sql stable parallel safe
return expiry_date < date_trunc('month', borsello.rome_date(borsello.platform_now()))::date;
