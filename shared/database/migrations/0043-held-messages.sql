-- A message that its destination refuses for its own sake holds back its own session there, and nobody else.

-- While it is tried again, all that follows it in its session waits behind it, at this destination alone.
-- Once it is given up on the session goes on; the message stays in the outbox, unsent, until somebody asks
-- for it. By wall time, as all waiting for the broker.
create table borsello.held_message (
  outbox_id bigint not null,
  destination text not null,
  session_id text not null,
  -- Attempts that were refused.
  failures integer not null default 1,
  error text not null,
  first_failed_at timestamptz not null default clock_timestamp(),
  last_failed_at timestamptz not null default clock_timestamp(),
  -- Null: not tried any more.
  next_attempt_at timestamptz,
  given_up_at timestamptz,
  primary key (outbox_id, destination)
);
create index held_message_session on borsello.held_message (session_id);
create index held_message_due on borsello.held_message (next_attempt_at) where next_attempt_at is not null;

-- Of this message nothing can be sent until what holds it is gone: the index of what waits passes it by.
alter table borsello.outbox add column held boolean not null default false;
drop view borsello.outbox_line;
drop index borsello.outbox_waiting_towards;
drop index borsello.outbox_waiting_session;
create index outbox_waiting_towards
  on borsello.outbox (array_remove(destinations, delivered_to[1]), outbox_id) where sent_at is null and not held;
create index outbox_waiting_session
  on borsello.outbox (session_id, outbox_id) where sent_at is null and not held;
create index outbox_held on borsello.outbox (session_id, outbox_id) where sent_at is null and held;

-- Where messages have yet to go, with the first one of each: a step in the index for each, however many wait.
create view borsello.outbox_line as
with recursive line as (
  (select array_remove(destinations, delivered_to[1]) as towards, outbox_id
  from borsello.outbox where sent_at is null and not held
  order by array_remove(destinations, delivered_to[1]), outbox_id limit 1)
  union all
  select following.* from line cross join lateral (
    select array_remove(destinations, delivered_to[1]), outbox_id
    from borsello.outbox
    where sent_at is null and not held and array_remove(destinations, delivered_to[1]) > line.towards
    order by array_remove(destinations, delivered_to[1]), outbox_id limit 1
  ) as following
)
select towards, outbox_id as first_id from line;

-- Where this message cannot be sent: behind another one of its session that is held there, or held or given
-- up on itself.
create function borsello.held_at(of_message bigint, of_session text) returns text[]
language sql stable
return array(
  select destination from borsello.held_message
  where session_id = of_session and (given_up_at is null or outbox_id = of_message));

-- The oldest waiting messages of sessions that no other relay holds, without those that have only
-- destinations which are avoided or where they are held, or those alone which go to one. Their sessions are the
-- connection's until it gives them back, so that no transaction is open while they are sent. The walk passes by
-- what others hold, so that two relays find work side by side, and asks for no more sessions than it can serve.
-- Messages, and what holds them, are read after their session was taken: were both one, a relay that gives a
-- session back meanwhile would leave it with a later message and without an earlier one.
drop function borsello.take_messages;
create function borsello.take_messages(
  avoided text[], only_to text, messages_max integer, lock_space integer)
returns table (
  outbox_id bigint, message_id uuid, destinations text[], delivered_to text[], session_id text, subject text,
  partner_key text, entity_version bigint, body json, created_at timestamptz, attempts integer, held_at text[])
language plpgsql as $$
#variable_conflict use_column
declare
  line text[];
  -- Where messages of this line may be sent now.
  open_to text[];
  -- Mostly not: then nobody looks for each message.
  any_held boolean := exists (select from borsello.held_message);
  taken text[] := '{}';
  more text[];
  found_count bigint := 0;
  more_count bigint;
  last_candidate bigint := 0;
  more_last bigint;
begin
  for line in
    select towards from borsello.outbox_line
    where not towards <@ avoided and (only_to is null or only_to = any (towards)) order by first_id
  loop
    open_to := array(select unnest(line) except select unnest(avoided));
    if only_to is not null then open_to := array[only_to]; end if;
    -- Locks are asked for in order, one by one, whatever plan reads the rows.
    with candidate as materialized (
      select outbox_id, session_id from (
        select outbox_id, session_id from borsello.outbox as o
        where sent_at is null and not held and array_remove(destinations, delivered_to[1]) = line
          and (not any_held or not open_to <@ borsello.held_at(outbox_id, session_id))
        order by outbox_id offset 0
      ) as waiting
      where pg_try_advisory_lock(lock_space, hashtext(session_id))
      limit messages_max - found_count
    )
    select count(*), max(outbox_id), array_agg(distinct session_id)
    into more_count, more_last, more from candidate;
    found_count := found_count + more_count;
    last_candidate := greatest(last_candidate, more_last);
    taken := taken || more;
    exit when found_count >= messages_max;
  end loop;
  any_held := exists (select from borsello.held_message);
  return query
    select o.outbox_id, o.message_id, o.destinations, o.delivered_to, o.session_id, o.subject,
      o.partner_key, o.entity_version, o.body, o.created_at, o.attempts, there.held_at
    from (select distinct unnest(taken) as session_id) as mine
      join borsello.outbox as o using (session_id)
      cross join lateral (
        select case when any_held then borsello.held_at(o.outbox_id, o.session_id) else '{}' end
        offset 0
      ) as there (held_at)
    where o.sent_at is null and not o.held and o.outbox_id <= last_candidate
      and not o.destinations <@ (o.delivered_to || avoided || there.held_at)
      and (only_to is null or (only_to = any (array_remove(o.destinations, o.delivered_to[1]))
        and only_to <> all (there.held_at)))
    order by o.outbox_id limit messages_max;
