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

-- A partner's messages are numbered 1, 2, 3 … without a gap: by relays alone, as they claim them, so that no
-- command waits for another one's number.
create table borsello.partner_sequence (
  partner_key text primary key,
  last_sequence bigint not null
);

-- Numbers that were given and are not yet written into their message: committed before anything is sent,
-- so that a message which is sent again after a crash carries the number that it had.
create table borsello.given_sequence (
  outbox_id bigint primary key,
  sequence bigint not null
);

-- Null: not claimed yet, or not for a partner's topic.
alter table borsello.outbox add column sequence bigint;
update borsello.outbox as o set sequence = numbered.sequence
from (
  select outbox_id, row_number() over (partition by partner_key order by outbox_id) as sequence
  from borsello.outbox where partner_key = any (destinations)
) as numbered
where o.outbox_id = numbered.outbox_id;
insert into borsello.partner_sequence
select partner_key, max(sequence) from borsello.outbox where sequence is not null group by partner_key;
drop index borsello.outbox_events;
create unique index outbox_by_sequence on borsello.outbox (partner_key, sequence)
  where sequence is not null;

-- The numbers of claimed messages: those that they have, else the next ones of their partners, in the
-- order in which they were written. Only whoever holds the messages' sessions may ask: nobody else
-- gives them numbers meanwhile, and this statement sees whatever was given before.
create function borsello.number_messages(claimed bigint[])
returns table (outbox_id bigint, sequence bigint)
language sql volatile
begin atomic
  with message as (
    select o.outbox_id, o.partner_key, coalesce(o.sequence, g.sequence) as sequence
    from borsello.outbox as o left join borsello.given_sequence as g using (outbox_id)
    where o.outbox_id = any (claimed)
  ), counted as (
    insert into borsello.partner_sequence as p (partner_key, last_sequence)
    select partner_key, count(*) from message where message.sequence is null
    group by partner_key order by partner_key
    on conflict (partner_key) do update set last_sequence = p.last_sequence + excluded.last_sequence
    returning partner_key, last_sequence
  ), given as (
    insert into borsello.given_sequence as g (outbox_id, sequence)
    select m.outbox_id, last_sequence - count(*) over of_partner
      + row_number() over (of_partner order by m.outbox_id)
    from message as m join counted using (partner_key)
    where m.sequence is null
    window of_partner as (partition by partner_key)
    returning g.outbox_id, g.sequence
  )
  select message.outbox_id, message.sequence from message where message.sequence is not null
  union all
  select given.outbox_id, given.sequence from given;
end;

-- The oldest waiting messages of sessions that no other relay holds: their sessions are the transaction's
-- until it ends. The walk passes by what others hold, so that two relays find work side by side, and asks
-- for no more sessions than it can serve. Messages are read after their session was taken: were both one,
-- a relay that gives a session back meanwhile would leave it with a later message and without an earlier one.
create function borsello.claim_messages(suspended text[], messages_max integer, lock_space integer)
returns setof borsello.outbox
language plpgsql as $$
declare
  mine text[];
  last_candidate bigint;
begin
  with candidate as materialized (
    select outbox_id, session_id from borsello.outbox
    where sent_at is null and not destinations <@ (delivered_to || suspended)
      and pg_try_advisory_xact_lock(lock_space, hashtext(session_id))
    order by outbox_id limit messages_max
  )
  select max(outbox_id), array_agg(distinct session_id) into last_candidate, mine from candidate;
  return query
    select o.* from unnest(mine) as held (session_id) join borsello.outbox as o using (session_id)
    where o.sent_at is null and o.outbox_id <= last_candidate
      and not o.destinations <@ (o.delivered_to || suspended)
    order by o.outbox_id limit messages_max
    for no key update of o;
end $$;
