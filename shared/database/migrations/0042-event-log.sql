-- The event log: what has a number of its partner, for as long as it is kept; and sending it anew.

-- Since when platform time is so far ahead of the server's clock. Before the sandbox clock was first moved,
-- or where it never was: as far as it is now.
create table borsello.clock_step (
  at timestamptz primary key,
  offset_ms bigint not null
);
insert into borsello.clock_step select '-infinity', offset_ms from borsello.sandbox_clock;
create function borsello.note_clock_step() returns trigger
language plpgsql as $$
begin
  insert into borsello.clock_step (at, offset_ms) values (clock_timestamp(), new.offset_ms)
  on conflict (at) do update set offset_ms = excluded.offset_ms;
  return null;
end $$;
create trigger note_clock_step after update of offset_ms on borsello.sandbox_clock
for each row when (old.offset_ms <> new.offset_ms) execute function borsello.note_clock_step();

-- The server's time from which on platform time is this or later.
create function borsello.server_time(platform_time timestamptz) returns timestamptz
language sql stable
begin atomic
  select min(greatest(at, platform_time - offset_ms * interval '1 millisecond')) from (
    select at, offset_ms, lead(at, 1, 'infinity') over (order by at) as next_at from borsello.clock_step
  ) as step
  where platform_time - offset_ms * interval '1 millisecond' < next_at;
end;

-- The server's time at which platform time is past this millisecond: moments are shown without what follows it.
create function borsello.server_time_after(platform_time timestamptz) returns timestamptz
language sql stable
return borsello.server_time(date_trunc('milliseconds', platform_time) + interval '1 millisecond');

-- Platform time at a moment of the server's.
create function borsello.platform_time(server_time timestamptz) returns timestamptz
language sql stable
begin atomic
  select server_time + offset_ms * interval '1 millisecond' from borsello.clock_step
  where at <= server_time order by at desc limit 1;
end;

-- What a filter of the log looks at is in the index: a look at a thousand events reads no body.
drop index borsello.outbox_by_sequence;
create unique index outbox_by_sequence on borsello.outbox (partner_key, sequence)
  include (subject, created_at) where sequence is not null;

-- So many numbers of a partner, in order. Numbers are committed in their order, since whoever gives them holds
-- the partner's counter until the commit; and a number leaves given_sequence in the statement that writes it into
-- its message. So one statement that reads both sees all numbers up to some number, and none beyond.
create function borsello.log_part(
  of_partner text, after_sequence bigint, through_sequence bigint, events_max integer)
returns table (sequence bigint, outbox_id bigint, subject text, created_at timestamptz)
language sql stable
begin atomic
  select * from (
    (select message.sequence, message.outbox_id, message.subject, message.created_at
    from borsello.outbox as message
    where message.partner_key = of_partner
      and message.sequence > after_sequence and message.sequence <= through_sequence
    order by message.sequence limit events_max)
    union all
    (select given.sequence, message.outbox_id, message.subject, message.created_at
    from borsello.given_sequence as given join borsello.outbox as message using (outbox_id)
    where message.partner_key = of_partner
      and given.sequence > after_sequence and given.sequence <= through_sequence
    order by given.sequence limit events_max)
  ) as numbered
  order by sequence limit events_max;
end;

-- How much of a partner's log is gone: it begins after this number, whatever else is left below.
create table borsello.forgotten_events (
  partner_key text primary key,
  through bigint not null,
  -- The latest moment at which one of them was written.
  created_through timestamptz not null
);

-- Numbers that were forgotten before anybody told it, with sent messages of thirty days ago: when each of them was
-- written is not known any more.
insert into borsello.forgotten_events
with numbered as (
  select partner_key, sequence, created_at from borsello.outbox where sequence is not null
  union all
  select partner_key, given.sequence, created_at
  from borsello.given_sequence as given join borsello.outbox using (outbox_id)
  union all
  select partner_key, last_sequence + 1, 'infinity' from borsello.partner_sequence
), told as (
  select partner_key, sequence, created_at,
    sequence - coalesce(lag(sequence) over (partition by partner_key order by sequence), 0) > 1 as is_after_gap
  from numbered
)
select distinct on (partner_key) partner_key, sequence - 1,
  least(created_at - interval '1 millisecond', now() - interval '30 days')
from told where is_after_gap order by partner_key, sequence desc;

-- What was written at this moment or later has a higher number: where to begin for a date.
create table borsello.sequence_mark (
  partner_key text not null,
  at timestamptz not null,
  sequence bigint not null,
  primary key (partner_key, at)
);

-- The clock is read after the statement has begun to see what is committed. So a message that was
-- written later has no number that this statement sees.
create function borsello.mark_sequences() returns void
language sql volatile
begin atomic
  insert into borsello.sequence_mark (partner_key, at, sequence)
  select partner_key, clock_timestamp(), last_sequence from borsello.partner_sequence as counter
  where last_sequence >= 1000 + coalesce((
    select sequence from borsello.sequence_mark as mark
    where mark.partner_key = counter.partner_key order by at desc limit 1), 0)
  on conflict do nothing;
end;

-- The number after which the log, or what was published since a moment of the server's time, begins.
create function borsello.log_begin(of_partner text, since timestamptz) returns bigint
language sql stable
begin atomic
  select greatest(
    (select through from borsello.forgotten_events where partner_key = of_partner),
    (select sequence from borsello.sequence_mark
     where partner_key = of_partner and at <= since order by at desc limit 1),
    0);
end;

