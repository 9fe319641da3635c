/** Events of money that moved: in the ledger, and by transfers to customers' banks (wallet seed, section 6; contract 4.7). */
import { z } from "zod";
import { operationTypes } from "../../domain/operations/families.js";
import { businessEvent, type BusinessEvent } from "./event.js";
import {
  CalendarDate,
  DateTime,
  Fees,
  Id,
  LongText,
  Money,
  orNull,
  PartnerKey,
  Text,
  Word,
} from "./fields.js";
import {
  collectionIban,
  dealerKey,
  harvestingId,
  holder,
  iban,
  moments,
  operationId,
  partnerKey,
  rejectedWithdrawalId,
  safeguardingIban,
  storeAccountId,
  storeId,
  transferId,
  walletId,
  withdrawalId,
} from "../story/story.js";

const confirmedFields = {
  partnerKey: PartnerKey,
  dealerKey: orNull(Text),
  walletId: Id,
  storeId: orNull(Id),
  operationType: Word(operationTypes),
  amount: Money,
  income: z.boolean().describe("Whether the wallet's funds grow."),
  operationId: Id,
  transactionId: z.int().min(0).describe("Of the movement in the ledger; an int64."),
  transactionType: Word(["Deposit", "Withdrawal", "Payment", "Reversal"]),
  fees: Fees,
  confirmationDate: orNull(DateTime),
  initializationDate: DateTime,
};

const confirmedExample = {
  partnerKey,
  dealerKey,
  walletId,
  storeId,
  operationType: "Payment",
  amount: 18.4,
  income: false,
  operationId,
  transactionId: 12,
  transactionType: "Payment",
  fees: [],
  confirmationDate: moments.paymentConfirmed,
  initializationDate: moments.paymentInitialised,
};

const ofOperation = {
  session: ["walletId"],
  entity: { name: "operation", id: "operationId" },
} as const;

const transactionConfirmed = businessEvent({
  ...ofOperation,
  name: "TransactionConfirmed",
  forcedAs: "transactionconfirmed",
  payload: confirmedFields,
  summary: "A wallet's balance has changed",
  description:
    "With each confirmed operation, and with each reversal: `transactionType` is `Reversal` then, and " +
    "`income` the opposite of the operation's.",
  example: confirmedExample,
});

const settledOn = "2025-03-06";

const transactionCompleted = businessEvent({
  ...ofOperation,
  name: "TransactionCompleted",
  forcedAs: "transactioncompleted",
  payload: {
    ...confirmedFields,
    completionDate: DateTime,
    transferId: orNull(Text).describe("Of the transfer between the two internal accounts."),
    transferCompletionDate: orNull(CalendarDate),
    transferCreditorAccountNumber: orNull(Text),
    transferDebtorAccountNumber: orNull(Text),
    transferTransactionReference: orNull(Text),
    externalReference: orNull(Text),
    accountingId: orNull(Text),
    accountBookingDate: orNull(CalendarDate),
    accountId: orNull(Text),
    creditAccountId: orNull(Text),
    debitAccountId: orNull(Text),
    accountingDate: orNull(CalendarDate),
    accountValueDate: orNull(CalendarDate),
  },
  summary: "What a movement moved has been settled at the bank",
  example: {
    ...confirmedExample,
    completionDate: moments.paymentCompleted,
    transferId,
    transferCompletionDate: settledOn,
    transferCreditorAccountNumber: collectionIban,
    transferDebtorAccountNumber: safeguardingIban,
    transferTransactionReference: `SB-${transferId}`,
    externalReference: harvestingId,
    accountingId: "12",
    accountBookingDate: settledOn,
    accountId: "5",
    creditAccountId: storeAccountId,
    debitAccountId: "5",
    accountingDate: "2025-03-05",
    accountValueDate: settledOn,
  },
});

const wireFields = {
  operationId: orNull(Id).describe("Null: a credit that was nobody's was sent back."),
  walletId: orNull(Id).describe("Null where `operationId` is."),
  partnerKey: PartnerKey,
  amount: Money,
  creditorName: orNull(LongText),
  creditorIban: orNull(LongText),
  reason: orNull(LongText),
  transactionReference: orNull(Text),
};

const wireExample = {
  operationId: withdrawalId,
  walletId,
  partnerKey,
  amount: 25,
  creditorName: `${holder.firstName} ${holder.lastName}`,
  creditorIban: iban,
  reason: `Withdrawal ${withdrawalId}`,
  transactionReference: `SB-${transferId}`,
};

const wireTransferCompleted = businessEvent({
  ...ofOperation,
  name: "WireTransferCompleted",
  forcedAs: "wiretransfercompleted",
  payload: { ...wireFields, completionDate: orNull(DateTime) },
  summary: "A transfer has reached a customer's bank",
  description:
    "Of a withdrawal, or of a credit that is sent back: that one has neither operation nor wallet, and its " +
    "session is the bank notification.",
  example: { ...wireExample, completionDate: moments.withdrawalPaid },
});

const wireTransferFailed = businessEvent({
  ...ofOperation,
  name: "WireTransferFailed",
  forcedAs: "wiretransferfailed",
  payload: {
    ...wireFields,
    completionDate: orNull(DateTime),
    failureCode: Text.describe("The bank's ISO 20022 reason code, where it gave one."),
    failureReason: LongText,
    failureDate: DateTime,
  },
  summary: "The bank refused a transfer to a customer; the wallet has its funds again",
  example: {
    ...wireExample,
    ...{ operationId: rejectedWithdrawalId, amount: 15 },
    reason: `Withdrawal ${rejectedWithdrawalId}`,
    completionDate: null,
    failureCode: "AC04",
    failureReason: "The bank refused the payment.",
    failureDate: moments.rejected,
  },
});

export const transactionEvents: readonly BusinessEvent[] = [
  transactionConfirmed,
  transactionCompleted,
  wireTransferCompleted,
  wireTransferFailed,
];
