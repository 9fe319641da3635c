/** A wallet's buckets: the list, and putting them right by the ledger's entries. */
import { z } from "zod";
import { Bucket, type ResyncedBuckets } from "../../contracts/ledger/buckets.js";
import { success, type Outcome } from "../../domain/outcome.js";
import type { Database, Queryable } from "../platform/database.js";
import { openBucket } from "./ledger.js";
import {
  lockWallet,
  readOwned,
  type Actor,
  type WalletRefusal,
  type Reader,
} from "../access/wallet-access.js";

const Buckets = z.object({ partnerKey: z.string(), buckets: z.array(Bucket) });

export const listBuckets = async (
  database: Queryable,
  reader: Reader,
  walletId: string,
): Promise<Outcome<Bucket[], WalletRefusal>> => {
  const row = await database.row(
    Buckets,
    `select partner_key as "partnerKey", coalesce((
       select json_agg(borsello.bucket_record(b) order by b.creation_date, b.bucket_id)
       from borsello.bucket as b where b.wallet_id = w.wallet_id), '[]') as buckets
     from borsello.wallet as w where wallet_id = $1`,
    [walletId],
  );
  const found = readOwned(row, reader, walletId);
  return found.ok ? success(found.value.buckets) : found;
};

const Deposits = z.object({ lacksStandard: z.boolean() });

/** A wallet that ever had a deposit has a bucket of standard funds. */
const createMissing = async (tx: Queryable, actor: Actor, walletId: string): Promise<number> => {
  const deposits = await tx.row(
    Deposits,
    `select exists (
         select from borsello.operation join borsello.ledger_transaction using (operation_id)
         where wallet_id = $1 and income)
       and not exists (
         select from borsello.bucket where wallet_id = $1 and funds_type = 'Standard'
           and funds_expiry_date is null) as "lacksStandard"`,
    [walletId],
  );
  if (deposits?.lacksStandard !== true) return 0;
  const { bucketId } = await openBucket(tx, {
    walletId,
    partnerKey: actor.partnerKey,
    fundsType: "Standard",
    fundsExpiryDate: null,
    isWithdrawable: true,
  });
  await tx.execute(
    `with created as (select * from borsello.bucket where bucket_id = $1), audited as (
       insert into borsello.audit (actor, partner_key, entity, entity_id, action)
       select $2, partner_key, 'Bucket', bucket_id::text, 'create' from created
     )
     select borsello.publish_event('BucketCreated', partner_key, wallet_id::text, 1,
       borsello.bucket_event(created::borsello.bucket))
     from created`,
    [bucketId, actor.clientId],
  );
  return 1;
};

/** The buckets' balances and dates as the entries give them; only rows that differ change. */
const correct = (tx: Queryable, actor: Actor, walletId: string): Promise<number> =>
  tx.execute(
    `with posted as (
       select bucket.bucket_id, bucket.balance_cents as kept_cents,
         coalesce(sum(entry.amount_cents), 0)::bigint as balance_cents,
         max(posted_at) filter (where entry.amount_cents > 0) as last_incoming_date,
         max(posted_at) filter (where entry.amount_cents < 0) as last_outgoing_date
       from borsello.bucket left join borsello.entry using (account_id)
         left join borsello.ledger_transaction using (transaction_id)
       where bucket.wallet_id = $1
       group by bucket.bucket_id
     ), corrected as (
       update borsello.bucket set balance_cents = posted.balance_cents,
         last_incoming_date = posted.last_incoming_date,
         last_outgoing_date = posted.last_outgoing_date
       from posted
       where bucket.bucket_id = posted.bucket_id and
         (bucket.balance_cents, bucket.last_incoming_date, bucket.last_outgoing_date)
         is distinct from
         (posted.balance_cents, posted.last_incoming_date, posted.last_outgoing_date)
       returning bucket.bucket_id, bucket.partner_key, posted.kept_cents, bucket.balance_cents
     )
     insert into borsello.audit (actor, partner_key, entity, entity_id, action, detail)
     select $2, partner_key, 'Bucket', bucket_id::text, 'resync',
       json_build_object('fromCents', kept_cents, 'toCents', balance_cents)
     from corrected`,
    [walletId, actor.clientId],
  );

export const resyncBuckets = (
  database: Database,
  actor: Actor,
  walletId: string,
): Promise<Outcome<ResyncedBuckets, WalletRefusal>> =>
  database.transaction(async (tx): Promise<Outcome<ResyncedBuckets, WalletRefusal>> => {
    const locked = await lockWallet(tx, actor, walletId);
    if (!locked.ok) return locked;
    const updatedBuckets = await correct(tx, actor, walletId);
    const createdBuckets = await createMissing(tx, actor, walletId);
    return success({ createdBuckets, updatedBuckets });
  });
