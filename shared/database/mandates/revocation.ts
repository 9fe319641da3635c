/** Asks the bank to revoke a mandate, anew where it refused or kept silent before. */
import { z } from "zod";
import { uuidv7 } from "../../platform/ids.js";
import { latestMandateRequest, requestBank } from "../bank/requests.js";
import type { Database } from "../platform/database.js";

const Revocable = z.object({
  partnerKey: z.string(),
  walletId: z.string().nullable(),
  reference: z.string(),
  /** Null: a store's mandate has none. */
  amount: z.number().nullable(),
});

/**
 * `seen` is when the caller knows that the bank was asked last: two callers who know the same make
 * one request. True when it was this call that asked.
 */
export const requestRevocation = (
  database: Database,
  mandateId: string,
  seen: string | null,
): Promise<boolean> =>
  database.transaction(async (tx) => {
    const mandate = await tx.row(
      Revocable,
      `select partner_key as "partnerKey", wallet_id as "walletId",
         mandate_unique_reference as reference, (amount_cents / 100.0)::float8 as amount
       from borsello.mandate where mandate_id = $1 and status = 'DisableRequested'
       for no key update`,
      [mandateId],
    );
    if (mandate === undefined) return false;
    const latest = await latestMandateRequest(tx, mandateId, "mandateRevocation");
    if ((latest?.requestedAt ?? null) !== seen) return false;
    const { partnerKey, walletId, reference, amount } = mandate;
    return requestBank(tx, {
      requestId: uuidv7(),
      kind: "mandateRevocation",
      partnerKey,
      walletId,
      mandateId,
      payload: { mandateUniqueReference: reference, ...(amount === null ? {} : { amount }) },
      notify: { instanceId: `mandate-${mandateId}`, event: "bankOutcome" },
    });
  });
