-- What every aggregate stands on: partners, time, outbox, audit.

create table borsello.partner (
  partner_key text primary key,
  client_id text not null unique,
  client_secret_salt bytea not null,
  client_secret_hash bytea not null,
  auth_key_salt bytea not null,
  auth_key_hash bytea not null,
  roles text[] not null,
  is_operator boolean not null default false,
  settings jsonb not null default '{}'
);

create table borsello.dealer (
  partner_key text not null references borsello.partner,
  dealer_key text not null,
  primary key (dealer_key)
);
create index dealer_by_partner on borsello.dealer (partner_key);

-- The sandbox's clock: one row, only ever moved forward.
create table borsello.sandbox_clock (
  only_row boolean primary key default true check (only_row),
  offset_ms bigint not null default 0 check (offset_ms >= 0)
);
insert into borsello.sandbox_clock default values;

-- Platform time: the transaction's wall time plus the sandbox's offset. Every date that a caller
-- reads comes from here; leases and locks stay on wall time.
create function borsello.platform_now() returns timestamptz
language sql stable parallel safe
return date_trunc('milliseconds', now())
  + (select offset_ms from borsello.sandbox_clock) * interval '1 millisecond';

-- A date-time as the APIs and events write it: UTC, milliseconds, Z.
create function borsello.iso(at timestamptz) returns text
language sql immutable parallel safe
return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- Cents as the JSON number of the edge: 12345 -> 123.45.
create function borsello.money(cents bigint) returns numeric
language sql immutable parallel safe
return trim_scale(cents / 100.0);

-- Messages that must leave: business events, bank requests, flow commands. Written in the
-- transaction of the change, sent by the relay, then kept as the event log.
create table borsello.outbox (
  outbox_id bigint generated always as identity primary key,
  message_id uuid not null unique default uuidv7(),
  -- Entities to send to, in this order: the partner's topic, then platform-events; or one queue.
  destinations text[] not null check (cardinality(destinations) > 0),
  session_id text not null,
  subject text not null,
  partner_key text,
  entity_version bigint,
  -- Frozen here: every delivery carries this text. The limit keeps it within the broker's 256 kB.
  body json not null check (octet_length(body::text) < 200000),
  created_at timestamptz not null default now(),
  -- Destinations that acknowledged it; one that is unreachable does not hold up the others.
  delivered_to text[] not null default '{}',
  sent_at timestamptz,
  attempts integer not null default 0
);
create index outbox_waiting on borsello.outbox (outbox_id) where sent_at is null;
create index outbox_events on borsello.outbox (partner_key, outbox_id) where partner_key is not null;

-- The envelope of a business event (wallet seed, section 6) around its payload, as one flat object.
-- `id` is the message id; messagePublishDate is the time of the change, so every delivery is the same.
create function borsello.event_body(event_id uuid, at timestamptz, payload json) returns json
language sql immutable parallel safe
return (
  select json_object_agg(key, value) from (
    select key, value from json_each(json_build_object(
      'messageVersion', 1, 'messagePublisher', 'Borsello', 'timestamp', borsello.iso(at),
      'id', event_id, 'messageCreationDate', borsello.iso(at),
      'messagePublishDate', borsello.iso(at), 'isLastRetry', false))
    union all
    select key, value from json_each(payload)
  ) as fields
);

-- Who changed what: one row for every change of state, written in its transaction.
create table borsello.audit (
  audit_id bigint generated always as identity primary key,
  at timestamptz not null default borsello.platform_now(),
  actor text not null,
  partner_key text,
  entity text not null,
  entity_id text not null,
  action text not null,
  from_status text,
  to_status text,
  detail json
);
create index audit_by_entity on borsello.audit (entity, entity_id, audit_id);
