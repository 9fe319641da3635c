-- The wallet, what verifies its IBAN, its contract, its mandates, and the documents of both.

create table borsello.wallet (
  wallet_id uuid primary key default uuidv7(),
  partner_key text not null references borsello.partner,
  tax_id text not null check (tax_id = upper(tax_id)),
  first_name text not null,
  last_name text not null,
  phone_number text not null,
  email text not null check (email = lower(email)),
  originating_dealer_key text not null references borsello.dealer,
  iban text,
  bic text,
  is_iban_validated boolean not null default false,
  iban_validation_code text,
  address_street text,
  address_number text,
  zip_code text,
  city text,
  province text,
  country text,
  metadata json,
  status text not null default 'Active' check (status in ('Active', 'Suspended', 'Closed')),
  creation_date timestamptz not null default borsello.platform_now(),
  last_update_date timestamptz,
  last_usage_date timestamptz,
  suspension_date timestamptz,
  reactivation_date timestamptz,
  closure_date timestamptz,
  reopening_date timestamptz,
  -- Counts the changes: each business event carries the version that it reports.
  version bigint not null default 1,
  constraint wallet_tax_id_once unique (partner_key, tax_id),
  constraint wallet_email_once unique (partner_key, email),
  constraint wallet_iban_once unique (partner_key, iban),
  constraint wallet_iban_validated check (iban is not null or not is_iban_validated)
);

-- Each IBAN that a wallet set, numbered: what its owner has to transfer, and how that ended.
create table borsello.iban_validation (
  wallet_id uuid not null references borsello.wallet,
  attempt integer not null check (attempt > 0),
  partner_key text not null references borsello.partner,
  iban text not null,
  bic text,
  code char(8) not null,
  transfer_amount_cents bigint not null check (transfer_amount_cents > 0),
  status text not null default 'Waiting'
    check (status in ('Waiting', 'Validated', 'Expired', 'Replaced')),
  requested_at timestamptz not null default borsello.platform_now(),
  expires_at timestamptz not null,
  ended_at timestamptz,
  bank_notification_id uuid,
  feedback text,
  primary key (wallet_id, attempt)
);
-- A transfer's reason names one waiting validation, and a wallet waits for one transfer.
create unique index iban_validation_code_once on borsello.iban_validation (code)
  where status = 'Waiting';
create unique index iban_validation_one_waiting on borsello.iban_validation (wallet_id)
  where status = 'Waiting';

create table borsello.contract (
  wallet_id uuid primary key references borsello.wallet,
  partner_key text not null references borsello.partner,
  attempt integer not null check (attempt > 0),
  status text not null check (status in ('Signing', 'Signed', 'Declined')),
  requested_at timestamptz not null default borsello.platform_now(),
  signed_at timestamptz,
  declined_at timestamptz,
  document_key text,
  feedback text,
  check ((status = 'Signed') = (signed_at is not null and document_key is not null))
);

-- Direct debit mandates of wallets (wallet seed, 2.6; states: contract 4.3).
create table borsello.mandate (
  mandate_id uuid primary key default uuidv7(),
  wallet_id uuid not null references borsello.wallet,
  store_id uuid,
  type text not null default 'Seda' check (type in ('Seda')),
  partner_key text not null references borsello.partner,
  -- At most 35 characters, as the scheme has it.
  mandate_unique_reference text not null check (length(mandate_unique_reference) <= 35),
  debtor_name text not null,
  debtor_iban text not null,
  amount_cents bigint not null check (amount_cents between 1000 and 25000),
  frequency text not null check (frequency in ('Weekly', 'Monthly')),
  creation_date timestamptz not null default borsello.platform_now(),
  fill_date timestamptz,
  activation_request_date timestamptz,
  activation_date timestamptz,
  disable_request_date timestamptz,
  disabled_date timestamptz,
  rejection_date timestamptz,
  status text not null default 'Draft' check (status in ('Draft', 'Filled',
    'ActivationRequested', 'Active', 'DisableRequested', 'Disabled', 'Cancelled', 'Rejected')),
  next_deposit_request_date date,
  last_deposit_requested_date timestamptz,
  address_street text,
  city text,
  last_error text,
  last_failure_date timestamptz,
  next_deposit_date date,
  last_deposit_date timestamptz,
  -- Which signature: a mandate that lapsed back to Draft is signed anew, into a document of its own.
  sign_attempt integer not null default 0,
  sign_requested_at timestamptz,
  document_key text,
  constraint mandate_reference_once unique (partner_key, mandate_unique_reference)
);
create unique index mandate_one_open on borsello.mandate (wallet_id)
  where status in ('Draft', 'Filled', 'ActivationRequested', 'Active', 'DisableRequested');
create index mandate_by_wallet on borsello.mandate (wallet_id, mandate_id);

-- Sealed PDFs: written once, never changed.
create table borsello.document (
  document_key text primary key,
  content_type text not null,
  sha256 bytea not null,
  bytes bytea not null,
  created_at timestamptz not null default now()
);
alter table borsello.document alter column bytes set storage external;
create function borsello.refuse_changing_document() returns trigger language plpgsql as $$
begin
  raise exception 'documents are written once: % is refused', tg_op
    using errcode = 'check_violation', constraint = 'document_written_once';
end $$;
create trigger document_written_once before update on borsello.document
  for each row execute function borsello.refuse_changing_document();

