/** Refusals about card accounts, cards, clearings and 3-D Secure. */
import type { ErrorEntries } from "./entry.js";

export const cardErrors = {
  AccountStatusInvalid: {
    status: 400,
    description: "The account is in a state that does not allow this: read its status.",
    mayHave: ["status", "openHolds", "cards"],
  },
  AccountAmbiguous: {
    status: 400,
    description: "The customer has several live accounts: send the identifier of one of them.",
    properties: { customerId: "01980d44-0b7f-7d31-a1c8-9e5b3f6d7a20" },
  },
  CardStatusInvalid: {
    status: 400,
    description: "The card is in a state that does not allow this: read its status.",
    properties: { status: "Blocked" },
  },
  LockLevelInsufficient: {
    status: 400,
    description: "Somebody of a higher level has locked it: ask at that level.",
    properties: { level: "is below the lock's." },
    mayHave: ["lockLevel", "statusReasonCode"],
  },
  CardLimitTypeUnknown: {
    status: 400,
    description: "There is no card limit of this type: send one that there is.",
    properties: { type: "hourlyOverall" },
  },
  PinCypherInvalid: {
    status: 400,
    description:
      "The cypher is not a PIN of 4 to 12 digits encrypted with the published key: encrypt it anew.",
  },
  PinTokenInvalid: {
    status: 400,
    description: "The token is unknown, of another card holder, or used already: get a new one.",
  },
  ClearingBookmarkStatusInvalid: {
    status: 400,
    description: "The clearing is in a state that does not allow this: read its status.",
    properties: { status: "Importing" },
  },
  ClearingFileAlreadyDelivered: {
    status: 400,
    description: "The file was delivered: it can be deleted no more.",
    mayHave: ["status", "incomingClearingId", "outgoingClearingId"],
  },
  CardTokenInvalid: {
    status: 400,
    description: "No card of the affiliate has this token: send the card's panToken.",
    mayHave: ["transactionId"],
  },
  CurrencyNotSupported: {
    status: 400,
    description: "Accounts are kept in euro: send the currency of the account, 978 or EUR.",
    properties: { currency: "XTS" },
  },
  DeviceNotUnique: {
    status: 400,
    description: "The card holder has not exactly one such device: ask for another kind.",
    properties: { authenticationType: "OobPush", devices: "2" },
  },
  OobAlreadyResolved: {
    status: 400,
    description: "The challenge is over: nothing can be added to its result.",
    properties: { status: "Authenticated" },
  },
  AccountOfAnotherAffiliate: {
    status: 403,
    description: "It belongs to another affiliate: use one of your own.",
    mayHave: ["accountId", "cardId", "addressId", "outgoingClearingId", "transactionId"],
  },
  AccountNotFound: {
    status: 404,
    description: "No account has this identifier: check it.",
    properties: { accountId: "01980d44-0b7f-7d31-a1c8-9e5b3f6d7a20" },
  },
  CardNotFound: {
    status: 404,
    description: "No card has this identifier: check it.",
    properties: { cardId: "01980d44-0b7f-7d31-a1c8-9e5b3f6d7a20" },
  },
  AddressNotFound: {
    status: 404,
    description: "No address has this identifier: check it.",
    properties: { addressId: "01980d44-0b7f-7d31-a1c8-9e5b3f6d7a20" },
  },
  ClearingBookmarkNotFound: {
    status: 404,
    description: "No clearing has this identifier: check it.",
    mayHave: ["bookmarkId", "clearingBookmarkId", "clearingDate"],
  },
  ClearingFileNotFound: {
    status: 404,
    description: "The clearing has no such file: list what it has.",
    mayHave: ["incomingClearingId", "outgoingClearingId"],
  },
  ThreeDsTransactionNotFound: {
    status: 404,
    description: "No assessment of this transaction came before: calculate its risk first.",
    properties: { transactionId: "3ds-0001" },
  },
} as const satisfies ErrorEntries;
