/** The story that the examples of all events tell: a customer, a store, a till, one payment and one withdrawal. */

export const partnerKey = "acme";
export const dealerKey = "dealer-rome";

export const walletId = "01980d3c-93a5-7cc4-8a63-5f2a8f0e1b77";
export const storeId = "01980d1e-2b40-7d11-9c52-0b6f4a7e9d21";
export const bucketId = "01980d45-1f0c-7a3e-b8d4-6c1e2f3a4b5c";
export const operationId = "01980e02-77aa-7b10-8f3d-9a1b2c3d4e5f";
export const cancelledPaymentId = "01980e04-1b2c-7d3e-8f40-5162738495a6";
export const cancelledGroupId = "01980e05-2c3d-7e4f-9051-62738495a6b7";
export const rejectedWithdrawalId = "01981102-3d4e-7f50-8162-738495a6b7c8";
export const withdrawalId = "01980f9a-0c3e-7f66-a2b1-3d4e5f6a7b8c";
export const operationGroupId = "01980e01-5d2c-7e8f-9a0b-1c2d3e4f5a6b";
export const mandateId = "01980d60-4e5f-7061-8273-94a5b6c7d8e9";
export const bankNotificationId = "01980d44-6b7c-7d8e-9fa0-b1c2d3e4f506";
export const transferId = "01980ef0-1a2b-7c3d-8e4f-506172839405";
/** Of the day's payments at the store. */
export const harvestingId = "01980eef-4d5e-7f60-8172-8394a5b6c7d8";
export const reconciliationId = "01980ef0-9b8c-7d6e-8f5a-403928172635";

export const customerId = "01980d1f-0a1b-7c2d-8e3f-4a5b6c7d8e90";
export const accountId = "01980d70-1b2c-7d3e-8f40-516273849506";
export const cardId = "01980d71-2c3d-7e4f-9051-627384950617";

export const iban = "IT60X0542811101000000123456";
export const collectionIban = "IT83X0999903200ACME00000001";
export const safeguardingIban = "IT92Y0999903200ACME00000002";
/** Of somebody who has no wallet. */
export const strangersIban = "IT47A0542811101000000009999";
export const holder = { firstName: "Mario", lastName: "Rossi" } as const;
export const taxId = "RSSMRA85T10A562S";

export const phoneNumber = "+393401234567";
export const email = "mario.rossi@example.com";

export const ibanValidationCode = "K7W3M9";
export const mandateUniqueReference = `BRS${mandateId.replaceAll("-", "").toUpperCase()}`;
export const residence = {
  addressStreet: "Via Roma",
  addressNumber: "1",
  zipCode: "00184",
  city: "Roma",
  province: "RM",
  country: "IT",
} as const;

export const pinKeyId = "pin-2025";
export const signingKeyId = "3f9c1b7e5d2a4860";
/** Another customer of the dealer. */
export const neighboursWalletId = "01980d92-4b1c-7a5d-9e2f-6a7b8c9d0e1f";
export const neighbour = {
  taxId: "BNCGLI90D45H501X",
  firstName: "Giulia",
  lastName: "Bianchi",
  phoneNumber: "+393331234567",
  email: "giulia.bianchi@example.com",
  originatingDealerKey: dealerKey,
} as const;

export const storeMandateId = "01980da4-7e3b-7f1c-8d2a-4b5c6d7e8f90";
/** By which the store's transfer for a day is found. */
export const reconciliationCode = "RCFLVQPF2NWH";
export const storesNewPhoneNumber = "+390612345679";
export const storeAccountId = "1";
export const store = {
  name: "Bar Centrale",
  type: "Bar",
  city: "Roma",
  address: "Via Nazionale 10",
  ownerIban: "IT02M0542811101000000292100",
  ownerName: "Bar Centrale Srl",
  email: "bar.centrale@example.com",
  phoneNumber: "+390612345678",
  code: "ROMA-1",
  latitude: 41.9,
  longitude: 12.49,
} as const;

