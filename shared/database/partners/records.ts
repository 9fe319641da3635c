/** Partners as administrators read them: one by its name, or all, page by page. No secret is read. */
import { z } from "zod";
import type { Queryable } from "../platform/database.js";

const recordRow = z.object({
  partnerKey: z.string(),
  clientId: z.string(),
  isOperator: z.boolean(),
  roles: z.array(z.string()),
  dealers: z.array(z.string()),
  /** Whether the sandbox issues its tokens. */
  hasClientSecret: z.boolean(),
  /** Until when each AuthKey holds that was replaced; the first ends first. */
  formerAuthKeysUntil: z.array(z.date()),
  removedAt: z.date().nullable(),
  /** As they were given: what is absent has its default. */
  settings: z.record(z.string(), z.unknown()),
});
export type PartnerRecord = z.output<typeof recordRow>;

const columns = `p.partner_key as "partnerKey", p.client_id as "clientId",
  p.is_operator as "isOperator", p.roles, p.settings,
  array(select dealer_key from borsello.dealer as d where d.partner_key = p.partner_key
    order by dealer_key) as dealers,
  p.client_secret_hash is not null as "hasClientSecret",
  array(select valid_until from borsello.former_auth_key as f
    where f.partner_key = p.partner_key and valid_until > now() order by valid_until)
    as "formerAuthKeysUntil",
  p.removed_at as "removedAt"`;

export const findRecord = (
  database: Queryable,
  partnerKey: string,
): Promise<PartnerRecord | undefined> =>
  database.row(recordRow, `select ${columns} from borsello.partner as p where partner_key = $1`, [
    partnerKey,
  ]);

export interface RecordPage {
  /** By name, after this one; "": from the first. */
  readonly after: string;
  readonly limit: number;
}

export const listRecords = (
  database: Queryable,
  { after, limit }: RecordPage,
): Promise<PartnerRecord[]> =>
  database.rows(
    recordRow,
    `select ${columns} from borsello.partner as p where partner_key > $1
     order by partner_key limit $2`,
    [after, limit],
  );
