/** What a wallet could spend at an earlier moment: its entries up to then, minus what was held then. */
import { z } from "zod";
import { success, type Outcome } from "../../domain/outcome.js";
import { readOwned, type Reader, type WalletRefusal } from "../access/wallet-access.js";
import type { Queryable } from "../platform/database.js";

const BalanceAt = z.object({ partnerKey: z.string(), availableCents: z.bigint() });

/**
 * A debit holds its amount from its creation until the first of its dates that ends it. A payment's
 * fee is held on after its confirmation, until it is posted or given back.
 */
const selectBalanceAt = `
  with ledger as (
    select coalesce(sum(amount_cents), 0) as cents
    from borsello.bucket join borsello.entry using (account_id)
      join borsello.ledger_transaction using (transaction_id)
    where wallet_id = $1 and posted_at <= $2
  ), debit as (
    select type, final_amount_cents, fees_amount_cents, confirmation_date, coalesce(
        least(confirmation_date, cancellation_date, termination_date,
          case when status = 'Expired' then expiry_date end), 'infinity') as decided_at,
      case when type = 'Payment' and fees_amount_cents > 0 then coalesce((
        select min(posted_at) from borsello.ledger_transaction as fee
        where fee.cause_id = o.operation_id and fee.kind in ('Fee', 'Reversal')), 'infinity')
      end as fee_until
    from borsello.operation as o
    where wallet_id = $1 and not income and creation_date <= $2
  ), held as (
    select coalesce(sum(case
      when decided_at > $2 then final_amount_cents
      when confirmation_date <= $2 and fee_until > $2 then fees_amount_cents
      else 0 end), 0) as cents
    from debit
  )
  select partner_key as "partnerKey", (ledger.cents - held.cents)::bigint as "availableCents"
  from borsello.wallet, ledger, held where wallet_id = $1`;

/** `at` is no moment that is still to come. */
export const findBalanceAt = async (
  database: Queryable,
  reader: Reader,
  walletId: string,
  at: Date,
): Promise<Outcome<bigint, WalletRefusal>> => {
  const row = await database.row(BalanceAt, selectBalanceAt, [walletId, at]);
  const found = readOwned(row, reader, walletId);
  return found.ok ? success(found.value.availableCents) : found;
};
