-- What a ticket's changes leave behind, by name: the timeline's entries, the audit row, the event.

create function borsello.enter_timeline(t borsello.ticket, author text, text text) returns void
language sql volatile
begin atomic
  insert into borsello.ticket_timeline (case_number, created_by, created_on, text)
  values ((t).case_number, author, (t).entered_on, text);
end;

-- A change of status: the timeline has its line (ticketing seed, 2.5), the partner's topic and the
-- flows have the event. `author` is whom both name.
create function borsello.tell_ticket_status(t borsello.ticket, status_before text, author text)
returns void
language sql volatile
begin atomic
  select borsello.enter_timeline(t, author,
    author || ' changed status from [' || status_before || '] to [' || (t).status || ']');
  select borsello.publish_event('TicketStatusChanged', (t).partner_key, (t).case_number, (t).version,
    borsello.ticket_status_event(t, status_before, author));
end;

create function borsello.audit_ticket(
  t borsello.ticket, actor text, action text, status_before text
) returns void
language sql volatile
begin atomic
  insert into borsello.audit
    (actor, partner_key, entity, entity_id, action, from_status, to_status)
  values (actor, (t).partner_key, 'Ticket', (t).case_number, action, status_before, (t).status);
end;

-- `why`: the author's own entry, before the line about the status; null: none.
create function borsello.record_ticket_move(
  t borsello.ticket, actor text, action text, status_before text, author text,
  why text default null
) returns void
language sql volatile
begin atomic
  select borsello.audit_ticket(t, actor, action, status_before);
  select borsello.enter_timeline(t, author, why) where why is not null;
  select borsello.tell_ticket_status(t, status_before, author);
end;

-- It is the platform that takes up again what waited for a comment.
create function borsello.record_ticket_comment(
  t borsello.ticket, actor text, status_before text, comment text
) returns void
language sql volatile
begin atomic
  select borsello.audit_ticket(t, actor, 'comment', status_before);
  select borsello.enter_timeline(t, actor, comment);
  select borsello.tell_ticket_status(t, status_before, 'SystemDaemon')
  where status_before <> (t).status;
end;
