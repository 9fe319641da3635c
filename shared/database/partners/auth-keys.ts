/** Gives a partner another AuthKey; those before hold as long as was said when they were replaced. */
import { z } from "zod";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import type { HashedSecret } from "../../platform/secrets.js";
import type { Database } from "../platform/database.js";
import { auditPartner } from "./audit.js";

/** Each is compared with every call that brings another key. */
const formerKeysMax = 5;

const Current = z.object({ removed: z.boolean(), former: z.int() });

export type RotationRefusal = "PartnerNotFound" | "PartnerRemoved" | "TooManyFormerKeys";

export interface Rotation {
  /** When the key before ends; null: at once, and all older ones with it. */
  readonly formerUntil: Date | null;
}

/**
 * A key that was replaced earlier ends when it was to end: whoever has not heard of its successor goes on,
 * even if a rotation is repeated because its answer was lost.
 */
export const rotateAuthKey = (
  database: Database,
  partnerKey: string,
  authKey: HashedSecret,
  keepForSeconds: number,
): Promise<Outcome<Rotation, RotationRefusal>> =>
  database.transaction(async (tx): Promise<Outcome<Rotation, RotationRefusal>> => {
    const locked = await tx.execute(
      "select from borsello.partner where partner_key = $1 for no key update",
      [partnerKey],
    );
    if (locked === 0) return refusal("PartnerNotFound");
    await tx.execute(
      `delete from borsello.former_auth_key
       where partner_key = $1 and (valid_until <= now() or $2 = 0)`,
      [partnerKey, keepForSeconds],
    );
    const current = await tx.row(
      Current,
      `select removed_at is not null as removed, (select count(*)::int
         from borsello.former_auth_key as f where f.partner_key = p.partner_key) as former
       from borsello.partner as p where partner_key = $1`,
      [partnerKey],
    );
    if (current?.removed === true) return refusal("PartnerRemoved");
    if (keepForSeconds > 0 && (current?.former ?? 0) >= formerKeysMax)
      return refusal("TooManyFormerKeys", { max: String(formerKeysMax) });
    const kept = await tx.row(
      z.object({ validUntil: z.date() }),
      `insert into borsello.former_auth_key (partner_key, salt, hash, valid_until)
       select partner_key, auth_key_salt, auth_key_hash, now() + $2 * interval '1 second'
       from borsello.partner where partner_key = $1 and $2 > 0
       returning valid_until as "validUntil"`,
      [partnerKey, keepForSeconds],
    );
    const formerUntil = kept?.validUntil ?? null;
    await tx.execute(
      "update borsello.partner set auth_key_salt = $2, auth_key_hash = $3 where partner_key = $1",
      [partnerKey, authKey.salt, authKey.hash],
    );
    await auditPartner(tx, partnerKey, "rotateAuthKey", { formerUntil });
    return success({ formerUntil });
  });
