/** What becomes of a request of the card network: answered by the platform, waited for, or asked of the affiliate. */
import {
  approved,
  declineCodes,
  declineOfState,
  isNotDeclined,
  type CardState,
} from "./declines.js";
import { violatedLimit, type CardLimits, type Used } from "./limits.js";
import { effectOf, fitsScheme, takesMoney, usageOf, type TransactionType } from "./types.js";

export type AuthorisationStatus =
  "Pending" | "Unreached" | "Approved" | "Declined" | "Reversed" | "Replaced" | "Abandoned";

/** What was asked for before, as far as it matters. */
export interface Earlier {
  readonly transactionId: string;
  readonly kind: string;
  readonly cardId: string;
  readonly type: TransactionType;
  readonly cents: bigint;
  readonly status: AuthorisationStatus;
  readonly answeredBy: "platform" | "affiliate" | "standIn" | null;
  /** The preauthorisation that it belongs to. */
  readonly root: string | null;
  /** Whether somebody may still be asking the affiliate about it. */
  readonly isUnderWay: boolean;
}

/** What is held by a preauthorisation, its increments and its completion. */
export interface Held {
  readonly type: TransactionType;
  readonly cents: bigint;
  /** Whether somebody is asking the affiliate about it. */
  readonly isUnderWay: boolean;
  /** How much of what was used of each limit is of this one. */
  readonly counted: Used;
}

export interface Order {
  readonly transactionId: string;
  readonly kind: "request" | "advice" | "inquiry" | "reversal";
  readonly type: TransactionType;
  readonly cardScheme: number;
  readonly source: string | null;
  readonly responseCode: string | null;
  readonly refTransactionId: string | null;
  /** Null: none is given. */
  readonly cents: bigint | null;
}

export interface Facts extends CardState {
  readonly cardId: string;
  /** Under the same identifier; `isSame`: for the same. */
  readonly known: (Earlier & { readonly isSame: boolean }) | null;
  readonly ref: Earlier | null;
  /** Approved, or being asked for, of the preauthorisation that `ref` belongs to. */
  readonly held: readonly Held[];
  /** A reversal named this identifier before it came. */
  readonly isReversedBefore: boolean;
  /** Another reversal of what `ref` is, is being asked for. */
  readonly isBeingReversed: boolean;
  readonly limits: CardLimits;
  readonly used: Used;
}

export type Decision =
  /** As it was answered before. */
  | { readonly step: "repeat" }
  /** Until somebody else has an answer. */
  | { readonly step: "wait" }
  /** Not kept: the identifier has its answer, or will have it. */
  | { readonly step: "reuse"; readonly code: string }
  | { readonly step: "answer"; readonly code: string }
  | {
      readonly step: "ask";
      /** Somebody has asked under this identifier and has no answer. */
      readonly isAgain: boolean;
      readonly counts: boolean;
      readonly root: string | null;
      /** The one that is given up, since nobody knows what the affiliate thinks of it. */
      readonly abandons: string | null;
    };

const answer = (code: string): Decision => ({ step: "answer", code });

const reverse = (order: Order, facts: Facts, isAgain: boolean): Decision => {
  const { ref } = facts;
  const ask = (abandons: string | null): Decision => ({
    ...{ step: "ask", isAgain, counts: false, root: null, abandons },
  });
  if (order.refTransactionId === null || order.refTransactionId === "")
    return answer(declineCodes.transactionInvalid);
  if (ref === null) return answer(approved);
  if (ref.cardId !== facts.cardId || ref.kind === "reversal")
    return answer(declineCodes.transactionInvalid);
  if (order.cents !== null && order.cents !== ref.cents) return answer(declineCodes.amountInvalid);
  if (facts.isBeingReversed || ref.isUnderWay) return { step: "wait" };
  switch (ref.status) {
    case "Pending":
    case "Unreached":
      return ask(ref.transactionId);
    case "Approved":
      // An advice of what was approved before has moved nothing: that one is to be named.
      return ref.answeredBy === "platform" ? answer(declineCodes.transactionInvalid) : ask(null);
    case "Abandoned":
      return ask(null);
    case "Declined":
      // What stands in does not know what the affiliate would have answered.
      return ref.answeredBy === "standIn" ? ask(null) : answer(approved);
    case "Reversed":
      return answer(approved);
    case "Replaced":
      return answer(declineCodes.transactionInvalid);
  }
};

