/** The result of a challenge: taken once, while its time lasts. */
import type { Resolved, ResultBody } from "../../contracts/threeds/challenges.js";
import { Resolved as ResolvedShape } from "../../contracts/threeds/challenges.js";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import { isResolved } from "../../domain/threeds/statuses.js";
import type { Actor } from "../access/wallet-access.js";
import type { Database, Queryable } from "../platform/database.js";
import { lockThreeDs, resolveChallenge, type ThreeDsRefusal } from "./transactions.js";

const readResolved = async (tx: Queryable, threeDsId: string): Promise<Resolved> => {
  const resolved = await tx.row(
    ResolvedShape,
    `select transaction_id as "transactionId", status, auth_method as "authMethod",
       borsello.iso(resolved_at) as "resolvedAt"
     from borsello.threeds_transaction where threeds_id = $1`,
    [threeDsId],
  );
  if (resolved === undefined) throw new Error(`the challenge ${threeDsId} is gone`);
  return resolved;
};

/** A result that comes at the end of the time is too late: the challenge has timed out then. */
export const pushResult = (
  database: Database,
  { partnerKey, clientId }: Actor,
  { transactionId, authenticated, authMethod }: ResultBody,
): Promise<Outcome<Resolved, ThreeDsRefusal | "OobAlreadyResolved">> =>
  database.transaction(async (tx) => {
    const found = await lockThreeDs(tx, partnerKey, transactionId);
    if (!found.ok) return found;
    const { threeDsId, status, isLate } = found.value;
    if (isResolved(status)) return refusal("OobAlreadyResolved", { status });
    if (status !== "OobRaised")
      return refusal("ThreeDsTransactionNotFound", {
        transactionId: "must be one whose challenge was raised: raise it first.",
      });
    if (isLate) {
      await resolveChallenge(tx, threeDsId, "TimedOut", null, "platform");
      return refusal("OobAlreadyResolved", { status: "TimedOut" });
    }
    const result = authenticated ? "Authenticated" : "NotAuthenticated";
    await resolveChallenge(tx, threeDsId, result, authMethod, clientId);
    return success(await readResolved(tx, threeDsId));
  });
