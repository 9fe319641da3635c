/** The audit row of what an administrator does with a partner. */
import type { Queryable } from "../platform/database.js";

export const auditPartner = async (
  tx: Queryable,
  partnerKey: string,
  action: string,
  detail: object,
): Promise<void> => {
  await tx.execute(
    `insert into borsello.audit (actor, partner_key, entity, entity_id, action, detail)
     values ('operator', $1, 'Partner', $1, $2, $3)`,
    [partnerKey, action, JSON.stringify(detail)],
  );
};