/** Cents of `used` that `held` do not already count. */
const without = (used: Used, held: readonly Held[]): Used =>
  held.reduce<Used>(
    (left, { counted }) => ({
      dailyOverall: left.dailyOverall - counted.dailyOverall,
      weeklyOverall: left.weeklyOverall - counted.weeklyOverall,
      monthlyOverall: left.monthlyOverall - counted.monthlyOverall,
      yearlyOverall: left.yearlyOverall - counted.yearlyOverall,
      dailyAtm: left.dailyAtm - counted.dailyAtm,
      monthlyAtm: left.monthlyAtm - counted.monthlyAtm,
      dailyEcommerce: left.dailyEcommerce - counted.dailyEcommerce,
      monthlyEcommerce: left.monthlyEcommerce - counted.monthlyEcommerce,
    }),
    used,
  );

const sumOf = (held: readonly Held[]): bigint => held.reduce((sum, { cents }) => sum + cents, 0n);

/** The approved one that an advice merely tells of. */
const isToldAlready = (order: Order, { ref, cardId }: Facts): boolean =>
  order.kind === "advice" &&
  isNotDeclined(order.responseCode) &&
  ref?.status === "Approved" &&
  ref.kind !== "reversal" &&
  ref.cardId === cardId &&
  ref.type === order.type &&
  ref.cents === order.cents;

/** Whether of what an increment or completion follows, something has no answer yet. */
const isChanging = ({ held, isBeingReversed }: Facts): boolean =>
  isBeingReversed || held.some(({ isUnderWay }) => isUnderWay);

/** Whether `ref` is the preauthorisation, or an increment of it, that an increment or completion needs. */
const isHolding = ({ ref, cardId, held }: Facts): boolean =>
  ref?.status === "Approved" &&
  ref.root !== null &&
  ref.cardId === cardId &&
  held.every(({ type }) => effectOf(type) !== "completion");

const decideAnew = (order: Order, facts: Facts, isAgain: boolean): Decision => {
  const { kind, type, cents } = order;
  const effect = effectOf(type);
  const isFact = kind === "advice";
  if (facts.isReversedBefore) return answer(declineCodes.reversedBefore);
  if (!fitsScheme(type, order.cardScheme)) return answer(declineCodes.transactionInvalid);
  if (kind === "inquiry" && effect !== "inquiry") return answer(declineCodes.transactionInvalid);
  if (effect !== "inquiry" && (cents === null || cents === 0n))
    return answer(declineCodes.amountInvalid);
  if (isToldAlready(order, facts)) return answer(approved);
  const counts = takesMoney(effect) && (!isFact || isNotDeclined(order.responseCode));
  const isFollowing = effect === "increment" || effect === "completion";
  // What completes a preauthorisation takes the place of all that is approved of it by then.
  if (isFollowing && isChanging(facts)) return { step: "wait" };
  const belongs = isFollowing && isHolding(facts);
  const rootOfRef = belongs ? (facts.ref?.root ?? null) : null;
  const root = effect === "preauthorisation" ? order.transactionId : rootOfRef;
  const ask: Decision = { step: "ask", isAgain, counts, root, abandons: null };
  if (isFact) return ask;

  if (!isNotDeclined(order.responseCode)) return answer(declineCodes.refusedByProcessor);
  const ofState = declineOfState(facts);
  if (ofState !== null) return answer(ofState);
  if (isFollowing && !belongs) return answer(declineCodes.transactionInvalid);
  if (!counts || cents === null) return ask;
  const replaced = effect === "completion" ? facts.held : [];
  const violated = violatedLimit(facts.limits, without(facts.used, replaced), {
    ...usageOf(order),
    cents,
    transactionCents: effect === "increment" ? cents + sumOf(facts.held) : cents,
  });
  return violated === null ? ask : answer(declineCodes.limitExceeded);
};

export const decide = (order: Order, facts: Facts): Decision => {
  const { known } = facts;
  if (known !== null) {
    if (!known.isSame) return { step: "reuse", code: declineCodes.identifierReused };
    if (known.isUnderWay) return { step: "wait" };
    // Who was asking before is gone; what it reserved is still reserved.
    if (known.status === "Pending")
      return { step: "ask", isAgain: true, counts: false, root: null, abandons: null };
    if (known.status !== "Unreached") return { step: "repeat" };
  }
  const isAgain = known !== null;
  return order.kind === "reversal"
    ? reverse(order, facts, isAgain)
    : decideAnew(order, facts, isAgain);
};
