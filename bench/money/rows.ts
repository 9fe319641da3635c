/** Wallets with funds, and payments and groups that wait to be confirmed, written by SQL: a grown platform in a minute. */
import type { Client } from "pg";

/** Wallets `from` (exclusive) to `to`, each with a deposit in its books: three entries, one bucket. */
const fill = [
  `create temporary table made on commit drop as
     select n, uuidv7() as wallet_id, uuidv7() as bucket_id, uuidv7() as operation_id
     from generate_series($1::integer + 1, $2::integer) as n`,
  "analyze made",
  `insert into borsello.wallet (wallet_id, partner_key, tax_id, first_name, last_name, phone_number,
     email, originating_dealer_key, last_usage_date)
   select wallet_id, 'acme', 'RICH' || n, 'Rita', 'Ricca', '+39333' || lpad(n::text, 7, '0'),
     'rich' || n || '@example.com', 'dealer-rome', now()
   from made`,
  `insert into borsello.onboarding
     (wallet_id, partner_key, status, started_at, expires_at, ended_at)
   select wallet_id, 'acme', 'Completed', now(), now(), now() from made`,
  `insert into borsello.account (partner_key, kind, reference)
   select 'acme', 'Bucket', bucket_id::text from made order by n`,
  "analyze borsello.account",
  `insert into borsello.bucket (bucket_id, wallet_id, partner_key, account_id, funds_type,
     is_withdrawable, balance_cents, last_incoming_date)
   select bucket_id, wallet_id, 'acme', account_id, 'Standard', true, 89999900, now()
   from made join borsello.account on kind = 'Bucket' and reference = bucket_id::text`,
  `insert into borsello.operation (operation_id, wallet_id, partner_key, dealer_key, type,
     amount_cents, final_amount_cents, net_amount_cents, fees_amount_cents, fees, status,
     creation_date, confirmation_date, completion_date, funds_type, bucket_id)
   select operation_id, wallet_id, 'acme', 'dealer-rome', 'CashDeposit', 90000000, 90000000,
     89999900, 100, '[]', 'Completed', now() - interval '60 days', now() - interval '60 days',
     now() - interval '60 days', 'Standard', bucket_id
   from made order by n`,
  `insert into borsello.ledger_transaction (operation_id, kind)
   select operation_id, 'Deposit' from made order by n`,
  "analyze borsello.bucket, borsello.ledger_transaction",
  `insert into borsello.entry (transaction_id, account_id, amount_cents)
   select transaction_id, line.account_id, line.amount_cents
   from made join borsello.ledger_transaction using (operation_id)
     join borsello.bucket using (bucket_id)
     cross join lateral (values (bucket.account_id, 89999900),
       (borsello.account_for('acme', 'Bank', 'safeguarding'), -90000000),
       (borsello.account_for('acme', 'Fees', 'platform'), 100)
     ) as line (account_id, amount_cents)`,
];

const tables = ["wallet", "bucket", "operation", "ledger_transaction", "entry"] as const;

const recount = [
  "select borsello.recount_wallets()",
  "delete from borsello.operation_count",
  "insert into borsello.operation_count select * from borsello.operation_count_of_operations",
];

/** Adds wallets with funds until there are so many; what triggers would have counted is counted anew. */
export const fillWallets = async (client: Client, from: number, to: number): Promise<void> => {
  await client.query("begin");
  // Neither triggers nor the checks of references, which would take most of the time: they hold by construction.
  await client.query("set local session_replication_role = replica");
  for (const statement of fill)
    await client.query(statement, statement.includes("$1") ? [from, to] : []);
  for (const statement of recount) await client.query(statement);
  await client.query("commit");
  await client.query(`vacuum analyze ${tables.map((table) => `borsello.${table}`).join(", ")}`);
};

