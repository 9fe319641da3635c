-- The holder's identity: searches that see no accents, and contracts that keep whose they are.

-- A text as searches compare it: without accents and case, by Unicode's rules whatever the locale.
-- A text of nothing but accents is compared as it is: as an empty one it would be found in every name.
-- Letters that Unicode does not take apart are spelled as tax ids spell them.
create or replace function borsello.folded(value text) returns text
language sql immutable parallel safe
return case
  -- Nearly all are ASCII, which has nothing to take apart.
  when octet_length(value) = length(value) then lower(value collate "pg_c_utf8")
  else coalesce(nullif(normalize(
    replace(replace(replace(replace(
      translate(
        regexp_replace(
          normalize(lower(normalize(value, nfkc) collate "pg_c_utf8"), nfkd),
          '[\u0300-\u036f]', '', 'g'),
        'øłđðħı’ʼ', 'olddhi'''''),
      'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
    nfc), ''), value)
end;

update borsello.wallet_search as s set search_keys = borsello.search_keys(w)
from borsello.wallet as w
where w.wallet_id = s.wallet_id
  and octet_length(w.first_name || w.last_name) <> length(w.first_name || w.last_name);

-- What a contract shows of the wallet's holder.
create function borsello.contract_holder(w borsello.wallet) returns json
language sql stable parallel safe
return json_build_object(
  'walletId', w.wallet_id, 'partnerKey', w.partner_key, 'taxId', w.tax_id,
  'firstName', w.first_name, 'lastName', w.last_name, 'addressStreet', w.address_street,
  'addressNumber', w.address_number, 'zipCode', w.zip_code, 'city', w.city,
  'province', w.province, 'country', w.country, 'phoneNumber', w.phone_number,
  'email', w.email, 'iban', w.iban
);

-- As they were when the signature was asked for; null where that is not known.
alter table borsello.contract add column holder json;
-- Signed anew under other data, a contract is Signing and still has the document from before.
alter table borsello.contract drop constraint contract_check,
  add constraint contract_signed
    check (status <> 'Signed' or signed_at is not null and document_key is not null);
