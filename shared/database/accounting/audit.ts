/** What was audited of one entity, with the hash of each entry and the link of the chain that covers it. */
import { AuditEntry } from "../../contracts/accounting/audit.js";
import type { Page, Paginated } from "../../contracts/pages.js";
import type { Queryable } from "../platform/database.js";
import { readPage } from "../platform/pages.js";

export interface AuditedEntity {
  readonly entity: string;
  readonly id: string;
  /** Null: whoever's it is. */
  readonly partnerKey: string | null;
}

/** Identifiers are kept in lower case, except for those that are no UUIDs: both are looked for. */
export const listAudit = (
  database: Queryable,
  { entity, id, partnerKey }: AuditedEntity,
  page: Page,
): Promise<Paginated<AuditEntry>> =>
  readPage(
    database,
    {
      item: AuditEntry,
      record: `json_build_object('auditId', audit_id, 'at', borsello.iso(at), 'actor', actor,
        'partnerKey', partner_key, 'entity', entity, 'entityId', entity_id, 'action', action,
        'fromStatus', from_status, 'toStatus', to_status, 'detail', detail,
        'hash', encode(borsello.audit_hash(audit), 'hex'), 'link', (
          select json_build_object('linkId', link_id, 'hash', encode(hash, 'hex'),
            'sealedAt', borsello.iso(sealed_at))
          from borsello.audit_link where audit_through >= audit.audit_id
          order by audit_through, link_id limit 1))`,
      from: `borsello.audit where entity = $1 and entity_id = any (array[$2, lower($2)])
        and ($3::text is null or partner_key = $3)`,
      order: "audit_id",
      values: [entity, id, partnerKey],
    },
    page,
  );
