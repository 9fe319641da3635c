/** What a change of tax id or names takes away: the proof of the IBAN, a contract that shows somebody else. */
import { z } from "zod";
import type { Wallet } from "../../contracts/wallet/wallets.js";
import { debtorNameFits } from "../../domain/wallet/debtor-name.js";
import type { Actor } from "../access/wallet-access.js";
import { retryTransfers } from "../bank/retries.js";
import { restartOnboarding } from "../onboarding/restart.js";
import type { Queryable } from "../platform/database.js";
import { readWallet } from "./wallets.js";

const Proof = z.object({ debtorName: z.string() });

/** The name on the account, as it came with the transfer that validated the IBAN. */
const selectProof = `
  select n.debtor_name as "debtorName"
  from borsello.wallet as w
  join borsello.iban_validation as v on v.wallet_id = w.wallet_id and v.status = 'Validated'
    and v.iban = w.iban
  join borsello.bank_notification as n on n.bank_notification_id = v.bank_notification_id
  where w.wallet_id = $1 and w.is_iban_validated
  order by v.attempt desc limit 1`;

/** The version stays: the event of the new validation, which follows, reports this change, too. */
const invalidate = `
  with changed as (
    update borsello.wallet set is_iban_validated = false where wallet_id = $1
    returning partner_key
  )
  insert into borsello.audit
    (actor, partner_key, entity, entity_id, action, from_status, to_status)
  select $2, partner_key, 'Wallet', $1::uuid::text, 'invalidateIban', 'Validated', 'Waiting'
  from changed`;

/**
 * To be called after tax id or names were changed, in the same transaction, by whoever holds the
 * wallet's row. A debtor's name that no longer fits leaves the IBAN to be validated anew; transfers that
 * waited for other names are tried again; a completed onboarding whose contract shows somebody else, or
 * whose IBAN has lost its proof, runs again. An open mandate stays: it is collected from no account that
 * is not validated. Answers the wallet as it is then.
 */
export const followIdentity = async (
  tx: Queryable,
  actor: Actor,
  walletId: string,
): Promise<Wallet> => {
  const changed = await readWallet(tx, walletId);
  if (changed === undefined) throw new Error("A locked wallet was gone after its change.");
  const proof = await tx.row(Proof, selectProof, [walletId]);
  if (proof !== undefined && !debtorNameFits(proof.debtorName, changed))
    await tx.execute(invalidate, [walletId, actor.clientId]);
  await retryTransfers(tx, walletId);
  await restartOnboarding(tx, actor, walletId);
  return (await readWallet(tx, walletId)) ?? changed;
};