-- Secrets that the app makes for itself outside production and must find again: the seal's
-- self-made certificate and its key.
create table borsello.made_once (
  name text primary key,
  value json not null
);

-- Payloads of the wallet's business events (wallet seed, section 6), fields in its order.
create function borsello.wallet_event(w borsello.wallet) returns json
language sql stable parallel safe
return json_build_object(
  'walletId', w.wallet_id, 'partnerKey', w.partner_key, 'taxId', w.tax_id,
  'firstName', w.first_name, 'lastName', w.last_name, 'phoneNumber', w.phone_number,
  'email', w.email, 'creationDate', borsello.iso(w.creation_date),
  'lastUpdateDate', borsello.iso(w.last_update_date),
  'lastUsageDate', borsello.iso(w.last_usage_date),
  'closureDate', borsello.iso(w.closure_date),
  'suspensionDate', borsello.iso(w.suspension_date),
  'reactivationDate', borsello.iso(w.reactivation_date),
  'originatingDealerKey', w.originating_dealer_key
);

create function borsello.wallet_updated_event(w borsello.wallet) returns json
language sql stable parallel safe
return json_build_object(
  'walletId', w.wallet_id, 'partnerKey', w.partner_key, 'taxId', w.tax_id,
  'firstName', w.first_name, 'lastName', w.last_name, 'iban', w.iban,
  'phoneNumber', w.phone_number, 'email', w.email,
  'creationDate', borsello.iso(w.creation_date),
  'lastUpdateDate', borsello.iso(w.last_update_date),
  'lastUsageDate', borsello.iso(w.last_usage_date),
  'closureDate', borsello.iso(w.closure_date),
  'suspensionDate', borsello.iso(w.suspension_date),
  'reactivationDate', borsello.iso(w.reactivation_date),
  'originatingDealerKey', w.originating_dealer_key
);

create function borsello.wallet_attributes_event(w borsello.wallet, residence_changed boolean)
returns json
language sql stable parallel safe
return json_build_object(
  'walletId', w.wallet_id, 'partnerKey', w.partner_key, 'taxId', w.tax_id,
  'firstName', w.first_name, 'lastName', w.last_name, 'iban', w.iban,
  'phoneNumber', w.phone_number, 'email', w.email,
  'addressStreet', w.address_street, 'addressNumber', w.address_number, 'zipCode', w.zip_code,
  'city', w.city, 'province', w.province, 'country', w.country,
  'hasResidenceDataChanged', residence_changed,
  'creationDate', borsello.iso(w.creation_date),
  'lastUpdateDate', borsello.iso(w.last_update_date),
  'lastUsageDate', borsello.iso(w.last_usage_date),
  'closureDate', borsello.iso(w.closure_date),
  'suspensionDate', borsello.iso(w.suspension_date),
  'reactivationDate', borsello.iso(w.reactivation_date),
  'originatingDealerKey', w.originating_dealer_key
);

-- The records that the API answers, every field present.
create function borsello.wallet_record(w borsello.wallet) returns json
language sql stable parallel safe
return json_build_object(
  'walletId', w.wallet_id, 'partnerKey', w.partner_key, 'taxId', w.tax_id,
  'firstName', w.first_name, 'lastName', w.last_name, 'iban', w.iban, 'bic', w.bic,
  'isIbanValidated', w.is_iban_validated, 'ibanValidationCode', w.iban_validation_code,
  'phoneNumber', w.phone_number, 'email', w.email,
  'creationDate', borsello.iso(w.creation_date),
  'lastUpdateDate', borsello.iso(w.last_update_date),
  'lastUsageDate', borsello.iso(w.last_usage_date),
  'closureDate', borsello.iso(w.closure_date),
  'suspensionDate', borsello.iso(w.suspension_date),
  'originatingDealerKey', w.originating_dealer_key,
  'addressStreet', w.address_street, 'addressNumber', w.address_number, 'zipCode', w.zip_code,
  'city', w.city, 'province', w.province, 'country', w.country, 'status', w.status,
  'metadata', w.metadata
);

create function borsello.mandate_record(m borsello.mandate) returns json
language sql stable parallel safe
return json_build_object(
  'mandateId', m.mandate_id, 'walletId', m.wallet_id, 'storeId', m.store_id, 'type', m.type,
  'partnerKey', m.partner_key, 'mandateUniqueReference', m.mandate_unique_reference,
  'debtorName', m.debtor_name, 'debtorIban', m.debtor_iban,
  'amount', borsello.money(m.amount_cents), 'frequency', m.frequency,
  'creationDate', borsello.iso(m.creation_date), 'fillDate', borsello.iso(m.fill_date),
  'activationRequestDate', borsello.iso(m.activation_request_date),
  'activationDate', borsello.iso(m.activation_date),
  'disableRequestDate', borsello.iso(m.disable_request_date),
  'disabledDate', borsello.iso(m.disabled_date),
  'rejectionDate', borsello.iso(m.rejection_date), 'status', m.status,
  'nextDepositRequestDate', m.next_deposit_request_date,
  'lastDepositRequestedDate', borsello.iso(m.last_deposit_requested_date),
  'addressStreet', m.address_street, 'city', m.city, 'lastError', m.last_error,
  'lastFailureDate', borsello.iso(m.last_failure_date),
  'nextDepositDate', m.next_deposit_date, 'lastDepositDate', borsello.iso(m.last_deposit_date)
);
