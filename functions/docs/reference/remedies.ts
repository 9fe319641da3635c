/** What the page does, in the sandbox, about a refusal of a call that the reader sent as it was prefilled. */
import type { ErrorCode } from "../../../shared/contracts/errors.js";

const deposit = ["initialiseCashDeposit", "confirmCashDeposit"] as const;
const provenIban = ["updateWalletIban", "sendBankNotification"] as const;
const signedMandate = [
  "initialiseWalletMandate",
  "fillWalletMandate",
  "signWalletMandate",
] as const;
const wallet = ["createWallet"] as const;

/** By the code of the refusal: the calls after which it goes through, by their ids. */
export const remedies: ReadonlyMap<ErrorCode, readonly string[]> = new Map<
  ErrorCode,
  readonly string[]
>([
  ["InsufficientBalance", deposit],
  ["IbanNotSet", provenIban],
  ["IbanNotValidated", provenIban],
  ["InstructionsNotFound", ["updateWalletIban"]],
  ["MandateNotFound", signedMandate],
  ["DocumentNotFound", signedMandate],
  ["ContractNotSigned", ["signContract"]],
  ["WalletNotSuspended", ["suspendWallet"]],
  ["WalletNotClosed", ["suspendWallet", "closeWallet"]],
  ["WalletNotActive", wallet],
  ["WalletBalanceNotZero", wallet],
  ["SedaMandatePresent", wallet],
  ["MandateAlreadyPresent", wallet],
  ["LimitExceeded", wallet],
  ["BucketAmbiguous", wallet],
  ["OperationGroupAlreadyPending", wallet],
  ["CardTokenInvalid", ["getCard"]],
]);

/** Where the same code asks for something else: the calls that bring about the state that an operation ends. */
export const stepsBefore: Readonly<
  Record<string, Readonly<Partial<Record<ErrorCode, readonly string[]>>>>
> = {
  unlockCard: { CardStatusInvalid: ["lockCard"] },
  unlockAccount: { AccountStatusInvalid: ["lockAccount"] },
  getStoreByCode: { StoreNotFound: ["createStore"] },
};

/** The thing that the call names is in another state by now: another one is made. */
export const wornOut: readonly ErrorCode[] = [
  "OperationStatusInvalid",
  "OperationExpired",
  "OperationInGroup",
  "OperationNotFound",
  "OperationGroupStatusInvalid",
  "OperationGroupNotFound",
  "BankNotificationStatusInvalid",
  "BankNotificationConsumed",
  "MandateStatusInvalid",
  "AccountStatusInvalid",
  "CardStatusInvalid",
  "ClearingBookmarkStatusInvalid",
  "TicketTransitionInvalid",
  "TicketOver",
  "TicketNotFound",
  "AttachmentNotFound",
  "StoreNotActive",
  "StoreNotFound",
  "WalletNotFound",
];

/** What the page cannot do for the reader, said beside the button, by the operation's id. */
export const hints: Readonly<Record<string, string>> = {
  changePin: "Write a PIN that you encrypted with the published key: the prefilled one is refused.",
  confirmOperationGroup:
    "Initialise an operation with this operationGroupId first: an empty group is refused.",
  updateTicketStatusBody: "Only a ticket that an operator has resolved can be closed.",
  updateNextDepositDate: "A deposit can only be put off: write a later date for each call.",
  moveClock: "Platform time only moves forward: write a later time for each call.",
  postAttachment: "Choose a file to send.",
  getAttachment: "Send an attachment to this ticket first.",
};
