-- The holder's identity: searches that see no accents.

-- A text as searches compare it: without accents and case, by Unicode's rules whatever the locale.
-- Letters that Unicode does not take apart are spelled as tax ids spell them.
create or replace function borsello.folded(value text) returns text
language sql immutable parallel safe
return case
  -- Nearly all are ASCII, which has nothing to take apart.
  when octet_length(value) = length(value) then lower(value collate "pg_c_utf8")
  else normalize(
    replace(replace(replace(replace(
      translate(
        regexp_replace(
          normalize(lower(normalize(value, nfkc) collate "pg_c_utf8"), nfkd),
          '[\u0300-\u036f]', '', 'g'),
        'øłđðħı’ʼ', 'olddhi'''''),
      'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
    nfc)
end;

update borsello.wallet_search as s set search_keys = borsello.search_keys(w)
from borsello.wallet as w
where w.wallet_id = s.wallet_id
  and octet_length(w.first_name || w.last_name) <> length(w.first_name || w.last_name);
