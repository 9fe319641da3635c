/** GET …/audit/{entity}/{id}: the partner's own entities; the operators read those of all. */
import { getAuditRoute } from "../../shared/contracts/accounting/audit.js";
import { listAudit } from "../../shared/database/accounting/audit.js";
import { refusal } from "../../shared/domain/outcome.js";
import { endpoint } from "../kit/endpoint.js";

export const getAuditEndpoint = endpoint(
  getAuditRoute,
  async ({ database }, { params, query, caller, ok, refuse }) => {
    const partnerKey = caller.readsAll ? null : caller.partnerKey;
    const found = await listAudit(database, { ...params, partnerKey }, query);
    return found.totalCount === 0
      ? refuse(refusal("AuditNotFound", { entity: params.entity, id: params.id }))
      : ok(found);
  },
);
