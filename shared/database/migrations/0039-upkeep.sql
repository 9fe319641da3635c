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

-- The audit is kept as long as a setting says. What is forgotten leaves the hashes of its rows behind, so that
-- every link of the chain can still be computed, and with it all that the chain says of the ledger.
create table borsello.forgotten_audit (
  link_id bigint primary key references borsello.audit_link,
  -- The hashes of the link's audit rows, in their order: what stands for the rows in the link's own hash.
  hashes bytea not null
);

create or replace function borsello.refuse_rewriting_audit() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and tg_table_name = 'audit'
    and current_setting('borsello.forgets_audit', true) = 'yes' then
    return null;
  end if;
  raise exception 'the audit log is append-only: % on % is refused', tg_op, tg_table_name
    using errcode = 'check_violation', constraint = 'audit_append_only';
end $$;
create trigger forgotten_audit_append_only
  before update or delete or truncate on borsello.forgotten_audit
  for each statement execute function borsello.refuse_rewriting_audit();

-- Forgets the rows of whole links that were sealed so long ago, the oldest first, until so many are gone; returns
-- how many. A checkpoint says so: an audit row, and as such part of the chain itself. A wallet that was deleted
-- for good (outside production only) is explained by its audit row alone: forgetting ends before that.
create function borsello.forget_audit(older_than interval, rows_max integer) returns integer
language plpgsql volatile as $$
declare
  link borsello.audit_link;
  through bigint;
  hashed bytea;
  forgotten integer := 0;
  in_link integer;
begin
  perform borsello.lock_audit_chain();
  select max(audit_through) into through
  from borsello.forgotten_audit join borsello.audit_link using (link_id);
  through := coalesce(through, 0);
  perform set_config('borsello.forgets_audit', 'yes', true);
  for link in
    select * from borsello.audit_link
    where sealed_at < borsello.platform_now() - older_than
      and link_id > coalesce((select max(link_id) from borsello.forgotten_audit), 0)
    order by link_id limit rows_max
  loop
    exit when forgotten >= rows_max or exists (
      select from borsello.audit where audit_id > through and audit_id <= link.audit_through
        and entity = 'Wallet' and action = 'forceDelete');
    select coalesce(string_agg(borsello.audit_hash(audit), '' order by audit_id), '') into hashed
    from borsello.audit where audit_id > through and audit_id <= link.audit_through;
    insert into borsello.forgotten_audit values (link.link_id, hashed);
    delete from borsello.audit where audit_id > through and audit_id <= link.audit_through;
    get diagnostics in_link = row_count;
    forgotten := forgotten + in_link;
    through := link.audit_through;
  end loop;
  perform set_config('borsello.forgets_audit', '', true);
  if forgotten > 0 then
    insert into borsello.audit (actor, entity, entity_id, action, detail)
    select 'platform', 'Audit', 'chain', 'forget', json_build_object(
      'linkId', last.link_id::text, 'hash', encode(last.hash, 'hex'), 'rows', forgotten,
      'through', borsello.iso(last.sealed_at))
    from borsello.audit_link as last
    where link_id = (select max(link_id) from borsello.forgotten_audit);
  end if;
  return forgotten;
end $$;

-- Forgets sent messages among the next so many after one; returns the last that was looked at, null where none
-- is old enough any more. What waits stays, however old it is.
create function borsello.forget_sent(
  after_id bigint, older_than interval, messages_max integer, out last_id bigint, out forgotten integer)
language plpgsql volatile as $$
declare
  oldest timestamptz := now() - older_than;
begin
  with page as materialized (
    select outbox_id, created_at, sent_at from borsello.outbox
    where outbox_id > after_id order by outbox_id limit messages_max
  ), gone as (
    delete from borsello.outbox where outbox_id in (
      select outbox_id from page where sent_at < oldest)
    returning 1
  )
  select (select max(outbox_id) from page where created_at < oldest),
    (select count(*) from gone) into last_id, forgotten;
end $$;

-- Until when audit rows were forgotten: of what is younger each row is there. One row, always.
create view borsello.audit_forgotten as
select coalesce((
  select sealed_at from borsello.audit_link
  where link_id = (select max(link_id) from borsello.forgotten_audit)), '-infinity') as through;
