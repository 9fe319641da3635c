/** Events of operations and of the buckets that they fill (contract 4.7). */
import { z } from "zod";
import { fundsTypes, operationStatuses, operationTypes } from "../../domain/operations/families.js";
import { businessEvent, type BusinessEvent } from "./event.js";
import {
  CalendarDate,
  DateTime,
  Fees,
  Id,
  Money,
  orNull,
  PartnerKey,
  Tags,
  Text,
  Word,
} from "./fields.js";
import {
  bucketId,
  cancelledPaymentId,
  dealerKey,
  moments,
  operationId,
  partnerKey,
  reconciliationId,
  storeId,
  walletId,
} from "../story/story.js";

const initialisedFields = {
  operationId: Id,
  walletId: orNull(Id).describe("Null: the operation is a harvesting, of a store."),
  partnerKey: PartnerKey,
  dealerKey: orNull(Text),
  storeId: orNull(Id),
  operationType: Word(operationTypes),
  fundsType: Word(fundsTypes),
  bucketId: orNull(Id),
  operationGroupId: orNull(Id),
  amount: Money,
  finalAmount: Money.describe("What the wallet gains or loses, fees included."),
  netAmount: Money,
  feesAmount: Money,
  fees: Fees,
  income: z.boolean().describe("Whether the wallet's funds grow."),
  status: Word(operationStatuses),
  creationDate: DateTime,
  expiryDate: orNull(DateTime),
  tags: orNull(Tags),
};

const initialisedExample = {
  operationId,
  walletId,
  partnerKey,
  dealerKey,
  storeId,
  operationType: "Payment",
  fundsType: "Standard",
  bucketId,
  operationGroupId: null,
  amount: 18.4,
  finalAmount: 18.4,
  netAmount: 18.4,
  feesAmount: 0,
  fees: [],
  income: false,
  status: "Initialized",
  creationDate: moments.paymentInitialised,
  expiryDate: moments.paymentExpires,
  tags: { till: "3" },
};

const ofOperation = {
  session: ["walletId", "operationId"],
  entity: { name: "operation", id: "operationId" },
} as const;

const operationInitialised = businessEvent({
  ...ofOperation,
  name: "OperationInitialized",
  forcedAs: "operationinitialized",
  payload: initialisedFields,
  summary: "An operation was initialised: its amount is held, or room for it is reserved",
  example: initialisedExample,
});

const operationConfirmed = businessEvent({
  ...ofOperation,
  name: "OperationConfirmed",
  forcedAs: "operationconfirmed",
  payload: { ...initialisedFields, confirmationDate: DateTime },
  summary: "An operation was confirmed: the wallet's balance has changed",
  example: {
    ...initialisedExample,
    status: "Confirmed",
    confirmationDate: moments.paymentConfirmed,
  },
});

const operationCancelled = businessEvent({
  ...ofOperation,
  name: "OperationCancelled",
  forcedAs: "operationcancelled",
  payload: {
    ...initialisedFields,
    cancellationDate: orNull(DateTime),
    expiryDate: orNull(DateTime),
    terminationDate: orNull(DateTime),
  },
  summary: "An operation ended without effect, or was taken back",
  description:
    "The one date of `cancellationDate`, `expiryDate` and `terminationDate` that is set tells how.",
  example: {
    ...initialisedExample,
    ...{ operationId: cancelledPaymentId, amount: 5, finalAmount: 5, netAmount: 5 },
    status: "Cancelled",
    creationDate: moments.paymentConfirmed,
    cancellationDate: moments.paymentConfirmed,
    expiryDate: null,
    terminationDate: null,
  },
});

const operationCompleted = businessEvent({
  ...ofOperation,
  name: "OperationCompleted",
  forcedAs: "operationcompleted",
  payload: {
    ...initialisedFields,
    completionDate: DateTime,
    reconciliationId: orNull(Id),
  },
  summary: "An operation is settled at the bank and complete",
  example: {
    ...initialisedExample,
    status: "Completed",
    completionDate: moments.paymentCompleted,
    reconciliationId,
  },
});

const bucketCreated = businessEvent({
  name: "BucketCreated",
  forcedAs: "bucketcreated",
  payload: {
    bucketId: Id,
    walletId: Id,
    partnerKey: PartnerKey,
    availableBalance: Money,
    creationDate: DateTime,
    lastIncomingDate: orNull(DateTime),
    lastOutgoingDate: orNull(DateTime),
    isWithdrawable: z.boolean().describe("Whether its funds may leave in cash or by transfer."),
    fundsType: Word(fundsTypes),
    fundsExpiryDate: orNull(CalendarDate).describe("The last day on which they can be spent."),
  },
  session: ["walletId"],
  entity: { name: "bucket", id: "bucketId" },
  summary: "A wallet has a bucket for another kind of funds",
  example: {
    bucketId,
    walletId,
    partnerKey,
    availableBalance: 0,
    creationDate: moments.ibanValidated,
    lastIncomingDate: null,
    lastOutgoingDate: null,
    isWithdrawable: true,
    fundsType: "Standard",
    fundsExpiryDate: null,
  },
});

export const operationEvents: readonly BusinessEvent[] = [
  operationInitialised,
  operationConfirmed,
  operationCancelled,
  operationCompleted,
  bucketCreated,
];
