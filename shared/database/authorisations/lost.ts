/** Requests of the card network whose asker was killed before the affiliate's answer was kept. */
import { z } from "zod";
import { O2iRequest, o2iKinds } from "../../contracts/authorisations/o2i.js";
import { answerOf } from "../../domain/authorisations/answer.js";
import { declineCodes } from "../../domain/authorisations/declines.js";
import type { Actor } from "../access/wallet-access.js";
import type { Database } from "../platform/database.js";
import { endAuthorisation, movesMoney } from "./end.js";
import { pushLater, reversalOf } from "./o2i-pushes.js";

const Lost = z.object({
  partnerKey: z.string(),
  transactionId: z.string(),
  kind: z.enum(o2iKinds),
  request: O2iRequest,
});

/** So long nobody asks an affiliate: whoever did is gone. */
const lostAfterSeconds = 60;

const platform = "platform";

/**
 * Gives up requests whose asker was killed, at most so many; resolves to how many. The affiliate may have
 * approved them, and is told to reverse them. What is a fact may be told again by whoever told it.
 */
export const endLost = (database: Database, atMost: number): Promise<number> =>
  database.transaction(async (tx) => {
    const lost = await tx.rows(
      Lost,
      `select partner_key as "partnerKey", transaction_id as "transactionId", kind, request
       from borsello.card_authorisation
       where status = 'Pending' and asked_at < clock_timestamp() - $1::interval
       order by asked_at limit $2 for no key update skip locked`,
      [`${lostAfterSeconds} seconds`, atMost],
    );
    for (const { partnerKey, transactionId, kind, request } of lost) {
      const actor: Actor = { partnerKey, clientId: platform };
      const isReversed = movesMoney({ kind, request });
      const answer = answerOf(transactionId, declineCodes.issuerUnavailable);
      await endAuthorisation(
        tx,
        actor,
        transactionId,
        isReversed
          ? { status: "Abandoned", answer, by: platform }
          : { status: "Unreached", answer: null, by: null },
      );
      if (isReversed)
        await pushLater(tx, {
          ...{ partnerKey, kind: "reversal", request: reversalOf(request), afterSeconds: 0 },
        });
    }
    return lost.length;
  });
