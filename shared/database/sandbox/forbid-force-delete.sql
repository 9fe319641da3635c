-- Takes away what deletes wallets for good, and has no transaction ever delete one: in production, whose
-- database may have served for tests before. One at a time, as where it is allowed.
do $prepare$ begin
  perform pg_advisory_xact_lock(7364113);
  drop function if exists borsello.force_delete_wallet(uuid, text);
  create or replace function borsello.is_being_deleted(of_wallet uuid) returns boolean
  language sql stable
  return false;
end $prepare$;
