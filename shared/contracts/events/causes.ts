/** Why an event comes: the commands that cause it, and what else does. */

export interface EventCause {
  /** Ids of routes. */
  readonly commands: readonly string[];
  /** What does besides commands, or how: part of a sentence. */
  readonly otherwise?: string;
}

const families = [
  "CashDeposit",
  "CashWithdrawal",
  "LoyaltyDeposit",
  "WelfareDeposit",
  "Payment",
  "SctWithdrawal",
] as const;

const ofFamilies = (...verbs: readonly string[]): readonly string[] =>
  verbs.flatMap((verb) => families.map((family) => `${verb}${family}`));

/** They initialise and confirm in one. */
const atOnce = [
  ...["executeO2iPayment", "pushO2iRequest", "pushO2iAdvice"],
  ...["approveBankNotification", "triggerMandateDepositRequest", "closeWallet"],
] as const;

const money = "money that comes in from the bank, a mandate's collection, a card's payment";

export const eventCauses: Readonly<Record<string, EventCause>> = {
  WalletCreated: { commands: ["createWallet"] },
  WalletUpdated: {
    commands: ["updateWallet", "updateWalletIban"],
    otherwise: "the transfer that validates its IBAN",
  },
  WalletIbanDeleted: {
    commands: ["deleteWalletIban"],
    otherwise: "an IBAN that nobody has validated in time",
  },
  WalletAttributesUpdated: { commands: ["updateWalletAttributes"] },
  WalletSuspended: { commands: ["suspendWallet"] },
  WalletReactivated: { commands: ["reactivateWallet"] },
  WalletClosed: { commands: ["closeWallet"] },
  WalletReopened: { commands: ["reopenWallet"] },
  IbanValidated: { commands: [], otherwise: "the customer's transfer with the code" },
  IbanValidationFailed: {
    commands: ["updateWalletIban", "deleteWalletIban", "closeWallet"],
    otherwise: "a transfer that does not come in time",
  },
  ContractSigned: { commands: ["signWalletContract"] },
  OnboardingReminder: { commands: [], otherwise: "time: 7, 30 and 60 days after the start" },
  OnboardingEnded: {
    commands: ["signWalletContract", "signWalletMandate", "closeWallet"],
    otherwise: "the last of its steps, or the end of its time",
  },
  MandateStatusChanged: {
    commands: [
      ...["fillWalletMandate", "signWalletMandate", "disableWalletMandate"],
      ...["updateWalletIban", "deleteWalletIban", "closeWallet"],
    ],
    otherwise: "the bank's answer",
  },
  OperationInitialized: { commands: [...ofFamilies("initialise"), ...atOnce], otherwise: money },
  OperationConfirmed: {
    commands: [...ofFamilies("confirm"), "confirmOperations", "confirmOperationGroup", ...atOnce],
    otherwise: money,
  },
  OperationCancelled: {
    commands: [
      ...ofFamilies("cancel", "terminate"),
      ...["cancelOperations", "cancelOperationGroup", "terminateOperationGroup"],
      ...["pushO2iReversal", "suspendWallet"],
    ],
    otherwise: "half an hour without a confirmation",
  },
  OperationCompleted: {
    commands: ["triggerHarvestings", "triggerAccountingOperations"],
    otherwise: "the settlement of the day",
  },
  BucketCreated: {
    commands: ofFamilies("initialise"),
    otherwise: "the first use of a kind of funds, whoever makes it",
  },
  OperationGroupInitialized: { commands: ["initialiseOperationGroup"] },
  OperationGroupConfirmed: { commands: ["confirmOperationGroup"] },
  OperationGroupCancelled: {
    commands: ["cancelOperationGroup", "terminateOperationGroup"],
    otherwise: "a group that nobody confirms in time",
  },
  TransactionConfirmed: {
    commands: [
      ...[...ofFamilies("confirm"), "confirmOperations", "confirmOperationGroup", ...atOnce],
      ...[...ofFamilies("terminate"), "pushO2iReversal"],
    ],
    otherwise: money,
  },
  TransactionCompleted: {
    commands: ["triggerHarvestings", "triggerAccountingOperations"],
    otherwise: "the settlement of the day",
  },
  WireTransferCompleted: {
    commands: ["confirmSctWithdrawal", "rejectBankNotification"],
    otherwise: "the bank, when it has booked the transfer",
  },
  WireTransferFailed: {
    commands: ["confirmSctWithdrawal"],
    otherwise: "the bank, when it has refused the transfer",
  },
  StoreCreated: { commands: ["createStore"] },
  StoreUpdated: { commands: ["updateStore"] },
  StoreDeleted: { commands: ["deleteStore"] },
  BankNotificationReceived: { commands: [], otherwise: "a credit at the bank that fits nothing" },
  TicketCreated: { commands: ["createTicket"] },
  TicketStatusChanged: {
    commands: [
      ...["updateTicketStatusPath", "updateTicketStatusBody", "takeTicketInCharge"],
      ...["askTicketCustomer", "resumeTicket", "resolveTicket", "rejectTicket", "postComment"],
    ],
    otherwise: "four silent days after it was resolved",
  },
  TicketCommentAdded: { commands: ["postComment", "postOperatorComment"] },
  TicketAttachmentAdded: { commands: ["postAttachment"] },
  TicketExpired: { commands: [], otherwise: "time, by the ticket's priority" },
  ThreeDsResolved: { commands: ["pushResult"], otherwise: "five minutes without an answer" },
  AccountLocked: { commands: ["lockAccount"] },
  AccountUnlocked: { commands: ["unlockAccount"] },
  AccountBlocked: { commands: ["blockAccount"] },
  AccountDeleted: { commands: ["deleteAccount"] },
  CardCreated: { commands: ["createCard"] },
  CardLocked: { commands: ["lockCard"] },
  CardUnlocked: { commands: ["unlockCard"] },
  CardBlocked: { commands: ["blockCard", "blockAccount"] },
  CardDeleted: { commands: ["deleteCard", "deleteAccount"] },
  CardExpired: { commands: [], otherwise: "the end of the card's last month" },
  ClearingCompleted: {
    commands: ["triggerClearing", "triggerClearingExport"],
    otherwise: "the clearing of each morning",
  },
};
