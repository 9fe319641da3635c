/** The error codes of the card platform: each code's status and its sentence (contract.md section 3). */

// Held to the shape of an entry where the closed table takes them up.
export const cardErrors = {
  AccountStatusInvalid: {
    status: 400,
    description: "The account is in a state that does not allow this: read its status.",
  },
  AccountAmbiguous: {
    status: 400,
    description: "The customer has several live accounts: send the identifier of one of them.",
  },
  CardStatusInvalid: {
    status: 400,
    description: "The card is in a state that does not allow this: read its status.",
  },
  LockLevelInsufficient: {
    status: 400,
    description: "Somebody of a higher level has locked it: ask at that level.",
  },
  CardLimitTypeUnknown: {
    status: 400,
    description: "There is no card limit of this type: send one that there is.",
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
  },
  ClearingFileAlreadyDelivered: {
    status: 400,
    description: "The file was delivered: it can be deleted no more.",
  },
  CardTokenInvalid: {
    status: 400,
    description: "No card of the affiliate has this token: send the card's panToken.",
  },
  CurrencyNotSupported: {
    status: 400,
    description: "Accounts are kept in euro: send the currency of the account, 978 or EUR.",
  },
  DeviceNotUnique: {
    status: 400,
    description: "The card holder has not exactly one such device: ask for another kind.",
  },
  OobAlreadyResolved: {
    status: 400,
    description: "The challenge is over: nothing can be added to its result.",
  },
  AccountOfAnotherAffiliate: {
    status: 403,
    description: "It belongs to another affiliate: use one of your own.",
  },
  AccountNotFound: { status: 404, description: "No account has this identifier: check it." },
  CardNotFound: { status: 404, description: "No card has this identifier: check it." },
  AddressNotFound: { status: 404, description: "No address has this identifier: check it." },
  ClearingBookmarkNotFound: {
    status: 404,
    description: "No clearing has this identifier: check it.",
  },
  ClearingFileNotFound: {
    status: 404,
    description: "The clearing has no such file: list what it has.",
  },
  ThreeDsTransactionNotFound: {
    status: 404,
    description: "No assessment of this transaction came before: calculate its risk first.",
  },
} as const;
