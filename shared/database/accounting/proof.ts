/** The proof of a partner's books: trial balance, replay of every bucket, end of the hash chain. */
import { z } from "zod";
import { mismatchesMax, Proof } from "../../contracts/accounting/proof.js";
import type { Queryable } from "../platform/database.js";

export interface ProofScope {
  /** Null: every partner's books. */
  readonly partnerKey: string | null;
  /** Entries after it are left out. */
  readonly at: Date | null;
}

const ProofRow = z.object({ proof: Proof });

/** One statement, so that all figures are of one moment. */
const selectProof = `
  with movement as (
    select coalesce(sum(amount_cents) filter (where amount_cents < 0), 0) as debit_cents,
      coalesce(sum(amount_cents) filter (where amount_cents > 0), 0) as credit_cents
    from borsello.entry join borsello.account using (account_id)
      join borsello.ledger_transaction using (transaction_id)
    where ($1::text is null or partner_key = $1)
      and ($2::timestamptz is null or posted_at <= $2)
    group by transaction_id
  ), trial as (
    select coalesce(-sum(debit_cents), 0)::bigint as debit_cents,
      coalesce(sum(credit_cents), 0)::bigint as credit_cents,
      coalesce(bool_and(debit_cents + credit_cents = 0), true) as balanced
    from movement
  ), mismatch as (
    select bucket.partner_key, wallet_id, bucket_id, balance_cents,
      coalesce(sum(amount_cents), 0)::bigint as replayed_cents
    from borsello.bucket left join borsello.entry using (account_id)
    where $1::text is null or bucket.partner_key = $1
    group by bucket_id
    having balance_cents <> coalesce(sum(amount_cents), 0)
    order by bucket_id
    limit ${mismatchesMax}
  )
  select json_build_object(
    'debits', borsello.money(debit_cents), 'credits', borsello.money(credit_cents),
    'balanced', balanced,
    'headHash', (
      select encode(hash, 'hex') from borsello.audit_link
      where $2::timestamptz is null or sealed_at <= $2
      order by sealed_at desc, link_id desc limit 1),
    'mismatches', coalesce((
      select json_agg(json_build_object('partnerKey', partner_key, 'walletId', wallet_id,
        'bucketId', bucket_id, 'balance', borsello.money(balance_cents),
        'replayedBalance', borsello.money(replayed_cents)) order by bucket_id)
      from mismatch), '[]')) as proof
  from trial`;

export const proveBooks = async (
  database: Queryable,
  { partnerKey, at }: ProofScope,
): Promise<Proof> => {
  const row = await database.row(ProofRow, selectProof, [partnerKey, at]);
  if (row === undefined) throw new Error("an aggregate without groups gave no row");
  return row.proof;
};
