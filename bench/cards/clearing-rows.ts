/** Presentments and fees of many affiliates, written by SQL as if the processor had told them one by one. */
import { Client } from "pg";

export interface ClearingLoad {
  /** Partners that are not there are made; each keeps a share of its own. */
  readonly affiliates: readonly string[];
  readonly presentments: number;
  readonly fees: number;
}

const cardsOfEach = 50;

/** The same for the same text, and as an identifier looks. */
const idOf = (text: string): string =>
  `overlay(overlay(md5(${text}) placing '7' from 13) placing '8' from 17)::uuid`;

const insertAffiliates = `
  with affiliate as (
    select key, json_build_object('cards', json_build_object('deductions', json_build_object(
      'interchangePercent', n * 0.01, 'feePercent', 12.5)))::jsonb as settings
    from unnest($1::text[]) with ordinality as named (key, n)
  )
  insert into borsello.partner (partner_key, client_id, auth_key_salt, auth_key_hash, roles, settings)
  select key, key || '-client', '\\x00', '\\x00', '{}', settings from affiliate
  on conflict (partner_key) do update set settings = partner.settings || excluded.settings`;

const insertAccounts = `
  insert into borsello.card_account (account_id, partner_key, customer_id, account_number,
    card_processor_reference, card_processor_data)
  select ${idOf("'account ' || n")}, key, gen_random_uuid(), 'load-' || n, 'load-' || n, '{}'
  from unnest($1::text[]) with ordinality as named (key, n) on conflict do nothing`;

const insertCards = `
  insert into borsello.card (card_id, account_id, partner_key, customer_id, relation_type,
    name_on_card, product_code, pan_token, masked_pan, expiry_date, card_processor_data)
  select ${idOf("'card ' || n")}, account_id, partner_key, customer_id, 'Primary', 'MARIO ROSSI',
    'STANDARD', '999999' || lpad(n::text, 12, '0') || '1234', '999999******1234', '2090-12-31', '{}'
  from generate_series(1, $1::integer * $2::integer) as n
    join borsello.card_account on account_id = ${idOf("'account ' || 1 + (n - 1) / $2::integer")}
  on conflict do nothing`;

/** Of every kind and in and out of the euro area; some with a fee, some authorised before. */
const insertPresentments = `
  with numbered as (
    select n, md5($2 || ' ' || n) as id, card_id, account_id, customer_id, partner_key,
      100 + n * 7919::bigint % 20000 as cents, case when n % 3 = 0 then n % 40 else 0 end as fee,
      case when n % 10 = 9 then 20 else 0 end as type, n % 25 = 24 as is_reversal,
      (array['ITA', 'DEU', 'USA', 'FRA', 'CHE', 'HRV'])[1 + n % 6] as country,
      now() - n % 86400 * interval '1 second' as at
    from generate_series(1, $1::integer) as n
      join borsello.card on card_id = ${idOf("'card ' || 1 + n * 31::bigint % $3::integer")}
  ), transactions as (
    insert into borsello.card_transaction (transaction_id, partner_key, card_id, account_id,
      customer_id, billing_cents, fee_cents, status, type, transaction_date)
    select id, partner_key, card_id, account_id, customer_id, cents, fee, 'Presented', type, at
    from numbered
  )
  insert into borsello.clearing_item
    (type, item_id, record, partner_key, transaction_id, authorised_at)
  select 'CLEARINGMULTISCHEME', id, json_build_object('presentmentId', id, 'cardId', card_id,
      'amount', borsello.money(cents), 'currency', 'EUR', 'merchantName', 'Caffè "Roma" ' || n,
      'merchantCountry', country, 'type', type, 'isReversal', is_reversal, 'mcc', 5812,
      'feeAmount', borsello.money(fee), 'transactionDate', borsello.iso(at))::text,
    partner_key, id, case when n % 2 = 0 then at end
  from numbered order by n`;

const insertFees = `
  insert into borsello.clearing_item (type, item_id, record, partner_key)
  select 'FEEMULTISCHEME', id, json_build_object('feeId', id, 'cardId', card_id,
      'amount', borsello.money(1 + n % 500), 'currency', 'EUR', 'feeType', 'Membership',
      'feeCode', 'MF' || n % 7, 'feeDescription', 'Monthly membership')::text, partner_key
  from (
    select n, md5($2 || ' fee ' || n) as id
    from generate_series(1, $1::integer) as n
  ) as numbered
    join borsello.card on card_id = ${idOf("'card ' || 1 + n * 31::bigint % $3::integer")}
  order by n`;

/** `name` tells the rows of one load from those of another on the same database. */
export const writePresented = async (
  databaseUrl: string,
  name: string,
  { affiliates, presentments, fees }: ClearingLoad,
): Promise<void> => {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const cards = affiliates.length * cardsOfEach;
    await client.query(insertAffiliates, [affiliates]);
    await client.query(insertAccounts, [affiliates]);
    await client.query(insertCards, [affiliates.length, cardsOfEach]);
    await client.query(insertPresentments, [presentments, name, cards]);
    await client.query(insertFees, [fees, name, cards]);
    // What autovacuum does within a minute.
    await client.query("vacuum analyze borsello.clearing_item, borsello.card_transaction");
  } finally {
    await client.end();
  }
};
