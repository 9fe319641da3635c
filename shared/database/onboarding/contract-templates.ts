/** Which document is a partner's contract template: set by operators, with its audit row. */
import type { Database } from "../platform/database.js";

/** False: there is no such partner. Setting the same one again changes nothing. */
export const assignContractTemplate = async (
  database: Database,
  partnerKey: string,
  documentKey: string,
): Promise<boolean> =>
  database.transaction(async (tx) => {
    const known = await tx.execute(
      `select from borsello.partner where partner_key = $1 and removed_at is null
       for no key update`,
      [partnerKey],
    );
    if (known === 0) return false;
    await tx.execute(
      `with changed as (
         update borsello.partner as p set settings = settings || jsonb_build_object('contract',
           coalesce(settings -> 'contract', '{}') || jsonb_build_object('template', $2::text))
         where partner_key = $1 and settings #>> '{contract,template}' is distinct from $2
         returning old.settings #>> '{contract,template}' as template_before
       )
       insert into borsello.audit (actor, partner_key, entity, entity_id, action, detail)
       select 'operator', $1, 'Partner', $1, 'setContractTemplate', json_build_object(
         'before', template_before, 'template', $2::text)
       from changed`,
      [partnerKey, documentKey],
    );
    return true;
  });
