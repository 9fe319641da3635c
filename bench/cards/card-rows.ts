/** Accounts and cards of a partner, written by SQL. */
import type { Client } from "pg";
import { z } from "zod";

const Tokens = z.array(z.object({ token: z.string() }));

const fill = `
  with made as (
    select uuidv7() as account_id, uuidv7() as customer_id,
      lpad((hashtext($1)::bigint & 65535)::text, 5, '0') || lpad(n::text, 7, '0') as number,
      lpad((n % 10000)::text, 4, '0') as last_four
    from generate_series(1, $2::integer) as n
  ), account as (
    insert into borsello.card_account (account_id, partner_key, customer_id, account_number,
      card_processor_reference, card_processor_data)
    select account_id, $1, customer_id, number, number, '{}' from made
  )
  insert into borsello.card (account_id, partner_key, customer_id, relation_type, name_on_card,
    product_code, pan_token, masked_pan, expiry_date, card_processor_data)
  select account_id, $1, customer_id, 'Primary', 'RITA RICCA', 'STANDARD',
    '999999' || number || last_four, '999999******' || last_four,
    borsello.rome_date(borsello.platform_now()) + 365, '{}'
  from made
  returning pan_token as token`;

/** The tokens of so many new cards, each of an account of its own. */
export const fillCards = async (
  client: Client,
  partner: string,
  count: number,
): Promise<readonly string[]> =>
  Tokens.parse((await client.query(fill, [partner, count])).rows).map(({ token }) => token);
