-- The index behind searches by a part of a name, phone number or e-mail.

-- A text as searches compare it: composed, lower case, by Unicode's rules whatever the locale.
create function borsello.folded(value text) returns text
language sql immutable parallel safe
return lower(normalize(value, nfc) collate "pg_c_utf8");

-- A partner's wallets are found by keys of its own, so that others' wallets cost it nothing.
create function borsello.search_scope(partner_key text) returns text
language sql immutable parallel safe
return left(md5(partner_key), 6);

-- Every three letters in a row of each field, and the one or two that its end leaves: so a part of
-- any length begins one of them.
create function borsello.search_keys(w borsello.wallet) returns tsvector
language sql immutable parallel safe
return array_to_tsvector(array(
  select scope.prefix || field.letter || substr(field.value, place, 3)
  from borsello.search_scope(w.partner_key) as scope (prefix), (values
    ('f', borsello.folded(w.first_name)), ('l', borsello.folded(w.last_name)),
    ('p', borsello.folded(w.phone_number)), ('e', borsello.folded(w.email))
  ) as field (letter, value), generate_series(1, length(field.value)) as place
));

-- Which wallets can have this part in this field; the field itself decides. Letters side by side are
-- enough to find few: every key more is one more list to read.
create function borsello.search_query(partner_key text, letter text, part text) returns tsquery
language sql immutable parallel safe
return (
  select string_agg(
    '''' || replace(replace(
      borsello.search_scope(partner_key) || letter || substr(folded, place, 3),
      '\', '\\'), '''', '''''') || '''' || case when length(folded) < 3 then ':*' else '' end,
    ' & ')::tsquery
  from borsello.folded(part) as folded, lateral (
    select generate_series(1, length(folded) - 2, 3) union select greatest(length(folded) - 2, 1)
  ) as taken (place)
);

-- Apart from the wallet: it changes only with these fields, while wallets change all the time.
create table borsello.wallet_search (
  wallet_id uuid primary key references borsello.wallet on delete cascade,
  search_keys tsvector not null
);
-- A short list of what is not yet sorted in, since every search reads it whole.
create index wallet_search_by_keys on borsello.wallet_search using gin (search_keys)
  with (gin_pending_list_limit = 512);

create function borsello.index_wallet() returns trigger language plpgsql as $$
begin
  insert into borsello.wallet_search values (new.wallet_id, borsello.search_keys(new))
  on conflict (wallet_id) do update set search_keys = excluded.search_keys;
  return null;
end $$;
create trigger wallet_indexed after insert on borsello.wallet
  for each row execute function borsello.index_wallet();
create trigger wallet_reindexed
  after update of first_name, last_name, phone_number, email on borsello.wallet
  for each row when ((old.first_name, old.last_name, old.phone_number, old.email)
    is distinct from (new.first_name, new.last_name, new.phone_number, new.email))
  execute function borsello.index_wallet();

insert into borsello.wallet_search
select w.wallet_id, borsello.search_keys(w) from borsello.wallet as w;
