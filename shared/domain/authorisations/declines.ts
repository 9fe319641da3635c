/** Why the platform itself declines, before any affiliate is asked: response codes of ISO 8583, field 39. */

export const approved = "00";

/** What the platform answers with; an affiliate may have codes of its own. */
export const declineCodes = {
  refusedByProcessor: "05",
  reversedBefore: "05",
  transactionInvalid: "12",
  amountInvalid: "13",
  cardInvalid: "14",
  lost: "41",
  stolen: "43",
  expired: "54",
  limitExceeded: "61",
  locked: "62",
  issuerUnavailable: "91",
  identifierReused: "94",
} as const;

export interface CardState {
  readonly cardStatus: string;
  readonly cardReason: string | null;
  readonly accountStatus: string;
  /** Whether the month of its expiry date is over. */
  readonly isPastExpiry: boolean;
}

const byCardStatus: Readonly<Record<string, string>> = {
  Locked: declineCodes.locked,
  Blocked: declineCodes.cardInvalid,
  Deleted: declineCodes.cardInvalid,
  Expired: declineCodes.expired,
};

/** Of a card that was locked or blocked for it. */
const byReason: Readonly<Record<string, string>> = {
  LostCard: declineCodes.lost,
  StolenCard: declineCodes.stolen,
};

const byAccountStatus: Readonly<Record<string, string>> = {
  LOCKED: declineCodes.locked,
  BLOCKED: declineCodes.cardInvalid,
  DELETED: declineCodes.cardInvalid,
};

/** Null: nothing about card or account speaks against it. The card's own state is told before the account's. */
export const declineOfState = (state: CardState): string | null => {
  const { cardStatus, cardReason, accountStatus, isPastExpiry } = state;
  if (cardStatus === "Locked" || cardStatus === "Blocked") {
    const code = byReason[cardReason ?? ""];
    if (code !== undefined) return code;
  }
  const ofCard =
    cardStatus === "Active" ? null : (byCardStatus[cardStatus] ?? declineCodes.cardInvalid);
  if (ofCard !== null) return ofCard;
  if (isPastExpiry) return declineCodes.expired;
  return accountStatus === "ACTIVE"
    ? null
    : (byAccountStatus[accountStatus] ?? declineCodes.cardInvalid);
};

/** A code of the processor's: null where it has not decided yet. */
export const isNotDeclined = (responseCode: string | null): boolean =>
  responseCode === null || /^0*$/.test(responseCode);
