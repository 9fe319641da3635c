/** The reference L: the same transfer as one bare call to PostgreSQL, and nothing around it. */
import { Pool } from "pg";
import { closedLoop, type SlotFigures } from "../durable/closed-loop.js";
import { withClient } from "../durable/bench-postgres.js";

/** Two accounts, a transaction, two entries, two balances. */
const schema = `
  create table account (account_id integer primary key, balance_cents bigint not null);
  create table transaction (
    transaction_id bigint generated always as identity primary key,
    posted_at timestamptz not null default now());
  create table entry (
    transaction_id bigint not null references transaction,
    account_id integer not null references account,
    amount_cents bigint not null check (amount_cents <> 0),
    primary key (transaction_id, account_id));
  create function transfer(debtor integer, creditor integer, cents bigint) returns bigint
  language plpgsql as $$
  declare
    posted bigint;
  begin
    perform from account where account_id in (debtor, creditor) order by account_id for update;
    insert into transaction default values returning transaction_id into posted;
    insert into entry values (posted, debtor, -cents), (posted, creditor, cents);
    update account set balance_cents = balance_cents - cents where account_id = debtor;
    update account set balance_cents = balance_cents + cents where account_id = creditor;
    return posted;
  end $$;`;

const connections = 16;
const inFlight = 32;

export interface BareLedger {
  slot(seconds: number): Promise<SlotFigures>;
  stop(): Promise<void>;
}

/** In a database of its own on the same server. */
export const startBareLedger = async (
  serverUrl: string,
  name: string,
  accounts: number,
): Promise<BareLedger> => {
  await withClient(serverUrl, (client) => client.query(`create database ${name}`));
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const pool = new Pool({ connectionString: url.href, max: connections });
  await pool.query(schema);
  await pool.query(
    `insert into account select n, 100000000 from generate_series(1, ${accounts}) as n`,
  );
  const any = (): number => 1 + Math.floor(Math.random() * accounts);
  const transfer = async (): Promise<void> => {
    const debtor = any();
    const creditor = 1 + (debtor % accounts);
    await pool.query({
      name: "transfer",
      text: "select transfer($1, $2, 10)",
      values: [debtor, creditor],
    });
  };
  return {
    slot: (seconds) => closedLoop({ inFlight, seconds }, transfer),
    stop: () => pool.end(),
  };
};
