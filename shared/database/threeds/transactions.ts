/** A 3-D Secure transaction as its commands find it, and whose it is. */
import { z } from "zod";
import { threeDsStatuses } from "../../domain/threeds/statuses.js";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import type { Queryable } from "../platform/database.js";

const Found = z.object({
  threeDsId: z.string(),
  transactionId: z.string(),
  partnerKey: z.string(),
  cardId: z.string(),
  /** The card holder. */
  customerId: z.string(),
  panToken: z.string().nullable(),
  maskedPan: z.string().nullable(),
  status: z.enum(threeDsStatuses),
  deviceId: z.string().nullable(),
  isDelivered: z.boolean(),
  /** Whether the time of its challenge has run out. */
  isLate: z.boolean(),
  version: z.bigint(),
  merchantName: z.string(),
  purchaseAmount: z.string(),
  purchaseExponent: z.int(),
  purchaseCurrency: z.string(),
});
export type ThreeDsTransaction = z.output<typeof Found>;

export type ThreeDsRefusal = "ThreeDsTransactionNotFound" | "AccountOfAnotherAffiliate";

const select = `
  select threeds_id as "threeDsId", transaction_id as "transactionId",
    t.partner_key as "partnerKey", card_id as "cardId", c.customer_id as "customerId",
    c.pan_token as "panToken", c.masked_pan as "maskedPan", t.status, device_id as "deviceId",
    delivered_at is not null as "isDelivered",
    coalesce(expires_at <= borsello.platform_now(), false) as "isLate", t.version,
    request ->> 'merchantName' as "merchantName", request ->> 'purchaseAmount' as "purchaseAmount",
    (request ->> 'purchaseExponent')::integer as "purchaseExponent",
    request ->> 'purchaseCurrency' as "purchaseCurrency"
  from borsello.threeds_transaction as t join borsello.card as c using (card_id)
  where transaction_id = $1`;

const owned = (
  found: ThreeDsTransaction | undefined,
  partnerKey: string,
  transactionId: string,
): Outcome<ThreeDsTransaction, ThreeDsRefusal> => {
  if (found === undefined) return refusal("ThreeDsTransactionNotFound", { transactionId });
  return found.partnerKey === partnerKey
    ? success(found)
    : refusal("AccountOfAnotherAffiliate", { transactionId });
};

export const findThreeDs = async (
  database: Queryable,
  partnerKey: string,
  transactionId: string,
): Promise<Outcome<ThreeDsTransaction, ThreeDsRefusal>> =>
  owned(await database.row(Found, select, [transactionId]), partnerKey, transactionId);

/** Its row is the lock of its challenge. */
export const lockThreeDs = async (
  tx: Queryable,
  partnerKey: string,
  transactionId: string,
): Promise<Outcome<ThreeDsTransaction, ThreeDsRefusal>> =>
  owned(
    await tx.row(Found, `${select} for no key update of t`, [transactionId]),
    partnerKey,
    transactionId,
  );

/** Ends the challenge; resolves to whether it was open, and the time right for this end. */
export const resolveChallenge = async (
  tx: Queryable,
  threeDsId: string,
  status: "Authenticated" | "NotAuthenticated" | "TimedOut",
  authMethod: string | null,
  actor: string,
): Promise<boolean> => {
  const done = await tx.row(
    z.object({ isResolved: z.boolean() }),
    `select borsello.resolve_challenge($1, $2, $3, $4) as "isResolved"`,
    [threeDsId, status, authMethod, actor],
  );
  return done?.isResolved === true;
};
