/** The states of card accounts and cards, who locks them, and for what reasons (card seed, 2.1, 2.2; contract 4.5). */

export const accountStatuses = ["ACTIVE", "LOCKED", "BLOCKED", "DELETED"] as const;
export type AccountStatus = (typeof accountStatuses)[number];

export const cardStatuses = ["Active", "Locked", "Blocked", "Deleted", "Expired"] as const;
export type CardStatus = (typeof cardStatuses)[number];

/** Each may undo what those before it have locked. */
export const accountLevels = ["CardHolder", "AccountHolder", "Admin"] as const;
export type AccountLevel = (typeof accountLevels)[number];

/** Each may undo what those before it have locked. */
export const cardLevels = ["Client", "Admin"] as const;
export type CardLevel = (typeof cardLevels)[number];

const finalAccountReasons = [
  "IssuerRequestGeneral",
  "UserRequest",
  "IssuerRequestBureauInquiry",
  "IssuerRequestCustomerDeceased",
  "IssuerRequestStornoFromCollectionStraight",
  "IssuerRequestStornoFromCollectionDepo",
  "IssuerRequestStornoFromCollectionDepoPaid",
  "IssuerRequestHandoverToAttorney",
  "IssuerRequestLegalAction",
  "IssuerRequestAmlKyc",
] as const;

export const accountReasons = {
  block: finalAccountReasons,
  delete: [...finalAccountReasons, "PermanentBlockChargeOff"],
  lock: [
    "TemporaryBlockForDelinquency",
    "TemporaryBlockOnIssuerRequest",
    "TemporaryBlockForDepo",
    "TemporaryBlockForAmlKyc",
    ...finalAccountReasons,
    "PermanentBlockChargeOff",
  ],
} as const;

export const cardReasons = {
  lock: [
    "ClientRequestedLock",
    "LostCard",
    "StolenCard",
    "IssuerRequestGeneral",
    "IssuerRequestFraud",
    "IssuerRequestLegal",
  ],
  block: [
    "LostCard",
    "StolenCard",
    "IssuerRequestGeneral",
    "IssuerRequestFraud",
    "IssuerRequestLegal",
    "IssuerRequestIncorrectOpening",
    "CardDamagedOrNotWorking",
    "UserRequest",
    "IssuerRequestCustomerDeceased",
    "ProductDoesNotRenew",
  ],
  delete: [
    "IssuerRequestGeneral",
    "IssuerRequestFraud",
    "IssuerRequestLegal",
    "IssuerRequestIncorrectOpening",
    "UserRequest",
    "IssuerRequestCustomerDeceased",
  ],
} as const;
