-- Traces (W3C Trace Context): what a message was written for travels with it.

-- Version 00 of a traceparent has 55 characters. Null: nobody follows this message's trace.
alter table borsello.outbox add column trace_parent varchar(55);
-- Whoever writes messages says so once for its transaction, and no statement that writes them has to know.
alter table borsello.outbox alter column trace_parent
  set default nullif(current_setting('borsello.trace_parent', true), '');

-- Commands of many callers in one statement: each wallet's messages are of its own caller's trace.
create function borsello.take_own_trace() returns trigger language plpgsql as $$
begin
  new.trace_parent :=
    coalesce(current_setting('borsello.trace_parents')::json ->> new.session_id, new.trace_parent);
  return new;
end $$;
create trigger outbox_own_trace before insert on borsello.outbox
  for each row when (current_setting('borsello.trace_parents', true) <> '')
  execute function borsello.take_own_trace();

-- Gives the commands back, and keeps the traces that they name until the transaction ends.
create function borsello.with_traces(commands json) returns json language plpgsql volatile as $$
begin
  perform set_config('borsello.trace_parents', coalesce((
    select json_object_agg(wallet, trace_parent) from (
      select trace_parent, coalesce(
        command.wallet_id,
        (select o.wallet_id from borsello.operation as o where o.operation_id = command.operation_id),
        (select g.wallet_id from borsello.operation_group as g
         where g.operation_group_id = command.operation_group_id)) as wallet
      from json_to_recordset(commands) as command
        (wallet_id uuid, operation_id uuid, operation_group_id uuid, trace_parent text)
      where trace_parent is not null
    ) as traced where wallet is not null)::text, ''), true);
  return commands;
end $$;

-- As before, with the trace.
drop function borsello.take_messages;
create function borsello.take_messages(
  avoided text[], only_to text, messages_max integer, lock_space integer)
returns table (
  outbox_id bigint, message_id uuid, destinations text[], delivered_to text[], session_id text, subject text,
  partner_key text, entity_version bigint, body json, created_at timestamptz, attempts integer, held_at text[],
  trace_parent text)
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
      o.partner_key, o.entity_version, o.body, o.created_at, o.attempts, there.held_at,
      o.trace_parent::text
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

drop function borsello.take_held;
create function borsello.take_held(avoided text[], messages_max integer, lock_space integer)
returns table (
  destination text, outbox_id bigint, message_id uuid, destinations text[], delivered_to text[],
  session_id text, subject text, partner_key text, entity_version bigint, body json, created_at timestamptz,
  attempts integer, held_at text[], trace_parent text)
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
      o.partner_key, o.entity_version, o.body, o.created_at, o.attempts, '{}'::text[],
      o.trace_parent::text
    from borsello.held_message as h join borsello.outbox as o using (outbox_id)
    where h.session_id = any (taken) and h.next_attempt_at <= clock_timestamp()
      and h.destination <> all (avoided)
    order by o.outbox_id limit messages_max;
end $$;
