/** The first step of a request of the card network: one transaction that decides it, or reserves what it asks for. */
import { z } from "zod";
import {
  O2iAnswer,
  O2iRequest,
  o2iKinds,
  type O2iKind,
} from "../../contracts/authorisations/o2i.js";
import { answerOf } from "../../domain/authorisations/answer.js";
import { approved, declineCodes } from "../../domain/authorisations/declines.js";
import { decide, type Decision, type Order } from "../../domain/authorisations/decision.js";
import type { CardLimits } from "../../domain/authorisations/limits.js";
import { usageOf } from "../../domain/authorisations/types.js";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import type { Actor } from "../access/wallet-access.js";
import type { Database, Queryable } from "../platform/database.js";
import { endAuthorisation, movesMoney } from "./end.js";
import { lockCardByToken, readFacts, type KnownFacts, type LockedCard } from "./facts.js";
import { doubtSeconds, pushLater, reversalOf, withdrawPush } from "./o2i-pushes.js";

export interface Asking {
  readonly actor: Actor;
  readonly kind: O2iKind;
  readonly request: O2iRequest;
  /** Null: the request names no amount that could be charged. */
  readonly cents: bigint | null;
  /** SHA-256 in hex of what is asked for. */
  readonly requestHash: string;
  readonly defaultLimits: CardLimits;
}

export type Begun =
  | { readonly step: "answered"; readonly answer: O2iAnswer }
  | { readonly step: "wait" }
  /** `isAgain`: the affiliate may have been asked before, under the same identifier. */
  | { readonly step: "ask"; readonly isAgain: boolean };

const answered = (answer: O2iAnswer): Begun => ({ step: "answered", answer });

/** False: another card's request has taken the identifier at this moment. */
const open = async (
  tx: Queryable,
  { cardId, accountId }: LockedCard,
  { actor, kind, request, cents, requestHash }: Asking,
  state: {
    readonly status: "Pending" | "Approved" | "Declined";
    readonly root?: string | null;
    readonly countedOn?: string | null;
    readonly answer?: O2iAnswer;
  },
): Promise<boolean> => {
  const { isAtm, isEcommerce } = usageOf(request);
  const { transactionDateTime } = request;
  const row = {
    partner_key: actor.partnerKey,
    transaction_id: request.transactionId,
    kind,
    request_hash: `\\x${requestHash}`,
    card_id: cardId,
    account_id: accountId,
    ref_transaction_id: request.refTransactionId,
    root_transaction_id: state.root ?? null,
    type: request.type,
    amount_cents: String(cents ?? 0n),
    status: state.status,
    counted_on: state.countedOn ?? null,
    is_atm: isAtm,
    is_ecommerce: isEcommerce,
    // Databases know fewer offsets than the standard does.
    request: {
      ...request,
      transactionDateTime:
        transactionDateTime === null ? null : new Date(transactionDateTime).toISOString(),
    },
    answer: state.answer ?? null,
    answered_by: state.answer === undefined ? null : "platform",
  };
  const found = await tx.row(
    z.object({ isOpen: z.boolean() }),
    `select borsello.open_authorisation($1::json, $2) as "isOpen"`,
    [JSON.stringify(row), actor.clientId],
  );
  return found?.isOpen ?? false;
};

/** Somebody else changed what was decided about, in between: it is decided anew. */
const overtaken = "overtaken";
type Step = Begun | typeof overtaken;

/** Kept as the platform's answer, and not asked again. */
const answerNow = async (
  tx: Queryable,
  card: LockedCard,
  asking: Asking,
  isKnown: boolean,
  code: string,
): Promise<Step> => {
  const { actor, request } = asking;
  const { transactionId } = request;
  const answer = answerOf(transactionId, code);
  const status = code === approved ? "Approved" : "Declined";
  const isKept = isKnown
    ? await endAuthorisation(tx, actor, transactionId, { status, answer, by: "platform" })
    : await open(tx, card, asking, { status, answer });
  return isKept ? answered(answer) : overtaken;
};

