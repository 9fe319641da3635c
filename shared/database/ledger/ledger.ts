/** The ledger in SQL: accounts, buckets, postings, balances. */
import { z } from "zod";
import type { Posting } from "../../domain/ledger/posting.js";
import { success, type Outcome } from "../../domain/outcome.js";
import type { Queryable } from "../platform/database.js";
import { readOwned, type WalletRefusal, type Reader } from "../access/wallet-access.js";

export type FundsType = "Standard" | "Welfare" | "Loyalty";

const Bucket = z.object({ bucketId: z.string(), accountId: z.bigint(), isNew: z.boolean() });
export type Bucket = z.infer<typeof Bucket>;

export interface BucketKey {
  readonly walletId: string;
  readonly partnerKey: string;
  readonly fundsType: FundsType;
  /** `YYYY-MM-DD`; null: the funds never expire. */
  readonly fundsExpiryDate: string | null;
  readonly isWithdrawable: boolean;
}

/** The wallet's bucket of these funds, opened on first use. The caller holds the wallet's row. */
export const openBucket = async (tx: Queryable, key: BucketKey): Promise<Bucket> => {
  const bucket = await tx.row(
    Bucket,
    `with known as (
       select bucket_id, account_id from borsello.bucket
       where wallet_id = $1 and funds_type = $3 and funds_expiry_date is not distinct from $4::date
     ), fresh as materialized (
       select uuidv7() as bucket_id where not exists (select from known)
     ), opened as (
       insert into borsello.bucket
         (bucket_id, wallet_id, partner_key, account_id, funds_type, funds_expiry_date,
          is_withdrawable)
       select bucket_id, $1, $2, borsello.account_for($2, 'Bucket', bucket_id::text), $3, $4, $5
       from fresh
       returning bucket_id, account_id
     )
     select bucket_id as "bucketId", account_id as "accountId", false as "isNew" from known
     union all
     select bucket_id, account_id, true from opened`,
    [key.walletId, key.partnerKey, key.fundsType, key.fundsExpiryDate, key.isWithdrawable],
  );
  if (bucket === undefined) throw new Error(`no bucket could be opened for ${key.walletId}`);
  return bucket;
};

const Account = z.object({ accountId: z.bigint() });

/** The account that stands for the partner's money at the bank. */
export const bankAccountOf = async (tx: Queryable, partnerKey: string): Promise<bigint> => {
  const account = await tx.row(
    Account,
    `select borsello.account_for($1, 'Bank', 'safeguarding') as "accountId"`,
    [partnerKey],
  );
  if (account === undefined) throw new Error(`partner ${partnerKey} has no bank account`);
  return account.accountId;
};

const Posted = z.object({ transactionId: z.bigint() });

/** Undefined: this operation's movement of this kind was posted before. */
export const post = async (
  tx: Queryable,
  { operationId, kind, entries }: Posting,
): Promise<bigint | undefined> => {
  const posted = await tx.row(
    Posted,
    `with opened as (
       insert into borsello.ledger_transaction (operation_id, kind) values ($1, $2)
       on conflict on constraint ledger_transaction_once do nothing
       returning transaction_id
     ), entries as (
       insert into borsello.entry (transaction_id, account_id, amount_cents)
       select transaction_id, account_id, amount_cents
       from opened, unnest($3::bigint[], $4::bigint[]) as line (account_id, amount_cents)
     )
     select transaction_id as "transactionId" from opened`,
    [
      operationId,
      kind,
      entries.map(({ accountId }) => accountId),
      entries.map(({ amountCents }) => amountCents),
    ],
  );
  return posted?.transactionId;
};

const Balance = z.object({ partnerKey: z.string(), availableCents: z.bigint() });

const readBalance = (database: Queryable, walletId: string) =>
  database.row(
    Balance,
    `select partner_key as "partnerKey", borsello.available_cents(wallet_id) as "availableCents"
     from borsello.wallet where wallet_id = $1`,
    [walletId],
  );

/** What the wallet can spend now: balance of its buckets minus what is held. */
export const availableCents = async (database: Queryable, walletId: string): Promise<bigint> =>
  (await readBalance(database, walletId))?.availableCents ?? 0n;

/** The same for a caller, who may read it or not. */
export const findBalance = async (
  database: Queryable,
  reader: Reader,
  walletId: string,
): Promise<Outcome<bigint, WalletRefusal>> => {
  const found = readOwned(await readBalance(database, walletId), reader, walletId);
  return found.ok ? success(found.value.availableCents) : found;
};
