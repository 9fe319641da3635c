-- First answers to calls with an Idempotency-Key, kept for a day; and the numbers of a partner's messages.

-- The answer that a key's repeats get, word for word. Written in the transaction of the command that it
-- answers, so that neither is ever there without the other.
create table borsello.kept_answer (
  partner_key text not null,
  -- The route's id: a key that was used on one route is a fresh one on another.
  route text not null,
  idempotency_key text not null,
  request_hash bytea not null,
  status smallint not null,
  body text not null,
  kept_until timestamptz not null default borsello.platform_now() + interval '24 hours',
  primary key (partner_key, route, idempotency_key)
);
create index kept_answer_expiry on borsello.kept_answer (kept_until);

-- Takes a key for the transaction that asks. `state` is 'free' (the caller answers and keeps), 'inUse'
-- (another transaction has it), 'reused' (another request was answered) or 'kept'. The look-up is a
-- statement of its own, so that it sees what was committed before the lock was given back.
create function borsello.take_idempotency_key(
  of_partner text, of_route text, given_key text, hash bytea,
  out state text, out status smallint, out body text)
language plpgsql as $$
declare
  kept borsello.kept_answer;
begin
  if not pg_try_advisory_xact_lock(
    hashtextextended(concat_ws(' ', of_partner, of_route, given_key), 30)) then
    state := 'inUse';
    return;
  end if;
  select * into kept from borsello.kept_answer as k
  where k.partner_key = of_partner and k.route = of_route and k.idempotency_key = given_key
    and k.kept_until > borsello.platform_now();
  if not found then
    state := 'free';
  elsif kept.request_hash <> hash then
    state := 'reused';
  else
    state := 'kept';
    status := kept.status;
    body := kept.body;
  end if;
end $$;