end $$;

-- Refused messages, with the waits after each attempt but the last. Only whoever holds their sessions may say
-- so. Whatever else was claimed with them and cannot be sent either rests, so that no round looks at it.
create function borsello.hold_messages(
  refused bigint[], refusing text[], errors text[], waits interval[], claimed bigint[])
returns table (outbox_id bigint, destination text, failures integer, given_up_at timestamptz)
language plpgsql as $$
#variable_conflict use_column
begin
  return query
    insert into borsello.held_message as h
      (outbox_id, destination, session_id, error, next_attempt_at)
    select refusal.outbox_id, refusal.destination, o.session_id, refusal.error, clock_timestamp() + waits[1]
    from unnest(refused, refusing, errors) as refusal (outbox_id, destination, error)
      join borsello.outbox as o using (outbox_id)
    on conflict (outbox_id, destination) do update set
      failures = h.failures + 1,
      error = excluded.error,
      last_failed_at = clock_timestamp(),
      next_attempt_at = case when h.given_up_at is null
        then clock_timestamp() + waits[h.failures + 1] end,
      given_up_at = case when h.failures < cardinality(waits) then h.given_up_at
        else coalesce(h.given_up_at, clock_timestamp()) end
    returning h.outbox_id, h.destination, h.failures, h.given_up_at;
  update borsello.outbox as o set held = true
  where o.outbox_id = any (claimed) and o.sent_at is null and not o.held
    and o.destinations <@ (o.delivered_to || borsello.held_at(o.outbox_id, o.session_id));
end $$;

-- What was held alone by a message that is gone or given up on waits again, and leaves in its order.
create function borsello.let_session_go() returns trigger language plpgsql as $$
begin
  update borsello.outbox as o set held = false
  where o.session_id = old.session_id and o.sent_at is null and o.held
    and not o.destinations <@ (o.delivered_to || borsello.held_at(o.outbox_id, o.session_id));
  return null;
end $$;
create trigger held_message_gone after delete on borsello.held_message
  for each row execute function borsello.let_session_go();
create trigger held_message_given_up after update of given_up_at on borsello.held_message
  for each row when (new.given_up_at is not null and old.given_up_at is null)
  execute function borsello.let_session_go();

-- Held messages whose next attempt is due, without those of destinations that are avoided; their sessions are
-- the connection's, as those of take_messages are. A message that is gone or has arrived holds nothing.
create function borsello.take_held(avoided text[], messages_max integer, lock_space integer)
returns table (
  destination text, outbox_id bigint, message_id uuid, destinations text[], delivered_to text[],
  session_id text, subject text, partner_key text, entity_version bigint, body json, created_at timestamptz,
  attempts integer, held_at text[])
language plpgsql as $$
#variable_conflict use_column
declare
  taken text[];
begin
  with candidate as materialized (
    select session_id from (
      select session_id from borsello.held_message
      where next_attempt_at <= clock_timestamp() and destination <> all (avoided)
      order by next_attempt_at offset 0
    ) as due
    where pg_try_advisory_lock(lock_space, hashtext(session_id))
    limit messages_max
  )
  select array_agg(distinct session_id) into taken from candidate;
  delete from borsello.held_message as h
  where h.session_id = any (taken) and not exists (
    select from borsello.outbox as o
    where o.outbox_id = h.outbox_id and o.sent_at is null and h.destination <> all (o.delivered_to));
  return query
    select h.destination, o.outbox_id, o.message_id, o.destinations, o.delivered_to, o.session_id, o.subject,
      o.partner_key, o.entity_version, o.body, o.created_at, o.attempts, '{}'::text[]
    from borsello.held_message as h join borsello.outbox as o using (outbox_id)
    where h.session_id = any (taken) and h.next_attempt_at <= clock_timestamp()
      and h.destination <> all (avoided)
    order by o.outbox_id limit messages_max;
end $$;

-- Tries held messages of a destination anew at the relay's next look, whether they were given up on or not:
-- these alone, or all of them. Returns how many.
create function borsello.retry_held(of_destination text, ids bigint[] default null) returns integer
language plpgsql volatile as $$
declare
  retried integer;
begin
  update borsello.held_message set next_attempt_at = least(next_attempt_at, clock_timestamp())
  where destination = of_destination and (ids is null or outbox_id = any (ids));
  get diagnostics retried = row_count;
  return retried;
end $$;
