/** The last step of a request of the card network: its answer is kept, or that there is none. */
import { z } from "zod";
import { O2iAnswer, O2iRequest, type O2iKind } from "../../contracts/authorisations/o2i.js";
import type { Asked } from "../../contracts/authorisations/affiliate.js";
import { isApproval } from "../../domain/authorisations/approval.js";
import { declineCodes, isNotDeclined } from "../../domain/authorisations/declines.js";
import { effectOf } from "../../domain/authorisations/types.js";
import type { Actor } from "../access/wallet-access.js";
import type { Database, Queryable } from "../platform/database.js";
import { doubtSeconds, pushLater, reversalOf, withdrawPush } from "./o2i-pushes.js";

export interface Ending {
  readonly status: "Approved" | "Declined" | "Abandoned" | "Unreached";
  /** Null where it is Unreached. */
  readonly answer: O2iAnswer | null;
  readonly by: "platform" | "affiliate" | "standIn" | null;
}

/** False: it has its answer already, or was given up. */
export const endAuthorisation = async (
  tx: Queryable,
  { partnerKey, clientId }: Actor,
  transactionId: string,
  { status, answer, by }: Ending,
): Promise<boolean> => {
  const found = await tx.row(
    z.object({ ended: z.boolean() }),
    "select borsello.end_authorisation($1, $2, $3, $4::json, $5, $6) as ended",
    [
      partnerKey,
      transactionId,
      status,
      answer === null ? null : JSON.stringify(answer),
      by,
      clientId,
    ],
  );
  return found?.ended ?? false;
};

export interface AskedFor {
  readonly actor: Actor;
  readonly kind: O2iKind;
  readonly request: O2iRequest;
}

/** Whether an approval that nobody got would have to be reversed. */
export const movesMoney = ({ kind, request }: Pick<AskedFor, "kind" | "request">): boolean =>
  kind === "request" && effectOf(request.type) !== "inquiry";

const endingOf = (
  { kind, request }: AskedFor,
  answer: O2iAnswer,
  by: "affiliate" | "standIn",
): Ending => {
  // An advice of a decline is one, whatever the affiliate says to it.
  const isDecided = kind === "advice" && !isNotDeclined(request.responseCode);
  return { status: isApproval(answer) && !isDecided ? "Approved" : "Declined", answer, by };
};

const Kept = z.object({
  answer: O2iAnswer.nullable(),
  answeredBy: z.string().nullable(),
});

/** An answer that finds its request over: what is kept holds, and an approval that is not kept is reversed. */
const endLate = async (
  tx: Queryable,
  askedFor: AskedFor,
  asked: Asked,
): Promise<O2iAnswer | null> => {
  const { actor, request } = askedFor;
  const kept = await tx.row(
    Kept,
    `select answer, answered_by as "answeredBy" from borsello.card_authorisation
     where partner_key = $1 and transaction_id = $2`,
    [actor.partnerKey, request.transactionId],
  );
  const isKept = kept?.answer != null && isApproval(kept.answer) && kept.answeredBy === "affiliate";
  if (asked.reached && isApproval(asked.answer) && movesMoney(askedFor) && !isKept)
    await pushLater(tx, {
      ...{ partnerKey: actor.partnerKey, kind: "reversal", afterSeconds: 0 },
      request: reversalOf(request),
    });
  return kept?.answer ?? null;
};

/** Where nobody answered: the stand-in does, or nothing is kept. */
const endUnreached = async (
  tx: Queryable,
  askedFor: AskedFor,
  inDoubt: boolean,
  standIn: O2iAnswer | null,
): Promise<boolean> => {
  const { actor, kind, request } = askedFor;
  const { partnerKey } = actor;
  const ending: Ending =
    standIn === null
      ? { status: "Unreached", answer: null, by: null }
      : endingOf(askedFor, standIn, "standIn");
  if (!(await endAuthorisation(tx, actor, request.transactionId, ending))) return false;
  if (inDoubt && movesMoney(askedFor))
    await pushLater(tx, {
      ...{ partnerKey, kind: "reversal", request: reversalOf(request) },
      afterSeconds: doubtSeconds,
    });
  // What the processor takes for told must be told.
  if (ending.status === "Approved" && (kind === "advice" || kind === "reversal"))
    await pushLater(tx, { partnerKey, kind, request, afterSeconds: 0 });
  return true;
};

/**
 * What one answer to a repeat says of the tries before it. An approval is theirs, too; a decline leaves what a
 * late approval has set, and one of a duplicate says that there was a first, which may have been approved.
 */
const settleDoubt = async (
  tx: Queryable,
  askedFor: AskedFor,
  { responseCode }: O2iAnswer,
): Promise<void> => {
  const { partnerKey } = askedFor.actor;
  const request = reversalOf(askedFor.request);
  if (isApproval({ responseCode })) await withdrawPush(tx, partnerKey, request.transactionId);
  else if (responseCode === declineCodes.identifierReused && movesMoney(askedFor))
    await pushLater(tx, { partnerKey, kind: "reversal", request, afterSeconds: 0 });
};

/**
 * The answer that holds; null: nobody has answered, and the same may be asked for again. `isAgain`: the
 * affiliate was asked before, and its approval may have come late.
 */
export const keepAnswer = (
  database: Database,
  askedFor: AskedFor & { readonly isAgain: boolean },
  asked: Asked,
  standIn: O2iAnswer | null,
): Promise<O2iAnswer | null> =>
  database.transaction(async (tx) => {
    const { actor, request, isAgain } = askedFor;
    if (asked.reached) {
      const answer = O2iAnswer.parse(asked.answer);
      const ending = endingOf(askedFor, answer, "affiliate");
      if (await endAuthorisation(tx, actor, request.transactionId, ending)) {
        if (isAgain) await settleDoubt(tx, askedFor, answer);
        return answer;
      }
    } else if (await endUnreached(tx, askedFor, asked.inDoubt, standIn)) return standIn;
    return endLate(tx, askedFor, asked);
  });
