-- Support tickets and what was said and done about them.

create table borsello.ticket (
  -- What callers know it by; drawn at random, so that it tells nothing about other tickets.
  case_number text collate "C" primary key,
  -- Orders the tickets of one millisecond.
  ticket_id bigint generated always as identity unique,
  partner_key text not null references borsello.partner,
  wallet_id uuid references borsello.wallet on delete set null,
  external_id text,
  product text not null check (product in ('wallet', 'cards')),
  impact text check (impact in ('isolato', 'massivo')),
  request_type text not null check (request_type in ('Consumer', 'Alert', 'Business')),
  -- What lists and details call the type.
  type text not null generated always as
    (case request_type when 'Consumer' then 'Wallet' else 'Management' end) stored,
  category text not null,
  title text,
  description text not null,
  priority smallint not null check (priority between 0 and 3),
  status text not null default 'New' check (status in
    ('New', 'In progress', 'WaitingForCustomer', 'Resolved', 'Closed', 'Canceled', 'Rejected')),
  -- The partner's settings of the day: how long the platform has, how long a resolved ticket stays open.
  sla interval not null,
  silence interval not null,
  creation_date timestamptz not null default borsello.platform_now(),
  -- Stands still, and means nothing, while the ticket waits for the customer.
  expiration_date timestamptz not null,
  expired_on timestamptz,
  taken_in_charge_on timestamptz,
  resolved_date timestamptz,
  -- When a resolved ticket closes unless somebody stirs.
  closes_on timestamptz,
  closure_date timestamptz,
  closure_response text,
  -- The date of the timeline's last entry. A change that waited for this row began before the one that
  -- it waited for ended: its entry takes the later of the two dates, so that time never runs back.
  entered_on timestamptz not null default borsello.platform_now(),
  -- Counts the changes of status: each business event carries the version that it reports.
  version bigint not null default 1,
  -- When the flow has to act next; null: only somebody's call moves the ticket.
  due_on timestamptz generated always as (case
    when status in ('New', 'In progress') and expired_on is null then expiration_date
    when status = 'Resolved' then closes_on end) stored,
  check ((status in ('Closed', 'Canceled')) = (closure_date is not null)),
  check ((status = 'Resolved') = (closes_on is not null))
);
-- The pages of the lists, far ones too, are found in these without a look at the tickets before them.
create index ticket_list on borsello.ticket (partner_key, status, creation_date, ticket_id);
create index ticket_list_by_type on borsello.ticket
  (partner_key, status, type, creation_date, ticket_id);
create index ticket_by_wallet on borsello.ticket (wallet_id, creation_date, ticket_id);
create index ticket_due on borsello.ticket (due_on) where due_on is not null;

-- An entry as the API answers it; nothing that it is made of ever changes.
create function borsello.timeline_item(created_by text, created_on timestamptz, text text)
returns text language sql immutable parallel safe
return json_build_object('createdby', created_by, 'createdon', borsello.iso(created_on),
  'text', text)::text;

create table borsello.ticket_timeline (
  case_number text collate "C" not null references borsello.ticket on delete cascade,
  -- Entries are added under the ticket's lock, so they lie in the order of time.
  entry_id bigint generated always as identity,
  created_by text not null,
  -- The ticket's entered_on at that moment.
  created_on timestamptz not null,
  text text not null,
  -- Written out once, so that thousands of entries are answered as fast as they can be read.
  item text not null generated always as
    (borsello.timeline_item(created_by, created_on, text)) stored,
  primary key (case_number, entry_id)
);

-- The objects that the API answers, fields in the order of the ticketing seed.
create function borsello.ticket_summary(t borsello.ticket) returns json
language sql stable parallel safe
return json_build_object(
  'casenumber', t.case_number, 'externalID', t.external_id, 'type', t.type,
  'walletID', t.wallet_id, 'subject', t.title, 'status', t.status,
  'creationDate', borsello.iso(t.creation_date), 'closureDate', borsello.iso(t.closure_date),
  'closureResponse', t.closure_response, 'priority', t.priority::text,
  'takenInChargeOn', borsello.iso(t.taken_in_charge_on)
);

create function borsello.ticket_detail(t borsello.ticket) returns json
language sql stable parallel safe
return json_build_object(
  'casenumber', t.case_number, 'externalID', t.external_id, 'type', t.type,
  'walletID', t.wallet_id, 'subject', t.title, 'status', t.status, 'partner', t.partner_key,
  'openingDate', borsello.iso(t.creation_date),
  'expirationDate', borsello.iso(t.expiration_date),
  'resolvedDate', borsello.iso(t.resolved_date), 'closureDate', borsello.iso(t.closure_date),
  'closureResponse', t.closure_response, 'priority', t.priority::text,
  'takenInChargeOn', borsello.iso(t.taken_in_charge_on)
);

-- Payloads of the business events.
create function borsello.ticket_created_event(t borsello.ticket) returns json
language sql stable parallel safe
return json_build_object(
  'casenumber', t.case_number, 'partnerKey', t.partner_key, 'externalID', t.external_id,
  'type', t.type, 'walletID', t.wallet_id, 'product', t.product, 'impact', t.impact,
  'category', t.category, 'subject', t.title, 'status', t.status, 'priority', t.priority::text,
  'openingDate', borsello.iso(t.creation_date),
  'expirationDate', borsello.iso(t.expiration_date)
);

create function borsello.ticket_status_event(t borsello.ticket, previous_status text, changed_by text)
returns json
language sql stable parallel safe
return json_build_object(
  'casenumber', t.case_number, 'partnerKey', t.partner_key, 'externalID', t.external_id,
  'type', t.type, 'walletID', t.wallet_id, 'subject', t.title,
  'previousStatus', previous_status, 'status', t.status, 'changedBy', changed_by,
  'expirationDate', borsello.iso(t.expiration_date),
  'takenInChargeOn', borsello.iso(t.taken_in_charge_on),
  'resolvedDate', borsello.iso(t.resolved_date), 'closureDate', borsello.iso(t.closure_date),
  'closureResponse', t.closure_response
);
