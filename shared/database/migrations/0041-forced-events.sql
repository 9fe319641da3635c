-- Events that a partner forces onto its own topic, for the tests of whoever reads it.

-- An event's id is its partner's alone: whoever forces one under an id that another partner's event has does not
-- learn of that one.
alter table borsello.outbox drop constraint outbox_message_id_key;
create unique index outbox_by_id on borsello.outbox (message_id, partner_key) nulls not distinct;

-- Publishes the event to its partner's topic and to nothing else, so that no flow takes it for something that has
-- happened. What the envelope leaves out is filled in; `session_of` null: the event is in a session of its own. An id
-- that the partner's log has already says the same again and takes no number: `outcome` is `published` then, too.
-- `reused`: that id says something else.
create function borsello.force_event(
  event text, of_partner text, session_of text, envelope json, payload json, actor text,
  out outcome text, out id uuid, out session_id text, out published_at text)
language plpgsql volatile as $$
declare
  moment text := borsello.iso(borsello.platform_now());
  known borsello.outbox;
  whole json;
begin
  id := coalesce((envelope ->> 'id')::uuid, uuidv7());
  whole := borsello.json_joined(json_build_object(
    'messageVersion', coalesce(envelope -> 'messageVersion', '1'),
    'messagePublisher', coalesce(envelope -> 'messagePublisher', '"Borsello"'),
    'timestamp', coalesce(envelope -> 'timestamp', to_json(moment)),
    'id', id,
    'messageCreationDate', coalesce(envelope -> 'messageCreationDate', to_json(moment)),
    'messagePublishDate', coalesce(envelope -> 'messagePublishDate', to_json(moment)),
    'isLastRetry', coalesce(envelope -> 'isLastRetry', 'false')), payload);
  loop
    insert into borsello.outbox as o
      (message_id, destinations, session_id, subject, partner_key, body)
    values (force_event.id, array[of_partner], coalesce(session_of, force_event.id::text), event,
      of_partner, whole)
    on conflict (message_id, partner_key) do nothing
    returning o.* into known;
    if found then
      insert into borsello.audit (actor, partner_key, entity, entity_id, action, detail)
      values (force_event.actor, of_partner, 'Event', force_event.id::text, 'force',
        json_build_object('event', event));
      exit;
    end if;
    select o.* into known from borsello.outbox as o
    where o.message_id = force_event.id and o.partner_key = of_partner;
    -- Not found: it was forgotten between the two looks, and the id is a new one again.
    exit when found;
  end loop;
  -- What this call leaves to the platform may differ: it was filled in at another time.
  if known.subject = event
    and known.body::jsonb = known.body::jsonb || envelope::jsonb || payload::jsonb then
    outcome := 'published';
    session_id := known.session_id;
    published_at := known.body ->> 'messagePublishDate';
  else
    outcome := 'reused';
  end if;
end $$;
