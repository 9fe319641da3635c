/** What the page does, in the sandbox, about a refusal of a call that the reader sent as it was prefilled. */
import type { ErrorCode } from "../../../shared/contracts/errors.js";
import { operationGroupId, strangersIban } from "../../../shared/contracts/story/story.js";
import type { Step } from "./call-plan.js";

/** A call by its id alone, or with what its body says besides. */
type Steps = readonly (string | Step)[];

const deposit = ["initialiseCashDeposit", "confirmCashDeposit"] as const;
const provenIban = ["updateWalletIban", "sendBankNotification"] as const;
const filledMandate = ["initialiseWalletMandate", "fillWalletMandate"] as const;
const signedMandate = [...filledMandate, "signWalletMandate"] as const;
const wallet = ["createWallet"] as const;

/** By the code of the refusal: the calls after which it goes through. */
export const remedies: Readonly<Partial<Record<ErrorCode, Steps>>> = {
  InsufficientBalance: deposit,
  IbanNotSet: provenIban,
  IbanNotValidated: provenIban,
  InstructionsNotFound: ["updateWalletIban"],
  MandateNotFound: signedMandate,
  DocumentNotFound: signedMandate,
  ContractNotSigned: ["signWalletContract"],
  WalletNotSuspended: ["suspendWallet"],
  WalletNotClosed: ["suspendWallet", "closeWallet"],
  WalletNotActive: wallet,
  WalletBalanceNotZero: wallet,
  SedaMandatePresent: wallet,
  MandateAlreadyPresent: wallet,
  LimitExceeded: wallet,
  BucketAmbiguous: wallet,
  OperationGroupAlreadyPending: wallet,
  CardTokenInvalid: ["getCard"],
  PinTokenInvalid: ["makePinToken"],
  PinCypherInvalid: ["getPinKey"],
};

const takenInCharge = ["takeTicketInCharge"] as const;
const newStoreMandate = ["putStoreMandate"] as const;
const raised = ["setDevices", "assessRisk", "listDevices", "raiseChallenge"] as const;

/** Where the same code asks for something else: the calls that bring about the state that an operation ends. */
export const stepsBefore: Readonly<Record<string, Readonly<Partial<Record<ErrorCode, Steps>>>>> = {
  unlockCard: { CardStatusInvalid: ["lockCard"] },
  unlockAccount: { AccountStatusInvalid: ["lockAccount"] },
  getStoreByCode: { StoreNotFound: ["createStore"] },
  fillWalletMandate: {
    MandateNotFound: ["initialiseWalletMandate"],
    MandateStatusInvalid: ["initialiseWalletMandate"],
  },
  signWalletMandate: {
    MandateNotFound: filledMandate,
    MandateStatusInvalid: filledMandate,
  },
  getCurrentStoreMandate: { MandateNotFound: newStoreMandate },
  disableStoreMandate: { MandateNotFound: newStoreMandate, MandateStatusInvalid: newStoreMandate },
  getPendingOperationGroup: { OperationGroupNotFound: ["initialiseOperationGroup"] },
  confirmOperationGroup: {
    OperationGroupStatusInvalid: [
      "initialiseOperationGroup",
      { call: "initialiseCashDeposit", saying: { operationGroupId } },
    ],
  },
  decidePayment: { OperationStatusInvalid: ["confirmSctWithdrawal"] },
  pushResult: { ThreeDsTransactionNotFound: raised },
  getClearingFile: { ClearingFileNotFound: ["triggerClearingExport"] },
  askTicketCustomer: { TicketTransitionInvalid: takenInCharge },
  resolveTicket: { TicketTransitionInvalid: takenInCharge },
  resumeTicket: { TicketTransitionInvalid: [...takenInCharge, "askTicketCustomer"] },
  updateTicketStatusBody: { TicketTransitionInvalid: [...takenInCharge, "resolveTicket"] },
  getAttachment: { AttachmentNotFound: ["postAttachment"] },
};

/** The thing that the call names is in another state by now: another one is made. */
export const wornOut: readonly ErrorCode[] = [
  "OperationStatusInvalid",
  "OperationExpired",
  "OperationInGroup",
  "OperationNotFound",
  "OperationGroupStatusInvalid",
  "OperationGroupNotFound",
  "OobAlreadyResolved",
  "BankNotificationStatusInvalid",
  "BankNotificationConsumed",
  "BankNotificationNotFound",
  "MandateStatusInvalid",
  "AccountStatusInvalid",
  "CardStatusInvalid",
  "ClearingBookmarkStatusInvalid",
  "ClearingBookmarkNotFound",
  "ClearingFileNotFound",
  "ClearingFileAlreadyDelivered",
  "TicketTransitionInvalid",
  "TicketOver",
  "TicketNotFound",
  "AttachmentNotFound",
  "StoreNotActive",
  "StoreNotFound",
  "StoreMandateNotFound",
  "WalletNotFound",
];

/** The call's day has passed, or is not one of the bank's: the next one is sent. */
export const overtaken: readonly ErrorCode[] = [
  "DepositDateNotLater",
  "DepositDateOnWeekend",
  "DepositDateNotBankDay",
  "QueryParameterInvalid",
];

/** Where an operation means another thing of this name than most do: the call that makes it. */
export const makers: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  decidePayment: { operationId: "initialiseSctWithdrawal" },
};

const strangersTransfer: Step = {
  call: "sendBankNotification",
  saying: { debtorName: "Rosa Bianchi", debtorIban: strangersIban, reason: "Per il nipote" },
};

/** Lists whose first item others need, as no call's answer names what came about: what it comes about by. */
export const finders: Readonly<Record<string, Steps>> = {
  listBankNotifications: [strangersTransfer],
  listClearingBookmarks: ["triggerClearing"],
  listIncomingClearings: ["listClearingBookmarks"],
  listOutgoingClearings: ["presentCardTransaction", "listClearingBookmarks"],
};

/** Properties that hold a text under a key that another call answers. */
export const sealed: Readonly<Record<string, { readonly text: string; readonly key: string }>> = {
  cypher: { text: "73914", key: "getPinKey" },
};

/** What the page cannot do for the reader, said beside the button, by the operation's id. */
export const hints: Readonly<Record<string, string>> = {
  getBankStatement:
    "Only a bank sends statements, in its files, and the sandbox's bank sends none: where no bank is connected, " +
    "none is found. Once listBankStatements shows one, write its statementId above.",
};
