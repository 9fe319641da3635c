-- The bank's side: requests to it, notifications from it; and how business events are written.

-- Two flat JSON objects as one.
create function borsello.json_with(base json, more json) returns json
language sql immutable parallel safe
return (
  select json_object_agg(key, value) from (
    select key, value from json_each(base) union all select key, value from json_each(more)
  ) as field
);

-- What the platform asks of the bank. `notify_*` name the flow that waits for the outcome.
create table borsello.bank_request (
  request_id uuid primary key,
  kind text not null check (kind in (
    'transfer', 'payment', 'mandateActivation', 'mandateRevocation', 'directDebit', 'return')),
  partner_key text not null references borsello.partner,
  wallet_id uuid,
  mandate_id uuid,
  payload json not null,
  status text not null default 'Requested' check (status in (
    'Requested', 'Accepted', 'Booked', 'Refused', 'Returned')),
  notify_instance_id text not null,
  notify_event text not null,
  requested_at timestamptz not null default borsello.platform_now(),
  reason_code text,
  transaction_reference text,
  booking_date date,
  last_outcome_at timestamptz
);
create index bank_request_by_mandate on borsello.bank_request (mandate_id, kind, requested_at)
  where mandate_id is not null;

-- Writes a bank request and its message, once per request id; true when it was not there before.
-- Called inside the statement of its cause, whose main query must read the result: PostgreSQL
-- leaves out a WITH query that only selects and that nothing reads.
create function borsello.request_bank(
  request_id uuid, kind text, partner_key text, wallet_id uuid, mandate_id uuid, payload json,
  notify_instance_id text, notify_event text
) returns boolean
language sql volatile
begin atomic
  with made as (
    insert into borsello.bank_request (request_id, kind, partner_key, wallet_id, mandate_id,
      payload, notify_instance_id, notify_event)
    values ($1, $2, $3, $4, $5, $6, $7, $8)
    on conflict do nothing
    returning bank_request.request_id
  ), queued as (
    insert into borsello.outbox (message_id, destinations, session_id, subject, body)
    select made.request_id, '{bank-requests}', coalesce($4, made.request_id)::text, 'BankRequest',
      borsello.json_with(json_build_object('requestId', $1, 'kind', $2), $6)
    from made
    returning 1
  )
  select exists (select from queued);
end;

-- Credits that the bank reports (wallet seed, 2.9; states: contract 4.4).
create table borsello.bank_notification (
  bank_notification_id uuid primary key default uuidv7(),
  partner_key text references borsello.partner,
  type text not null check (type in (
    'IncomingSctStandard', 'IncomingSctInstant', 'IncomingReconciliation', 'IncomingSdd')),
  status text not null default 'Received' check (status in (
    'Received', 'Accepted', 'Processing', 'PartiallyConsumed', 'Consumed', 'Failed',
    'RejectionRequested', 'Rejected')),
  feedback text,
  attempts integer not null default 0,
  creation_date timestamptz not null default borsello.platform_now(),
  reception_date timestamptz not null,
  acceptance_date timestamptz,
  last_update_date timestamptz not null default borsello.platform_now(),
  creditor_name text,
  creditor_iban text not null,
  debtor_name text not null,
  debtor_iban text not null,
  amount_cents bigint not null check (amount_cents > 0),
  reason text not null,
  transaction_reference text not null,
  payment_gateway_reference text,
  reconciliation_code text,
  reconciliation_type text not null default 'None' check (reconciliation_type in (
    'IbanValidation', 'WalletDeposit', 'StoreReconciliation', 'Mandate', 'Return', 'None')),
  wallet_id uuid,
  store_id uuid,
  operation_id uuid,
  incoming_payment_id uuid,
  metadata json,
  consumed_amount_cents bigint not null default 0
    check (consumed_amount_cents between 0 and amount_cents),
  constraint bank_notification_once
    unique nulls not distinct (transaction_reference, payment_gateway_reference)
);
create index bank_notification_by_date on borsello.bank_notification
  (partner_key, creation_date, bank_notification_id);

-- Writes a business event (contract 0.3): frozen body, to the partner's topic and to the flows.
create function borsello.publish_event(
  subject text, partner_key text, session_id text, entity_version bigint, payload json
) returns void
language sql volatile
begin atomic
  insert into borsello.outbox (message_id, destinations, session_id, subject, partner_key,
    entity_version, body)
  select fresh.message_id, array[$2, 'platform-events'], $3, $1, $2, $4,
    borsello.event_body(fresh.message_id, borsello.platform_now(), $5)
  from (select uuidv7() as message_id) as fresh;
end;
