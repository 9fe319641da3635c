-- Business events carry the version of what they report. Bank notifications had none, and each event of
-- one said that it was the first.

alter table borsello.bank_notification
  -- Counts the changes: each business event carries the version that it reports.
  add column version bigint not null default 1;

create function borsello.count_notification_change() returns trigger language plpgsql as $$
begin
  new.version := old.version + 1;
  return new;
end $$;
create trigger notification_changes_counted before update on borsello.bank_notification
  for each row execute function borsello.count_notification_change();

create or replace function borsello.tell_received_notification() returns trigger language plpgsql as $$
begin
  perform borsello.publish_event('BankNotificationReceived', new.partner_key,
    coalesce(new.wallet_id, new.bank_notification_id)::text, new.version,
    borsello.bank_notification_record(new));
  return null;
end $$;
