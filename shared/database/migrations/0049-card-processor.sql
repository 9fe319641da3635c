-- The card processor: accounts that it opens, cards that it issues, new PINs for it.

-- Twelve digits, one fewer than the shortest number of a card has.
create sequence borsello.card_account_number minvalue 100000000001 maxvalue 999999999999;

-- A token that a new PIN needs, and the card that it is for: used once, and gone with that.
create table borsello.card_pin_token (
  -- SHA-256: the token itself is with the card holder alone.
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  card_id uuid not null references borsello.card,
  expires_at timestamptz not null
);
create index card_pin_token_of_card on borsello.card_pin_token (card_id);

-- The sandbox processor's key for PINs: made once. Empty in production.
create table borsello.sandbox_card_key (
  only_row boolean primary key default true check (only_row),
  private_jwk jsonb not null
);

-- An account with its address. `opened`, `repeated`, else why it cannot be: the same identifier with another
-- affiliate, customer or address is another account.
create function borsello.open_card_account(said json) returns text
language plpgsql volatile as $$
declare
  given constant record := (select g from json_to_record(said) as g (
    "accountId" uuid, "addressId" uuid, "affiliate" text, "customerId" uuid));
  place constant record := (select p from json_to_record(said -> 'address') as p (
    "type" text, "countryCode" text, "line1" text, "line2" text, "line3" text, "city" text,
    "postOffice" text, "zipCode" text, "province" text, "externalReference" text));
  number text;
begin
  perform from borsello.partner
  where partner_key = given."affiliate" and removed_at is null for key share;
  if not found then return 'affiliateUnknown'; end if;
  perform from borsello.card_address
  where address_id = given."addressId" and account_id <> given."accountId";
  if found then return 'addressReused'; end if;

  number := nextval('borsello.card_account_number')::text;
  insert into borsello.card_account (account_id, partner_key, customer_id, account_number,
    card_processor_reference, card_processor_data)
  values (given."accountId", given."affiliate", given."customerId", number,
    given."accountId"::text, json_build_object(
      'id', given."accountId", 'accountNumber', number, 'type', 'CHARGE', 'productCode', null,
      'feeProfile', null, 'accountProfile', null, 'customerId', given."customerId",
      'sourceId', null, 'status', 'ACTIVE', 'statusReasonCode', null, 'currency', 'EUR'))
  on conflict (account_id) do nothing;
  if not found then
    perform from borsello.card_account as a join borsello.card_address as d using (account_id)
    where a.account_id = given."accountId" and a.partner_key = given."affiliate"
      and a.customer_id = given."customerId" and d.address_id = given."addressId";
    return case when found then 'repeated' else 'accountReused' end;
  end if;

  insert into borsello.card_address (address_id, account_id, partner_key, type, country_code, line1,
    line2, line3, city, post_office, zip_code, province, external_reference,
    card_processor_reference, card_processor_data)
  values (given."addressId", given."accountId", given."affiliate", place."type",
    place."countryCode", place."line1", place."line2", place."line3", place."city",
    place."postOffice", place."zipCode", place."province", place."externalReference",
    given."addressId"::text, json_build_object(
      'id', given."addressId", 'sourceId', null, 'type', place."type",
      'countryCode', place."countryCode", 'line1', place."line1", 'line2', place."line2",
      'line3', place."line3", 'city', place."city", 'postOffice', place."postOffice",
      'zipCode', place."zipCode", 'province', place."province"));
  insert into borsello.audit (actor, partner_key, entity, entity_id, action, to_status)
  values ('processor', given."affiliate", 'CardAccount', given."accountId"::text, 'open', 'ACTIVE');
  insert into borsello.card_state_change (account_id, to_status, actor)
  values (given."accountId", 'ACTIVE', 'processor');
  return 'opened';
end $$;

-- What the processor has made of a card, whatever has become of the card meanwhile. `issued`, `repeated`,
-- else why it cannot be.
create function borsello.issue_card(said json) returns text
language plpgsql volatile as $$
declare
  given constant record := (select g from json_to_record(said) as g (
    "cardId" uuid, "panToken" text, "maskedPan" text, "expiryDate" date));
  c borsello.card;
begin
  select * into c from borsello.card where card_id = given."cardId" for no key update;
  if not found then return 'cardUnknown'; end if;
  if c.pan_token is not null then
    return case when (c.pan_token, c.masked_pan, c.expiry_date)
      = (given."panToken", given."maskedPan", given."expiryDate")
      then 'repeated' else 'alreadyIssued' end;
  end if;
  begin
    update borsello.card set
      pan_token = given."panToken", masked_pan = given."maskedPan",
      expiry_date = given."expiryDate", card_processor_reference = card_id::text,
      card_processor_data = (
        select json_object_agg(key, coalesce(told.value, known.value) order by known.place)
        from json_each(card_processor_data) with ordinality as known (key, value, place)
          left join json_each(json_build_object('id', c.card_id,
            'panToken', given."panToken", 'maskedPan', given."maskedPan", 'status', 'Active',
            'expiryDate', given."expiryDate")) as told using (key)),
      last_update_date = borsello.platform_now(), version = version + 1
    where card_id = c.card_id;
  exception when unique_violation then
    return 'tokenReused';
  end;
  insert into borsello.audit (actor, partner_key, entity, entity_id, action, from_status, to_status)
  values ('processor', c.partner_key, 'Card', c.card_id::text, 'issue', c.status, c.status);
  return 'issued';
end $$;

-- A new PIN's cypher is the processor's alone: once the broker has it, the platform keeps it no more.
create function borsello.forget_cypher() returns trigger
language plpgsql as $$
begin
  new.body := json_build_object(
    'commandId', new.message_id, 'kind', 'pin', 'cardId', new.session_id);
  return new;
end $$;
create trigger outbox_forgets_cyphers before update of sent_at on borsello.outbox
for each row when (new.subject = 'CardProcessorCommand' and new.sent_at is not null
  and new.body ->> 'kind' = 'pin')
execute function borsello.forget_cypher();