/** The card, as its processor names it, and what it was used for. */
export const addressId = "01980d70-2c3d-7e4f-8051-627384950617";
export const accountNumber = "100000000042";
export const panToken = "9999990000000000424242";
export const maskedPan = "999999******4242";
export const purchaseId = "01980fb1-6d2e-7f30-8b4c-5d6e7f809102";
export const fuelId = "01980fb2-7e3f-7041-8c5d-6e7f80910213";
export const fuelReversalId = "01980fb2-8f40-7152-8d6e-7f8091021324";
export const inquiryId = "01980fb0-5c1d-7e2f-8a3b-4c5d6e7f8091";
export const adviceId = "01980fb1-7e3f-7041-8c5d-6e7f80910213";
export const adviceReversalId = "01980fb1-8f40-7152-8d6e-7f8091021324";
export const acsTransactionId = "7c8a2e14-6a0f-4a52-9d1a-2f3b4c5d6e7f";
export const clearingBookmarkId = "01a1f9d0-5e6f-7a81-92b3-c4d5e6f70819";
export const outgoingClearingId = "01a1f9d1-0a1b-7c2d-8e3f-405162738495";
export const incomingClearingId = "01a1f9d2-1b2c-7d3e-8f40-516273849506";

export const caseNumber = "CAS-K7W3-M9TD-2HQX";
export const canceledCaseNumber = "CAS-P4RB-6YCN-W8FJ";
export const rejectedCaseNumber = "CAS-3GVE-ZH5T-7KDM";

export const outgoingFeesId = "01a1f9d2-1b2c-7d3e-8f40-5162738495a6";

/** A second one of the same owner, which is given up. */
export const secondStoreId = "01980d1e-9c4d-7e5f-8a6b-7c8d9e0f1a2b";
export const secondStoreAccountId = "2";
export const secondStore = {
  ...store,
  name: "Bar Stazione",
  address: "Via Giolitti 3",
  code: "ROMA-2",
} as const;

/** The moments of the story, in its order. */
export const moments = {
  storeOpened: "2025-03-03T08:00:00.000Z",
  walletCreated: "2025-03-03T09:15:00.000Z",
  ibanSet: "2025-03-03T09:20:00.000Z",
  ibanValidated: "2025-03-04T10:05:00.000Z",
  contractSigned: "2025-03-04T10:30:00.000Z",
  attributesSet: "2025-03-03T09:17:00.000Z",
  mandateSigned: "2025-03-04T10:45:00.000Z",
  mandateActive: "2025-03-04T10:45:00.000Z",
  transferDecided: "2025-03-07T09:00:00.000Z",
  storeChanged: "2025-03-11T09:00:00.000Z",
  groupConfirmed: "2025-03-05T15:01:00.000Z",
  groupCancelled: "2025-03-05T15:10:00.000Z",
  groupInitialised: "2025-03-05T15:00:00.000Z",
  paymentInitialised: "2025-03-05T12:00:00.000Z",
  paymentConfirmed: "2025-03-05T12:01:00.000Z",
  paymentExpires: "2025-03-05T12:30:00.000Z",
  paymentCompleted: "2025-03-06T02:30:00.000Z",
  withdrawalPaid: "2025-03-05T14:05:00.000Z",
  accountOpened: "2025-03-17T08:00:00.000Z",
  cardCreated: "2025-03-17T08:05:00.000Z",
  challengeResolved: "2025-03-17T18:30:00.000Z",
  clearingCut: "2025-03-18T08:00:00.000Z",
  clearingExported: "2025-03-18T10:00:00.000Z",
  ticketOpened: "2025-03-19T08:00:00.000Z",
  ticketAnswered: "2025-03-19T10:30:00.000Z",
  cardLocked: "2025-03-20T08:00:00.000Z",
  cardUnlocked: "2025-03-20T09:00:00.000Z",
  accountLocked: "2025-03-21T08:00:00.000Z",
  accountUnlocked: "2025-03-21T09:00:00.000Z",
  cardEnded: "2025-03-24T08:00:00.000Z",
  accountEnded: "2025-03-28T08:00:00.000Z",
  contractDeclined: "2025-03-31T08:05:00.000Z",
  rejected: "2025-03-31T08:05:00.000Z",
  lastUsed: "2025-03-31T08:00:00.000Z",
  suspended: "2025-04-02T08:00:00.000Z",
  reactivated: "2025-04-03T08:00:00.000Z",
  ibanDeleted: "2025-04-04T08:00:00.000Z",
  closed: "2025-04-07T08:00:00.000Z",
  reopened: "2025-04-08T08:00:00.000Z",
} as const;
