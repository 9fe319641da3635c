-- Proof: a hash chain over what was audited and posted, sealed behind the commands that wrote it.

-- What is audited stays audited.
create function borsello.refuse_rewriting_audit() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is append-only: % on % is refused', tg_op, tg_table_name
    using errcode = 'check_violation', constraint = 'audit_append_only';
end $$;
create trigger audit_append_only before update or delete or truncate on borsello.audit
  for each statement execute function borsello.refuse_rewriting_audit();

-- A transaction gets its own number before it draws numbers for its rows. So whoever reads how far
-- the rows are numbered, and then draws a number itself, knows which transactions to wait for.
create function borsello.number_transaction_first() returns trigger language plpgsql as $$
begin
  perform pg_current_xact_id();
  return null;
end $$;
create trigger audit_numbered before insert on borsello.audit
  for each statement execute function borsello.number_transaction_first();
create trigger ledger_transaction_numbered before insert on borsello.ledger_transaction
  for each statement execute function borsello.number_transaction_first();

-- A link covers the audit rows and ledger transactions after those of the link before it, up to the
-- ones that it names, and the link before it: changing any of them changes every later hash.
create table borsello.audit_link (
  link_id bigint primary key,
  audit_through bigint not null,
  transaction_through bigint not null,
  audit_rows integer not null,
  transactions integer not null,
  sealed_at timestamptz not null,
  hash bytea not null check (length(hash) = 32)
);
create index audit_link_by_date on borsello.audit_link (sealed_at, link_id);
create trigger audit_link_append_only before update or delete or truncate on borsello.audit_link
  for each statement execute function borsello.refuse_rewriting_audit();

-- Microseconds since 1970: the same in every time zone and date style.
create function borsello.micros(at timestamptz) returns bigint
language sql immutable parallel safe
return (extract(epoch from at) * 1000000)::bigint;

-- Texts are quoted, so that no two rows have the same text.
create function borsello.audit_hash(a borsello.audit) returns bytea
language sql stable parallel safe
return sha256(convert_to(concat_ws('|', a.audit_id, borsello.micros(a.at), quote_literal(a.actor),
  quote_nullable(a.partner_key), quote_literal(a.entity), quote_literal(a.entity_id),
  quote_literal(a.action), quote_nullable(a.from_status), quote_nullable(a.to_status),
  quote_nullable(a.detail::text)), 'UTF8'));

-- A transaction with its entries, each with the name of its account.
create function borsello.transaction_hash(t borsello.ledger_transaction) returns bytea
language sql stable parallel safe
return sha256(convert_to(concat_ws('|', t.transaction_id, quote_nullable(t.operation_id::text),
  quote_nullable(t.bank_notification_id::text), quote_nullable(t.reconciliation_id::text),
  t.kind, t.occurrence, borsello.micros(t.posted_at), t.posted_in::text, (
    select string_agg(concat_ws(':', quote_literal(account.partner_key), account.kind,
      quote_literal(account.reference), entry.amount_cents), ',' order by entry.account_id)
    from borsello.entry join borsello.account using (account_id)
    where entry.transaction_id = t.transaction_id)), 'UTF8'));

-- One at a time: who appends a link, and who deletes for good what links cover.
create function borsello.lock_audit_chain() returns void language sql volatile
begin atomic
  select pg_advisory_xact_lock(7364114);
end;

-- Appends one link, which covers at most a thousand of each up to the given numbers; every
-- transaction that has drawn one of these has ended. True where more may be left.
create function borsello.append_audit_link(audit_max bigint, transaction_max bigint)
returns boolean language plpgsql volatile as $$
declare
  each_max constant integer := 1000;
  head borsello.audit_link;
  link borsello.audit_link;
  audited bytea;
  posted bytea;
  last_audited bigint;
  last_posted bigint;
begin
  perform borsello.lock_audit_chain();
  select * into head from borsello.audit_link order by link_id desc limit 1;
  link.link_id := coalesce(head.link_id, 0) + 1;
  link.sealed_at := greatest(borsello.platform_now(), head.sealed_at);

  select count(*), max(audit_id), coalesce(string_agg(hash, '' order by audit_id), '')
  into link.audit_rows, last_audited, audited
  from (
    select audit_id, borsello.audit_hash(audit) as hash from borsello.audit
    where audit_id > coalesce(head.audit_through, 0) and audit_id <= audit_max
    order by audit_id limit each_max
  ) as row_hash;
  select count(*), max(transaction_id), coalesce(string_agg(hash, '' order by transaction_id), '')
  into link.transactions, last_posted, posted
  from (
    select transaction_id, borsello.transaction_hash(ledger_transaction) as hash
    from borsello.ledger_transaction
    where transaction_id > coalesce(head.transaction_through, 0)
      and transaction_id <= transaction_max
    order by transaction_id limit each_max
  ) as row_hash;
  if link.audit_rows = 0 and link.transactions = 0 then return false; end if;

  link.audit_through := case when link.audit_rows = each_max then last_audited
    else greatest(audit_max, coalesce(head.audit_through, 0)) end;
  link.transaction_through := case when link.transactions = each_max then last_posted
    else greatest(transaction_max, coalesce(head.transaction_through, 0)) end;
  link.hash := sha256(coalesce(head.hash, decode(repeat('00', 32), 'hex'))
    || convert_to(concat_ws('|', link.link_id, link.audit_through, link.transaction_through,
      link.audit_rows, link.transactions, borsello.micros(link.sealed_at)), 'UTF8')
    || audited || posted);
  insert into borsello.audit_link select (link).*;
  return link.audit_through < audit_max or link.transaction_through < transaction_max;
end $$;
