-- What keeps the platform fit for years: an outbox where nobody waits for somebody else's stuck messages.

-- What waits, in the order of its session; and by where it has yet to go. A message has two destinations at
-- most, so that one that was reached leaves the other. Where nothing is sent, rows lie in one place of the
-- index, which a relay passes by as a whole.
alter table borsello.outbox add constraint outbox_destinations_max
  check (cardinality(destinations) <= 2) not valid;
create index outbox_waiting_towards
  on borsello.outbox (array_remove(destinations, delivered_to[1]), outbox_id) where sent_at is null;
create index outbox_waiting_session on borsello.outbox (session_id, outbox_id) where sent_at is null;
drop index borsello.outbox_waiting;

-- Where messages have yet to go, with the first one of each: a step in the index for each, however many wait.
create view borsello.outbox_line as
with recursive line as (
  (select array_remove(destinations, delivered_to[1]) as towards, outbox_id
  from borsello.outbox where sent_at is null
  order by array_remove(destinations, delivered_to[1]), outbox_id limit 1)
  union all
  select following.* from line cross join lateral (
    select array_remove(destinations, delivered_to[1]), outbox_id
    from borsello.outbox
    where sent_at is null and array_remove(destinations, delivered_to[1]) > line.towards
    order by array_remove(destinations, delivered_to[1]), outbox_id limit 1
  ) as following
)
select towards, outbox_id as first_id from line;

-- The oldest waiting messages of sessions that no other relay holds, without those that have only
-- destinations which are avoided, or those alone which go to one. Their sessions are the connection's until it
-- gives them back, so that no transaction is open while they are sent. The walk passes by what others hold, so
-- that two relays find work side by side, and asks for no more sessions than it can serve. Messages are read
-- after their session was taken: were both one, a relay that gives a session back meanwhile would leave it with
-- a later message and without an earlier one.
drop function borsello.claim_messages;
create function borsello.take_messages(
  avoided text[], only_to text, messages_max integer, lock_space integer)
returns setof borsello.outbox
language plpgsql as $$
declare
  line text[];
  held text[] := '{}';
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
    -- Locks are asked for in order, one by one, whatever plan reads the rows.
    with candidate as materialized (
      select outbox_id, session_id from (
        select outbox_id, session_id from borsello.outbox
        where sent_at is null and array_remove(destinations, delivered_to[1]) = line
        order by outbox_id offset 0
      ) as waiting
      where pg_try_advisory_lock(lock_space, hashtext(session_id))
      limit messages_max - found_count
    )
    select count(*), max(outbox_id), array_agg(distinct session_id)
    into more_count, more_last, more from candidate;
    found_count := found_count + more_count;
    last_candidate := greatest(last_candidate, more_last);
    held := held || more;
    exit when found_count >= messages_max;
  end loop;
  return query
    select o.* from (select distinct unnest(held) as session_id) as mine
      join borsello.outbox as o using (session_id)
    where o.sent_at is null and o.outbox_id <= last_candidate
      and not o.destinations <@ (o.delivered_to || avoided)
      and (only_to is null or only_to = any (array_remove(o.destinations, o.delivered_to[1])))
    order by o.outbox_id limit messages_max;
end $$;

-- How far a sweep over rows has come, for whoever goes on; null: it begins at the first row.
create table borsello.sweep (
  name text primary key,
  place text,
  -- When this turn over all rows began.
  begun_at timestamptz not null default clock_timestamp()
);

-- What a sweep could not do and left behind, so that it gets on: tried again in each turn, and gone once it
-- was done or is no longer to be done. Whoever looks after the platform finds here what is wrong with it.
create table borsello.set_aside (
  sweep text not null,
  subject text not null,
  error text not null,
  failures integer not null default 1,
  first_failed_at timestamptz not null default clock_timestamp(),
  last_failed_at timestamptz not null default clock_timestamp(),
  primary key (sweep, subject)
);

-- What the health check writes, to learn whether the database takes and keeps a change.
create table borsello.health_probe (written_at timestamptz not null);

-- A new file with a new block each time: a disk that is full has room left in those that are there.
create function borsello.probe_writing() returns void language plpgsql volatile
set lock_timeout = '100ms' as $$
begin
  begin
    truncate borsello.health_probe;
  exception when lock_not_available then
    -- Somebody reads all tables, such as a backup.
    delete from borsello.health_probe;
  end;
  insert into borsello.health_probe values (clock_timestamp());
end $$;
