/** Partners: who may call, with which roles and settings. */
import { z } from "zod";
import { partnerSettings } from "../../contracts/platform/partner-settings.js";
import type { Queryable } from "../platform/database.js";

const partnerRow = z.object({
  partnerKey: z.string(),
  clientId: z.string(),
  /** Null: another identity provider issues its tokens. */
  clientSecretSalt: z.instanceof(Buffer).nullable(),
  clientSecretHash: z.instanceof(Buffer).nullable(),
  authKeySalt: z.instanceof(Buffer),
  authKeyHash: z.instanceof(Buffer),
  roles: z.array(z.string()),
  isOperator: z.boolean(),
  settings: partnerSettings,
});
export type Partner = z.output<typeof partnerRow>;

const bytes = z.hex().transform((text): Buffer => Buffer.from(text, "hex"));

const callingPartnerRow = partnerRow.extend({
  /** AuthKeys that were replaced; each holds until its time, in milliseconds since 1970. */
  formerAuthKeys: z.array(z.object({ salt: bytes, hash: bytes, validUntilMs: z.number() })),
});
/** A partner as it proves itself. */
export type CallingPartner = z.output<typeof callingPartnerRow>;

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

const formerAuthKeys = `array(
  select json_build_object('salt', encode(salt, 'hex'), 'hash', encode(hash, 'hex'),
    'validUntilMs', floor(extract(epoch from valid_until) * 1000))
  from borsello.former_auth_key as f
  where f.partner_key = partner.partner_key and valid_until > now()
) as "formerAuthKeys"`;

/** Who was removed is let in no more. */
export const findPartnerByClient = (
  database: Queryable,
  clientId: string,
): Promise<CallingPartner | undefined> =>
  database.row(
    callingPartnerRow,
    `select ${columns}, ${formerAuthKeys} from borsello.partner
     where client_id = $1 and removed_at is null`,
    [clientId],
  );

/** So many are there at most: what the clock does for each must be done in a run. */
export const partnersMax = 1_000;

/** For what the clock does for every partner. */
export const allPartners = (database: Queryable): Promise<Partner[]> =>
  database.rows(
    partnerRow,
    `select ${columns} from borsello.partner order by partner_key limit ${partnersMax}`,
  );
