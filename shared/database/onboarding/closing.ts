/** What a wallet's closing ends of its onboarding: IBAN validation, contract signing, the view itself. */
import type { Actor } from "../access/wallet-access.js";
import type { Queryable } from "../platform/database.js";
import { failOnboarding } from "./onboarding.js";

/** The IBAN stays the wallet's, so that reopening cannot clash; only the attempt is over. */
const endIbanValidation = `
  with ended as (
    update borsello.iban_validation set status = 'Closed', ended_at = borsello.platform_now(),
      feedback = 'The wallet was closed'
    where wallet_id = $1 and status = 'Waiting'
    returning wallet_id, partner_key, attempt
  ), audited as (
    insert into borsello.audit
      (actor, partner_key, entity, entity_id, action, from_status, to_status)
    select $2, partner_key, 'Wallet', wallet_id::text, 'endIbanValidation', 'Waiting', 'Closed'
    from ended
  )
  select borsello.tell_flows('IbanChanged', wallet_id::text, json_build_object(
    'walletId', wallet_id, 'partnerKey', partner_key, 'attempt', attempt))
  from ended`;

const endSigning = `
  with ended as (
    update borsello.contract as c set status = 'Closed', feedback = 'The wallet was closed'
    where wallet_id = $1 and status = 'Signing'
    returning c
  )
  select borsello.record_contract_change(c, $2, 'close', 'Signing', null) from ended`;

/**
 * The caller holds the row of the wallet, which is closed, and ends its mandate only afterwards: the
 * view keeps what was settled until then.
 */
export const closeOnboarding = async (
  tx: Queryable,
  { clientId: actor }: Actor,
  walletId: string,
): Promise<void> => {
  await tx.execute(endIbanValidation, [walletId, actor]);
  await tx.execute(endSigning, [walletId, actor]);
  await failOnboarding(tx, { walletId, actor });
};