-- As before; and tells how far the logs of partners are gone.
create or replace function borsello.forget_sent(
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
    returning partner_key, sequence, created_at
  ), told as (
    insert into borsello.forgotten_events as f (partner_key, through, created_through)
    select partner_key, max(sequence), max(created_at) from gone
    where sequence is not null group by partner_key order by partner_key
    on conflict (partner_key) do update set through = greatest(f.through, excluded.through),
      created_through = greatest(f.created_through, excluded.created_through)
  )
  select (select max(outbox_id) from page where created_at < oldest),
    (select count(*) from gone) into last_id, forgotten;
  delete from borsello.sequence_mark as mark using borsello.forgotten_events as f
  where mark.partner_key = f.partner_key and mark.sequence <= f.through;
end $$;

-- A page of a partner's log as the text of its answer. It ends after so many events, or so many bytes of their
-- bodies, and with a filter after so many looked at: `nextAfter` is the last number that the page has dealt with.
-- The moments are the server's; the second is excluded.
create function borsello.event_page(
  of_partner text, after_sequence bigint, since timestamptz, before timestamptz, subjects text[],
  events_max integer, looked_at_max integer, bytes_max integer) returns json
language sql stable
begin atomic
  with begin_at as materialized (
    select greatest(after_sequence, borsello.log_begin(of_partner, since)) as sequence
  ), looked_at as materialized (
    select part.* from begin_at
      cross join lateral borsello.log_part(of_partner, begin_at.sequence, 9223372036854775807, looked_at_max) as part
  ), fitting as (
    select sequence, outbox_id from looked_at
    where (since is null or created_at >= since) and (before is null or created_at < before)
      and (subjects is null or subject = any (subjects))
    order by sequence limit events_max
  ), weighed as (
    select fitting.sequence, message.message_id, message.subject, message.session_id, message.body,
      row_number() over (order by fitting.sequence) as place,
      sum(octet_length(message.body::text)) over (order by fitting.sequence) as bytes
    from fitting join borsello.outbox as message using (outbox_id)
  ), shown as materialized (
    select * from weighed where place = 1 or bytes <= bytes_max
  )
  select json_build_object(
    'items', coalesce((
      select json_agg(json_build_object('sequence', sequence, 'id', message_id, 'type', subject,
        'sessionId', session_id, 'publishedAt', body ->> 'messagePublishDate', 'body', body) order by sequence)
      from shown), '[]'),
    'nextAfter', case
      when (select count(*) from shown) = events_max
        or (select count(*) from shown) < (select count(*) from fitting)
      then (select max(sequence) from shown)
      else coalesce((select max(sequence) from looked_at), (select sequence from begin_at)) end);
end;

-- What a partner has asked to be sent anew: a part of its log, in order.
create table borsello.replay (
  replay_id bigint generated always as identity primary key,
  partner_key text not null references borsello.partner on delete cascade,
  -- Of the partner's replays; behind a message's id it makes the id of what is sent.
  number integer not null check (number > 0),
  -- Done up to here; it ends with `through`, which was the log's end when it was asked for.
  place bigint not null,
  through bigint not null,
  -- Moments of the server's time, the second excluded; and names of events. Null: whichever.
  since timestamptz,
  before timestamptz,
  subjects text[],
  asked_by text not null,
  asked_at timestamptz not null default clock_timestamp(),
  -- So many events fitted when it was asked for, and so many were sent by now.
  events bigint not null,
  sent bigint not null default 0,
  -- Of several the one goes on that waits longest.
  turn_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz,
  unique (partner_key, number)
);
create index replay_open on borsello.replay (turn_at, replay_id) where ended_at is null;

-- Begins a replay, or says by the code of a refusal why it does not; nothing to send begins none.
create function borsello.begin_replay(
  of_partner text, after_sequence bigint, through_sequence bigint, of_since timestamptz, of_before timestamptz,
  of_subjects text[], actor text, events_max integer, looked_at_max integer, open_max integer,
  out refused text, out count bigint)
language plpgsql volatile as $$
declare
  begin_at bigint := greatest(after_sequence, borsello.log_begin(of_partner, of_since));
  end_at bigint := least(through_sequence, coalesce(
    (select last_sequence from borsello.partner_sequence where partner_key = of_partner), 0));
begin
  -- A partner's replays take turns to be begun: each has a number of its own.
  perform pg_advisory_xact_lock(hashtextextended('replays ' || of_partner, 0));
  count := 0;
  if (select count(*) from borsello.replay where partner_key = of_partner and ended_at is null) >= open_max then
    refused := 'ReplaysTooMany';
    return;
  end if;
  if end_at - begin_at > looked_at_max then
    refused := 'ReplayTooLarge';
    return;
  end if;
  select count(*) into count from (
    select from borsello.log_part(of_partner, begin_at, end_at, looked_at_max) as part
    where (of_since is null or part.created_at >= of_since) and (of_before is null or part.created_at < of_before)
      and (of_subjects is null or part.subject = any (of_subjects))
    limit events_max + 1) as fitting;
  if count > events_max then
    refused := 'ReplayTooLarge';
    return;
  end if;
  if count = 0 then return; end if;
  insert into borsello.replay
    (partner_key, number, place, through, since, before, subjects, asked_by, events)
  select of_partner, coalesce(max(number), 0) + 1, begin_at, end_at, of_since, of_before, of_subjects, actor,
    begin_replay.count
  from borsello.replay where partner_key = of_partner;
end $$;

-- The open replay whose turn it is, of a partner that is not avoided and that nobody else serves: the partner is
-- the connection's until it gives it back. Locks are asked for in order, one by one.
create function borsello.take_replay(avoided text[], lock_space integer) returns setof borsello.replay
language sql volatile
begin atomic
  select waiting.* from (
    select * from borsello.replay where ended_at is null and partner_key <> all (avoided)
    order by turn_at, replay_id offset 0
  ) as waiting
  where pg_try_advisory_lock(lock_space, hashtext(partner_key)) limit 1;
end;
