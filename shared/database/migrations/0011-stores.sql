-- Dealers' stores, and the mandates by which stores are debited.

create table borsello.store (
  store_id uuid primary key default uuidv7(),
  partner_key text not null references borsello.partner,
  dealer_key text not null references borsello.dealer,
  name text not null,
  type text,
  city text not null,
  address text not null,
  -- The store's own account in the ledger.
  account_id bigint not null unique references borsello.account,
  owner_iban text,
  owner_name text,
  email text not null,
  phone_number text not null,
  code text not null,
  latitude double precision,
  longitude double precision,
  is_active boolean not null default true,
  metadata json,
  creation_date timestamptz not null default borsello.platform_now(),
  last_update_date timestamptz,
  -- Operations and mandates go on naming a store that was deleted; nothing else shows it.
  deletion_date timestamptz,
  -- Counts the changes: each business event carries the version that it reports.
  version bigint not null default 1,
  constraint store_deleted_is_inactive check (deletion_date is null or not is_active)
);
-- The code of a deleted store is free again.
create unique index store_code_once on borsello.store (dealer_key, code, partner_key)
  where deletion_date is null;
create index store_by_dealer on borsello.store (dealer_key, creation_date, store_id)
  where deletion_date is null;

-- What the audit calls a store's state.
create function borsello.store_state(s borsello.store) returns text
language sql immutable parallel safe
return case when s.deletion_date is not null then 'Deleted' when s.is_active then 'Active'
  else 'Inactive' end;

create function borsello.store_record(s borsello.store) returns json
language sql stable parallel safe
return json_build_object(
  'storeId', s.store_id, 'dealerKey', s.dealer_key, 'partnerKey', s.partner_key, 'name', s.name,
  'type', s.type, 'creationDate', borsello.iso(s.creation_date), 'city', s.city,
  'address', s.address, 'accountId', s.account_id::text, 'ownerIban', s.owner_iban,
  'ownerName', s.owner_name, 'email', s.email, 'phoneNumber', s.phone_number, 'code', s.code,
  'latitude', s.latitude, 'longitude', s.longitude, 'isActive', s.is_active,
  'lastUpdateDate', borsello.iso(s.last_update_date), 'metadata', s.metadata
);

-- Payload of StoreCreated, StoreUpdated and StoreDeleted (wallet seed, section 6).
create function borsello.store_event(s borsello.store) returns json
language sql stable parallel safe
return json_build_object(
  'storeId', s.store_id, 'dealerKey', s.dealer_key, 'partnerKey', s.partner_key, 'name', s.name,
  'type', s.type, 'city', s.city, 'address', s.address, 'accountId', s.account_id::text,
  'email', s.email, 'phoneNumber', s.phone_number, 'code', s.code, 'latitude', s.latitude,
  'longitude', s.longitude, 'isActive', s.is_active,
  'creationDate', borsello.iso(s.creation_date),
  'lastUpdateDate', borsello.iso(s.last_update_date)
);

-- Money that moved at a store and still has to be settled with it.
create index operation_unsettled_by_store on borsello.operation (store_id)
  where store_id is not null and status not in (
    'Completed', 'Cancelled', 'Expired', 'Terminated', 'OutgoingPaymentRejected');
create index bank_notification_open_by_store on borsello.bank_notification (store_id)
  where store_id is not null and status not in ('Consumed', 'Rejected');

create function borsello.unsettled_operations(of_store uuid) returns bigint
language sql stable
return (
  select count(*) from borsello.operation where store_id = of_store and status not in (
    'Completed', 'Cancelled', 'Expired', 'Terminated', 'OutgoingPaymentRejected')
);

create function borsello.open_store_notifications(of_store uuid) returns bigint
language sql stable
return (
  select count(*) from borsello.bank_notification
  where store_id = of_store and status not in ('Consumed', 'Rejected')
);

-- A mandate is a wallet's or a store's. A store is debited whatever it owes, whenever that is due,
-- so its mandate has neither amount nor frequency.
alter table borsello.mandate
  alter column wallet_id drop not null,
  alter column amount_cents drop not null,
  alter column frequency drop not null,
  add constraint mandate_of_store foreign key (store_id) references borsello.store,
  add constraint mandate_of_wallet_or_store check (
    case when store_id is null then
      wallet_id is not null and amount_cents is not null and frequency is not null
    else wallet_id is null and amount_cents is null and frequency is null end);
create unique index mandate_one_open_per_store on borsello.mandate (store_id)
  where status in ('Draft', 'Filled', 'ActivationRequested', 'Active', 'DisableRequested');
create index mandate_by_store on borsello.mandate (store_id, mandate_id)
  where store_id is not null;