/** A store of that code. */
export const openStore = async (client: Client, code: string): Promise<string> => {
  const { rows } = await client.query<{ id: string }>(
    `insert into borsello.store
       (partner_key, dealer_key, name, city, address, account_id, email, phone_number, code)
     select 'acme', 'dealer-rome', $1, 'Roma', 'Via Appia 1', account_id, 'shop@example.com',
       '+390600000', $1
     from borsello.account_for('acme', 'Store', $1) as account_id returning store_id as id`,
    [code],
  );
  const [store] = rows;
  if (store === undefined) throw new Error("A store was not made.");
  return store.id;
};

/** Ends what a slot has left open: what waits would weigh on the next one. */
const endOpen = async (client: Client): Promise<void> => {
  await client.query(
    "update borsello.operation_group set status = 'Cancelled' where status = 'Initialized'",
  );
  await client.query(
    "update borsello.operation set status = 'Cancelled' where status = 'Initialized'",
  );
};

export interface Waiting {
  readonly walletId: string;
  readonly operationId: string;
}

/** Payments at one of the stores that wait to be confirmed, wallet after wallet. */
export const openPayments = async (
  client: Client,
  { wallets, stores, count }: { wallets: number; stores: readonly string[]; count: number },
): Promise<Waiting[]> => {
  await endOpen(client);
  const { rows } = await client.query<Waiting>(
    `insert into borsello.operation (wallet_id, partner_key, dealer_key, store_id, type,
       idempotency_key, request_hash, amount_cents, final_amount_cents, net_amount_cents,
       fees_amount_cents, fees, status, expiry_date, tags, funds_type, bucket_id)
     select wallet_id, 'acme', 'dealer-rome', ($2::uuid[])[1 + n % cardinality($2::uuid[])],
       'Payment', md5(random()::text), sha256(n::text::bytea), 10, 10, 10, 0, '[]', 'Initialized',
       now() + interval '1 day', '{"till":"3"}', 'Standard', bucket_id
     from generate_series(1, $3::integer) as n
       join (
         select row_number() over (order by wallet_id) as place, wallet_id
         from borsello.wallet where tax_id like 'RICH%'
         order by wallet_id limit $1) as w on place = 1 + n % $1
       join borsello.bucket using (wallet_id)
     order by n
     returning wallet_id as "walletId", operation_id as "operationId"`,
    [wallets, stores, count],
  );
  return rows;
};

export interface WaitingGroup {
  readonly walletId: string;
  readonly groupId: string;
}

/** Groups of payments that wait, each of another wallet. */
export const openGroups = async (
  client: Client,
  given: { wallets: number; stores: readonly string[]; count: number; size: number },
): Promise<WaitingGroup[]> => {
  const { wallets, stores, count, size } = given;
  await endOpen(client);
  const { rows } = await client.query<WaitingGroup>(
    `insert into borsello.operation_group
       (wallet_id, partner_key, idempotency_key, request_hash, expiry_date)
     select wallet_id, 'acme', md5(random()::text), sha256(wallet_id::text::bytea),
       now() + interval '1 day'
     from (
       select wallet_id from borsello.wallet where tax_id like 'RICH%'
       order by wallet_id limit $1) as w
     limit $2
     returning wallet_id as "walletId", operation_group_id as "groupId"`,
    [wallets, count],
  );
  await client.query(
    `insert into borsello.operation (wallet_id, partner_key, dealer_key, store_id, type,
       idempotency_key, request_hash, amount_cents, final_amount_cents, net_amount_cents,
       fees_amount_cents, fees, status, expiry_date, tags, funds_type, bucket_id,
       operation_group_id)
     select wallet_id, 'acme', 'dealer-rome', ($1::uuid[])[1 + n % cardinality($1::uuid[])],
       'Payment', md5(random()::text), sha256(n::text::bytea), 10, 10, 10, 0, '[]', 'Initialized',
       now() + interval '1 day', '{"till":"3"}', 'Standard', bucket_id, operation_group_id
     from borsello.operation_group join borsello.bucket using (wallet_id)
       cross join generate_series(1, $2::integer) as n
     where operation_group.status = 'Initialized'`,
    [stores, size],
  );
  return rows;
};
