-- Numbers in order of commit per wallet, also where the partner's topic is away or holds a message: what goes to the
-- topic alone is not claimed meanwhile, and what goes to platform-events as well is.

-- The numbers of claimed messages: those that they have, else the next ones of their partners, in the order in
-- which they were written. What waits before them in their sessions takes its numbers with them, though nobody
-- can send it now: at once in its own row, since it may wait there for days and is looked at by each page of a log
-- as long as it is given_sequence that holds its number. Only whoever holds the messages' sessions may ask: nobody
-- else gives them numbers meanwhile, and this statement sees whatever was given before.
create or replace function borsello.number_messages(claimed bigint[])
returns table (outbox_id bigint, sequence bigint)
language sql volatile
begin atomic
  with mine as (
    select session_id, max(o.outbox_id) as last_id
    from borsello.outbox as o where o.outbox_id = any (claimed) group by session_id
  ), earlier as (
    -- Session by session, in the indexes of what waits.
    select waiting.* from mine cross join lateral (
      select o.outbox_id, o.partner_key from borsello.outbox as o
      where o.session_id = mine.session_id and o.sent_at is null and not o.held
        and o.outbox_id < mine.last_id and o.sequence is null and o.partner_key = any (o.destinations)
      offset 0
    ) as waiting
    union all
    select waiting.* from mine cross join lateral (
      select o.outbox_id, o.partner_key from borsello.outbox as o
      where o.session_id = mine.session_id and o.sent_at is null and o.held
        and o.outbox_id < mine.last_id and o.sequence is null and o.partner_key = any (o.destinations)
      offset 0
    ) as waiting
  ), message as (
    select o.outbox_id, o.partner_key, coalesce(o.sequence, g.sequence) as sequence, true as is_claimed
    from unnest(claimed) as due (outbox_id) join borsello.outbox as o using (outbox_id)
      left join borsello.given_sequence as g using (outbox_id)
    union all
    select earlier.outbox_id, earlier.partner_key, null, false from earlier
    where not exists (select from unnest(claimed) as due (outbox_id) where due.outbox_id = earlier.outbox_id)
      and not exists (select from borsello.given_sequence as g where g.outbox_id = earlier.outbox_id)
  ), counted as (
    insert into borsello.partner_sequence as p (partner_key, last_sequence)
    select partner_key, count(*) from message where message.sequence is null
    group by partner_key order by partner_key
    on conflict (partner_key) do update set last_sequence = p.last_sequence + excluded.last_sequence
    returning partner_key, last_sequence
  ), numbered as (
    select m.outbox_id, m.is_claimed, last_sequence - count(*) over of_partner
      + row_number() over (of_partner order by m.outbox_id) as sequence
    from message as m join counted using (partner_key)
    where m.sequence is null
    window of_partner as (partition by partner_key)
  ), written as (
    update borsello.outbox as o set sequence = numbered.sequence from numbered
    where o.outbox_id = numbered.outbox_id and not numbered.is_claimed
  ), given as (
    insert into borsello.given_sequence as g (outbox_id, sequence)
    select numbered.outbox_id, numbered.sequence from numbered where is_claimed
    returning g.outbox_id, g.sequence
  )
  select message.outbox_id, message.sequence from message
  where message.sequence is not null and is_claimed
  union all
  select given.outbox_id, given.sequence from given;
end;