/** Given up: nobody knows what the affiliate thinks of it, and it is never asked for again. */
const abandon = async (tx: Queryable, actor: Actor, transactionId: string): Promise<O2iAnswer> => {
  const answer = answerOf(transactionId, declineCodes.issuerUnavailable);
  await endAuthorisation(tx, actor, transactionId, {
    ...{ status: "Abandoned", answer, by: "platform" },
  });
  return answer;
};

const Lost = z.object({ kind: z.enum(o2iKinds), request: O2iRequest });

/**
 * Whoever asked about it is gone, and what the affiliate said: should the reversal that gives it up not reach
 * the affiliate either, the platform's own does. What was not reached has one already, where it is in doubt.
 */
const reverseLost = async (
  tx: Queryable,
  { partnerKey }: Actor,
  transactionId: string,
): Promise<void> => {
  const lost = await tx.row(
    Lost,
    `select kind, request from borsello.card_authorisation
     where partner_key = $1 and transaction_id = $2 and status = 'Pending'`,
    [partnerKey, transactionId],
  );
  if (lost === undefined || !movesMoney(lost)) return;
  const request = reversalOf(lost.request);
  await pushLater(tx, { partnerKey, kind: "reversal", request, afterSeconds: doubtSeconds });
};

const ask = async (
  tx: Queryable,
  card: LockedCard,
  asking: Asking,
  { today }: KnownFacts,
  { isAgain, counts, root, abandons }: Extract<Decision, { step: "ask" }>,
): Promise<Step> => {
  const { actor, request } = asking;
  const { transactionId } = request;
  const countedOn = counts ? today : null;
  const reserved = async (isOpen: boolean): Promise<Step> => {
    if (!isOpen) return overtaken;
    if (abandons !== null) {
      await reverseLost(tx, actor, abandons);
      await abandon(tx, actor, abandons);
    }
    return { step: "ask", isAgain };
  };
  if (!isAgain)
    return reserved(await open(tx, card, asking, { status: "Pending", root, countedOn }));
  // Who was not reached may have been told meanwhile to reverse it: then it must not pay any more.
  const isToldOtherwise =
    asking.kind === "request" &&
    !(await withdrawPush(tx, actor.partnerKey, reversalOf(request).transactionId));
  if (isToldOtherwise) return answered(await abandon(tx, actor, transactionId));
  const found = await tx.row(
    z.object({ isOpen: z.boolean() }),
    `select borsello.reopen_authorisation($1, $2, $3) as "isOpen"`,
    [actor.partnerKey, transactionId, countedOn],
  );
  return reserved(found?.isOpen === true);
};

/** Under the card's lock. What overtakes it has committed, and is seen by the next look. */
const decideNow = async (tx: Queryable, card: LockedCard, asking: Asking): Promise<Step> => {
  const { kind, request, cents, requestHash, defaultLimits } = asking;
  const order: Order = { ...request, kind, cents };
  const facts = await readFacts(tx, card, { ...order, requestHash }, defaultLimits);
  const decision = decide(order, facts);
  switch (decision.step) {
    case "wait":
      return { step: "wait" };
    case "repeat":
      return answered(O2iAnswer.parse(facts.answer));
    case "reuse":
      return answered(answerOf(request.transactionId, decision.code));
    case "answer":
      return answerNow(tx, card, asking, facts.known !== null, decision.code);
    case "ask":
      return ask(tx, card, asking, facts, decision);
  }
};

/**
 * Safe to be run twice: a repeat gets the answer that is kept, or is told to wait for it. What is to be
 * asked of the affiliate is reserved, and stays so until `endAuthorisation`.
 */
export const beginAuthorisation = (
  database: Database,
  asking: Asking,
): Promise<Outcome<Begun, "CardTokenInvalid">> =>
  database.transaction(async (tx) => {
    const card = await lockCardByToken(tx, asking.request.cardToken);
    if (card?.partnerKey !== asking.actor.partnerKey) return refusal("CardTokenInvalid");
    const step = await decideNow(tx, card, asking);
    // Nobody asks about two things at once: whoever was overtaken looks again as if it had just come.
    return success(step === overtaken ? { step: "wait" } : step);
  });
