/** The catalogue of events against the documents: names, fields, what can be forced, whole examples. */
import { expect, test } from "vitest";
import {
  eventCatalogue,
  eventNamed,
  forcibleEvents,
} from "../../../shared/contracts/events/catalogue.js";
import { envelope } from "../../../shared/contracts/events/envelope.js";
import { eventBody, sessionOf } from "../../../shared/contracts/events/event.js";
import { forcedBody } from "../../../shared/contracts/events/forced.js";

const words = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== "");

/** Wallet seed, section 6, and contract 4.7 for what it leaves out; in any order. */
const walletCreated = `walletId, partnerKey, taxId, firstName, lastName, phoneNumber, email, creationDate,
  lastUpdateDate, lastUsageDate, closureDate, suspensionDate, reactivationDate, originatingDealerKey`;
const walletUpdated = `${walletCreated}, iban`;
const transactionConfirmed = `partnerKey, dealerKey, walletId, storeId, operationType, amount, income, operationId,
  transactionId, transactionType, fees, confirmationDate, initializationDate`;
const store = `storeId, dealerKey, partnerKey, name, type, city, address, accountId, email, phoneNumber, code,
  latitude, longitude, isActive, creationDate, lastUpdateDate`;
const group = "operationGroupId, walletId, partnerKey, dealerKey, creationDate";
const operation = `operationId, walletId, partnerKey, dealerKey, storeId, operationType, fundsType, bucketId,
  operationGroupId, amount, finalAmount, netAmount, feesAmount, fees, income, status, creationDate, expiryDate, tags`;
const wire = `operationId, walletId, partnerKey, amount, creditorName, creditorIban, reason, transactionReference,
  completionDate`;

test.each([
  ["WalletCreated", walletCreated],
  ["WalletIbanDeleted", walletCreated],
  ["WalletUpdated", walletUpdated],
  [
    "WalletAttributesUpdated",
    `${walletUpdated}, addressStreet, addressNumber, zipCode, city, province, country, hasResidenceDataChanged`,
  ],
  ["WalletSuspended", walletUpdated],
  ["WalletReactivated", walletUpdated],
  ["WalletClosed", walletUpdated],
  ["WalletReopened", walletUpdated.replace("reactivationDate", "reopeningDate")],
  ["TransactionConfirmed", transactionConfirmed],
  [
    "TransactionCompleted",
    `${transactionConfirmed}, completionDate, transferId, transferCompletionDate, transferCreditorAccountNumber,
     transferDebtorAccountNumber, transferTransactionReference, externalReference, accountingId, accountBookingDate,
     accountId, creditAccountId, debitAccountId, accountingDate, accountValueDate`,
  ],
  ["StoreCreated", store],
  ["StoreUpdated", store],
  ["StoreDeleted", store],
  ["OperationGroupInitialized", group],
  ["OperationGroupConfirmed", `${group}, confirmationDate`],
  ["OperationGroupCancelled", `${group}, cancellationDate, expiryDate, terminationDate`],
  ["OperationInitialized", operation],
  ["OperationConfirmed", `${operation}, confirmationDate`],
  ["OperationCancelled", `${operation}, cancellationDate, terminationDate`],
  ["OperationCompleted", `${operation}, completionDate, reconciliationId`],
  ["WireTransferCompleted", wire],
  ["WireTransferFailed", `${wire}, failureCode, failureReason, failureDate`],
  [
    "BucketCreated",
    `bucketId, walletId, partnerKey, availableBalance, creationDate, lastIncomingDate, lastOutgoingDate,
     isWithdrawable, fundsType, fundsExpiryDate`,
  ],
  ["IbanValidationFailed", "walletId, partnerKey, iban, feedback"],
])("%s has the fields of the documents and no other", (name, fields) => {
  expect(Object.keys(eventNamed(name)?.payload ?? {}).toSorted()).toEqual(words(fields).toSorted());
});

test("23 events can be forced, by their paths in the wallet seed", () => {
  expect(forcibleEvents.map(({ forcedAs }) => forcedAs).toSorted()).toEqual(
    words(`walletcreated, walletupdated, walletibandeleted, walletattributesupdated, transactionconfirmed,
      transactioncompleted, storecreated, storeupdated, storedeleted, operationgroupinitialized,
      operationgroupconfirmed, operationgroupcancelled, walletsuspended, walletreactivated, walletclosed,
      walletreopened, wiretransfercompleted, wiretransferfailed, operationconfirmed, operationcancelled,
      operationcompleted, operationinitialized, bucketcreated`).toSorted(),
  );
});

test("no two events have one name, and no payload has a field of the envelope", () => {
  const names = eventCatalogue.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const doubled = eventCatalogue.flatMap(({ payload }) =>
    Object.keys(payload).filter((field) => field in envelope),
  );
  expect(doubled).toEqual([]);
});

const id = "01980d3c-93a5-7cc4-8a63-5f2a8f0e1b77";
const at = "2026-03-10T12:00:20.000Z";
const envelopeValues = {
  messageVersion: 1,
  messagePublisher: "Borsello",
  timestamp: at,
  id,
  messageCreationDate: at,
  messagePublishDate: at,
  isLastRetry: false,
};

test.each(eventCatalogue.map((event) => [event.name, event] as const))(
  "the example of %s is a whole payload, and names session and entity",
  (_name, event) => {
    expect(
      eventBody(event).safeParse({ ...envelopeValues, ...event.example }).error,
    ).toBeUndefined();
    expect(sessionOf(event, event.example)).toBeTypeOf("string");
    expect(event.example[event.entity.id]).toBeTypeOf("string");
  },
);

test.each(forcibleEvents.map((event) => [event.name, event] as const))(
  "%s is forced without envelope and without what has no value, and reads as a whole",
  (_name, event) => {
    const set = Object.entries(event.example).filter(([, value]) => value !== null);
    expect(forcedBody(event).parse({ ...Object.fromEntries(set), id })).toEqual({
      ...event.example,
      id,
    });
    expect(forcedBody(event).safeParse({ ...event.example, unknown: 1 }).success).toBe(false);
    expect(forcedBody(event).safeParse({ ...event.example, partnerKey: undefined }).success).toBe(
      false,
    );
  },
);
