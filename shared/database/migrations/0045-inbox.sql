-- The inbox: which messages the broker's triggers have handled, so that one that comes again does nothing.

create table borsello.inbox (
  -- The queue, or the topic with its subscription.
  entity text not null,
  message_id text not null check (length(message_id) between 1 and 128),
  -- SHA-256 of the body: the same id over another body is another message.
  body_hash bytea not null check (octet_length(body_hash) = 32),
  handled_at timestamptz not null default now(),
  primary key (entity, message_id)
);
create index inbox_by_age on borsello.inbox (handled_at);

-- After its handling; false where the id stands for another body. Its commit does not wait for the disk: what
-- a crash of the server takes along is handled once more, which every handler bears.
create function borsello.note_handled(of_entity text, of_message text, hash bytea) returns boolean
language plpgsql volatile as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  insert into borsello.inbox (entity, message_id, body_hash) values (of_entity, of_message, hash)
  on conflict do nothing;
  if found then return true; end if;
  return coalesce((select body_hash = hash from borsello.inbox
    where entity = of_entity and message_id = of_message), true);
end $$;
