/** Any number of wallets, written by SQL straight into the tables: a grown platform in a minute. */
import { Client } from "pg";

/** Last names of three syllables: 27,000 of them, so that a name is as rare as in life. */
const syllables =
  "ba be bi bo ca che di do fa fe ga gi la le lo ma me mo na ni pa pe ra ri ro sa se ta ti vo";
const firstNames =
  "Anna Bruno Chiara Dario Elena Fabio Giulia Ivo Luca Marta Nadia Oreste Paola Rita Sara Tea Ugo";

/** The first so many of any number are called this: what a search for it finds does not grow. */
export const rareName = { part: "qwistgaard", wallets: 20 } as const;

const insertWallets = `
  insert into borsello.wallet (partner_key, tax_id, first_name, last_name, phone_number, email,
    originating_dealer_key, status, iban, is_iban_validated, creation_date, last_update_date,
    last_usage_date)
  select 'acme', 'GROWN' || n, first[1 + n % array_length(first, 1)],
    case when n <= $3 then 'Qwistgaard' else initcap(
      syllable[1 + n % 30] || syllable[1 + n / 30 % 30] || syllable[1 + n / 900 % 30]) end,
    '+39333' || lpad((n * 7919::bigint % 10000000)::text, 7, '0'), 'grown' || n || '@example.com',
    (array['dealer-rome', 'dealer-milan'])[1 + n % 2],
    (array['Active', 'Active', 'Active', 'Suspended', 'Closed'])[1 + n % 5],
    case when n % 3 > 0 then 'GROWN' || n end, n % 3 = 1,
    now() - interval '1 year' + n * interval '360 days' / $2::integer,
    case when n % 4 > 0 then now() - n * interval '1 second' end,
    case when n % 2 > 0 then now() - n * interval '1 second' end
  from generate_series($1::integer, $2::integer) as n,
    string_to_array($4, ' ') as syllable, string_to_array($5, ' ') as first`;

/** Adds wallets to those that it made before, until there are so many; counters and indexes follow. */
export const growTo = async (databaseUrl: string, from: number, to: number): Promise<void> => {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    // Sorted in all at once, an index is made in a fraction of the time.
    const { rows } = await client.query<{ definition: string }>(
      "select pg_get_indexdef('borsello.wallet_search_by_keys'::regclass) as definition",
    );
    await client.query("begin");
    await client.query("set local maintenance_work_mem = '512MB'");
    await client.query("drop index borsello.wallet_search_by_keys");
    await client.query("alter table borsello.wallet disable trigger user");
    await client.query(insertWallets, [from + 1, to, rareName.wallets, syllables, firstNames]);
    await client.query(
      `insert into borsello.wallet_search
       select wallet_id, borsello.search_keys(w) from borsello.wallet as w
       where not exists (
         select from borsello.wallet_search as s where s.wallet_id = w.wallet_id)`,
    );
    await client.query(rows[0]?.definition ?? "");
    // Onboarded long ago: the sweep of flows has nothing to start for them.
    await client.query(
      `insert into borsello.onboarding
         (wallet_id, partner_key, status, started_at, expires_at, ended_at)
       select wallet_id, partner_key, 'Completed', creation_date, creation_date, creation_date
       from borsello.wallet on conflict do nothing`,
    );
    await client.query("select borsello.recount_wallets()");
    await client.query("alter table borsello.wallet enable trigger user");
    await client.query("commit");
    await client.query("vacuum analyze borsello.wallet, borsello.wallet_search");
  } finally {
    await client.end();
  }
};
