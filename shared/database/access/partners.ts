/** Partners: who may call, with which roles and settings. */
import { z } from "zod";
import { partnerSettings } from "../../contracts/platform/partner-settings.js";
import type { Queryable } from "../platform/database.js";

const partnerRow = z.object({
  partnerKey: z.string(),
  clientId: z.string(),
  clientSecretSalt: z.instanceof(Buffer),
  clientSecretHash: z.instanceof(Buffer),
  authKeySalt: z.instanceof(Buffer),
  authKeyHash: z.instanceof(Buffer),
  roles: z.array(z.string()),
  isOperator: z.boolean(),
  settings: partnerSettings,
});
export type Partner = z.output<typeof partnerRow>;

const columns = `partner_key as "partnerKey", client_id as "clientId",
  client_secret_salt as "clientSecretSalt", client_secret_hash as "clientSecretHash",
  auth_key_salt as "authKeySalt", auth_key_hash as "authKeyHash",
  roles, is_operator as "isOperator", settings`;

export const findPartner = (
  database: Queryable,
  partnerKey: string,
): Promise<Partner | undefined> =>
  database.row(partnerRow, `select ${columns} from borsello.partner where partner_key = $1`, [
    partnerKey,
  ]);

export const findPartnerByClient = (
  database: Queryable,
  clientId: string,
): Promise<Partner | undefined> =>
  database.row(partnerRow, `select ${columns} from borsello.partner where client_id = $1`, [
    clientId,
  ]);

const partnersMax = 1_000;

/** For what the clock does for every partner. */
export const allPartners = (database: Queryable): Promise<Partner[]> =>
  database.rows(
    partnerRow,
    `select ${columns} from borsello.partner order by partner_key limit ${partnersMax}`,
  );
