/** Reconciliation groups that wait for their payment. */
import { z } from "zod";
import { PendingReconciliation } from "../../contracts/settlement/reconciliations.js";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import type { Queryable } from "../platform/database.js";
import type { Reader } from "../access/wallet-access.js";

const Found = z.object({
  partnerKey: z.string(),
  pending: z.array(PendingReconciliation),
});

const groupsMax = 366;

/** `collectionAccount` is paid by stores that owe the partner. */
export const pendingReconciliations = async (
  database: Queryable,
  { partnerKey, isOperator }: Reader,
  storeId: string,
  collectionAccount: string | null,
): Promise<
  Outcome<z.output<typeof PendingReconciliation>[], "StoreNotFound" | "DealerOfAnotherPartner">
> => {
  const found = await database.row(
    Found,
    `select partner_key as "partnerKey", array(
       select json_build_object('reconciliationCode', code,
         'totalAmount', borsello.money(abs(open_cents)),
         'targetIban', case when open_cents > 0 then store.owner_iban else $2::text end,
         'reason', 'Reconciliation ' || code)
       from borsello.reconciliation_group as g
       where g.store_id = store.store_id and g.status = 'Pending'
       order by day, reconciliation_id limit ${groupsMax}) as pending
     from borsello.store where store_id = $1 and deletion_date is null`,
    [storeId, collectionAccount],
  );
  if (found === undefined) return refusal("StoreNotFound", { storeId });
  return isOperator || found.partnerKey === partnerKey
    ? success(found.pending)
    : refusal("DealerOfAnotherPartner", { storeId });
};
