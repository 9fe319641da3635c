-- Tickets as operators see them: a queue in order of urgency, who asked and when, what silence brings.

alter table borsello.ticket
  add column created_by text,
  -- Of the partner's settings of the day: how long a question waits for its answer.
  add column patience interval not null default '14 days',
  -- While the ticket waits for the customer: since when its clock stands still, and when a question
  -- that nobody answers resolves it.
  add column asked_on timestamptz,
  add column resolves_on timestamptz;
alter table borsello.ticket alter column patience drop default;

-- The first entry of a timeline is who created the ticket, and the description. Entries of before said
-- that the ticket was created; nothing remembers them across the start that runs this.
update borsello.ticket as t set created_by = e.created_by
from borsello.ticket_timeline as e
where e.case_number = t.case_number and e.entry_id = (
  select min(entry_id) from borsello.ticket_timeline as f where f.case_number = t.case_number);
update borsello.ticket_timeline as e set text = t.description
from borsello.ticket as t
where e.case_number = t.case_number and e.text = t.created_by || ' created the ticket'
  and e.entry_id = (
    select min(entry_id) from borsello.ticket_timeline as f where f.case_number = t.case_number);
update borsello.ticket set created_by = 'SystemDaemon' where created_by is null;
alter table borsello.ticket alter column created_by set not null;

update borsello.ticket
set asked_on = entered_on, resolves_on = borsello.platform_now() + patience
where status = 'WaitingForCustomer';
alter table borsello.ticket
  add check ((status = 'WaitingForCustomer') = (asked_on is not null)),
  add check ((status = 'WaitingForCustomer') = (resolves_on is not null)),
  alter column due_on set expression as (case
    when status in ('New', 'In progress') and expired_on is null then expiration_date
    when status = 'WaitingForCustomer' then resolves_on
    when status = 'Resolved' then closes_on end);

-- A page of the queue is found in one of these, whatever it is filtered by; one that shows several
-- statuses merges their places in it.
create index ticket_queue on borsello.ticket (status, priority, expiration_date, ticket_id);
create index ticket_queue_of_partner on borsello.ticket
  (partner_key, status, priority, expiration_date, ticket_id);
create index ticket_by_external_id on borsello.ticket
  (partner_key, external_id, status, creation_date, ticket_id) where external_id is not null;

create function borsello.operator_ticket(t borsello.ticket) returns jsonb
language sql stable parallel safe
return borsello.ticket_detail(t)::jsonb || jsonb_build_object(
  'partnerKey', t.partner_key, 'description', t.description, 'category', t.category,
  'impact', t.impact, 'product', t.product, 'createdby', t.created_by
);

drop function borsello.record_ticket_move(borsello.ticket, text, text, text, text, text);
drop function borsello.record_ticket_comment(borsello.ticket, text, text, text);
drop function borsello.tell_ticket_status(borsello.ticket, text, text);
drop function borsello.ticket_status_event(borsello.ticket, text, text);

-- What every event about a ticket says of it.
create function borsello.ticket_event_head(t borsello.ticket) returns jsonb
language sql stable parallel safe
return jsonb_build_object(
  'casenumber', t.case_number, 'partnerKey', t.partner_key, 'externalID', t.external_id,
  'type', t.type, 'walletID', t.wallet_id, 'subject', t.title, 'status', t.status
);

-- `why`: the text that came with the change; null: none did.
create function borsello.ticket_status_event(
  t borsello.ticket, previous_status text, changed_by text, why text
) returns json
language sql stable parallel safe
return (borsello.ticket_event_head(t) || jsonb_build_object(
  'previousStatus', previous_status, 'changedBy', changed_by, 'text', why,
  'expirationDate', borsello.iso(t.expiration_date),
  'takenInChargeOn', borsello.iso(t.taken_in_charge_on),
  'resolvedDate', borsello.iso(t.resolved_date), 'closureDate', borsello.iso(t.closure_date),
  'closureResponse', t.closure_response
))::json;

create function borsello.ticket_comment_event(t borsello.ticket, author text, comment text)
returns json
language sql stable parallel safe
return (borsello.ticket_event_head(t) || jsonb_build_object(
  'text', comment, 'createdBy', author, 'createdOn', borsello.iso(t.entered_on)
))::json;

create function borsello.ticket_expired_event(t borsello.ticket) returns json
language sql stable parallel safe
return (borsello.ticket_event_head(t) || jsonb_build_object(
  'priority', t.priority::text, 'expirationDate', borsello.iso(t.expiration_date)
))::json;

-- A change of status: the timeline has its line (ticketing seed, 2.5), the partner's topic and the
-- flows have the event. `author` is whom both name.
create function borsello.tell_ticket_status(
  t borsello.ticket, status_before text, author text, why text
) returns void
language sql volatile
begin atomic
  select borsello.enter_timeline(t, author,
    author || ' changed status from [' || status_before || '] to [' || (t).status || ']');
  select borsello.publish_event('TicketStatusChanged', (t).partner_key, (t).case_number, (t).version,
    borsello.ticket_status_event(t, status_before, author, why));
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
  select borsello.tell_ticket_status(t, status_before, author, why);
end;

-- It is the platform that takes up again what waited for a comment.
create function borsello.record_ticket_comment(
  t borsello.ticket, actor text, status_before text, author text, comment text
) returns void
language sql volatile
begin atomic
  select borsello.audit_ticket(t, actor, 'comment', status_before);
  select borsello.enter_timeline(t, author, comment);
  select borsello.publish_event('TicketCommentAdded', (t).partner_key, (t).case_number, (t).version,
    borsello.ticket_comment_event(t, author, comment));
  select borsello.tell_ticket_status(t, status_before, 'SystemDaemon', null)
  where status_before <> (t).status;
end;
