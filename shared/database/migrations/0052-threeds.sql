-- 3-D Secure: assessed transactions, their challenges, the devices of card holders (card seed, 4.3;
-- contract 4.5 and 5).

create table borsello.threeds_transaction (
  threeds_id uuid primary key default uuidv7(),
  -- The access control server's own.
  transaction_id text not null unique,
  partner_key text not null references borsello.partner,
  card_id uuid not null references borsello.card,
  status text not null default 'Assessed' check (status in
    ('Assessed', 'DeviceListed', 'OobRaised', 'Authenticated', 'NotAuthenticated', 'TimedOut')),
  -- What was asked, whole: the same again gets the same answer.
  request jsonb not null,
  risk_level text not null check (risk_level in ('LOW', 'MEDIUM', 'HIGH')),
  -- Why it may pass without a challenge; null: it may not.
  exemption text check (exemption in ('trustedMerchant', 'riskAnalysis', 'lowValue')),
  -- The device that is challenged, or was.
  device_id text,
  raised_at timestamptz,
  expires_at timestamptz,
  -- Null: the push has not left, or did not arrive.
  delivered_at timestamptz,
  auth_method text,
  resolved_at timestamptz,
  creation_date timestamptz not null default borsello.platform_now(),
  version bigint not null default 1,
  constraint threeds_raised_whole check (status in ('Assessed', 'DeviceListed')
    or (device_id is not null and raised_at is not null and expires_at is not null)),
  constraint threeds_resolved_whole check (
    (resolved_at is not null) = (status in ('Authenticated', 'NotAuthenticated', 'TimedOut')))
);
create index threeds_open on borsello.threeds_transaction (raised_at, threeds_id)
  where status = 'OobRaised';
create index threeds_to_forget on borsello.threeds_transaction (partner_key, creation_date)
  where status <> 'OobRaised';

-- What passed for its low value since the card holder was last authenticated (RTS, art. 16). The row is the
-- lock of a card's assessments.
create table borsello.threeds_low_value (
  card_id uuid primary key references borsello.card,
  uses integer not null default 0,
  sum_cents bigint not null default 0
);

-- The devices that somebody gave a card holder, all of them at once.
create table borsello.card_holder_devices (
  partner_key text not null references borsello.partner,
  customer_id uuid not null,
  devices json not null,
  primary key (partner_key, customer_id)
);

-- What the sandbox has pushed: once for each raise.
create table borsello.sandbox_push (
  threeds_id uuid not null references borsello.threeds_transaction on delete cascade,
  raised_version bigint not null,
  device_id text not null,
  message json not null,
  is_delivered boolean not null,
  pushed_at timestamptz not null default borsello.platform_now(),
  primary key (threeds_id, raised_version)
);

create function borsello.audit_threeds(
  t borsello.threeds_transaction, actor text, action text, from_status text
) returns void
language sql volatile
begin atomic
  insert into borsello.audit
    (actor, partner_key, entity, entity_id, action, from_status, to_status, detail)
  values (actor, (t).partner_key, 'ThreeDs', (t).threeds_id::text, action, from_status, (t).status,
    json_build_object('transactionId', (t).transaction_id, 'cardId', (t).card_id));
end;

create function borsello.tell_challenge(subject text, t borsello.threeds_transaction) returns void
language sql volatile
begin atomic
  select borsello.tell_flows(subject, (t).threeds_id::text,
    json_build_object('threeDsId', (t).threeds_id, 'partnerKey', (t).partner_key));
end;

-- Ends an open challenge, once; by its time alone only where that has come. Whether it did.
create function borsello.resolve_challenge(
  of_threeds uuid, next_status text, method text, by_whom text
) returns boolean
language plpgsql volatile as $$
declare
  t borsello.threeds_transaction;
begin
  update borsello.threeds_transaction set status = next_status, auth_method = method,
    resolved_at = borsello.platform_now(), version = version + 1
  where threeds_id = of_threeds and status = 'OobRaised'
    and (expires_at <= borsello.platform_now()) = (next_status = 'TimedOut')
  returning * into t;
  if not found then
    return false;
  end if;
  if next_status = 'Authenticated' then
    update borsello.threeds_low_value set uses = 0, sum_cents = 0 where card_id = t.card_id;
  end if;
  perform borsello.audit_threeds(t, by_whom, 'resolve', 'OobRaised');
  perform borsello.tell_challenge('ChallengeResolved', t);
  perform borsello.publish_event('ThreeDsResolved', t.partner_key, t.card_id::text, t.version,
    json_build_object('partnerKey', t.partner_key, 'transactionId', t.transaction_id,
      'cardId', t.card_id, 'status', t.status, 'previousStatus', 'OobRaised',
      'authMethod', t.auth_method, 'resolvedAt', borsello.iso(t.resolved_at),
      'riskLevel', t.risk_level));
  return true;
end $$;

-- Runs that the card platform has.
alter table borsello.flow_run
  drop constraint flow_run_flow_check,
  add constraint flow_run_flow_check check (flow in ('Harvestings', 'AccountingOperations',
    'BankNotifications', 'MandateDepositRequest', 'StoreMandates', 'SddStoresCompensation',
    'ThreeDsCleanup', 'Clearing', 'ClearingExport'));
