/** What an affiliate's answer that comes after its time leads to: an approval that nobody took is reversed. */
import { z } from "zod";
import type { LateAnswer } from "../../contracts/authorisations/affiliate.js";
import { isApproval } from "../../domain/authorisations/approval.js";
import type { Database } from "../platform/database.js";
import { doubtSeconds, pushLater, reversalOf, withdrawPush } from "./o2i-pushes.js";

const Found = z.object({ status: z.string(), answeredBy: z.string().nullable() });

/** A decline says that nothing was approved, so that there is nothing to reverse any more. */
export const lateAnswer = (
  database: Database,
  { partnerKey, kind, request, answer }: LateAnswer,
): Promise<void> =>
  database.transaction(async (tx) => {
    if (kind !== "request") return;
    const { transactionId } = request;
    const reversal = reversalOf(request);
    if (!isApproval(answer)) {
      await withdrawPush(tx, partnerKey, reversal.transactionId);
      return;
    }
    const found = await tx.row(
      Found,
      `select status, answered_by as "answeredBy" from borsello.card_authorisation
       where partner_key = $1 and transaction_id = $2 for no key update`,
      [partnerKey, transactionId],
    );
    if (found?.status === "Approved" && found.answeredBy === "affiliate") return;
    // Asked once more meanwhile: that try gets the same approval, and withdraws this, or ends before it is due.
    const afterSeconds = found?.status === "Pending" ? doubtSeconds : 0;
    await pushLater(tx, { partnerKey, kind: "reversal", request: reversal, afterSeconds });
  });
