/** The story that the examples of all events tell: a customer, a store, a till, one payment and one withdrawal. */

export const partnerKey = "acme";
export const dealerKey = "dealer-rome";

export const walletId = "01980d3c-93a5-7cc4-8a63-5f2a8f0e1b77";
export const storeId = "01980d1e-2b40-7d11-9c52-0b6f4a7e9d21";
export const bucketId = "01980d45-1f0c-7a3e-b8d4-6c1e2f3a4b5c";
export const operationId = "01980e02-77aa-7b10-8f3d-9a1b2c3d4e5f";
export const withdrawalId = "01980f9a-0c3e-7f66-a2b1-3d4e5f6a7b8c";
export const operationGroupId = "01980e01-5d2c-7e8f-9a0b-1c2d3e4f5a6b";
export const mandateId = "01980d60-4e5f-7061-8273-94a5b6c7d8e9";
export const bankNotificationId = "01980d44-6b7c-7d8e-9fa0-b1c2d3e4f506";
export const transferId = "01980ef0-1a2b-7c3d-8e4f-506172839405";
export const reconciliationId = "01980ef0-9b8c-7d6e-8f5a-403928172635";

export const iban = "IT60X0542811101000000123456";
export const collectionIban = "IT04D0300203280000000000001";
export const holder = { firstName: "Mario", lastName: "Rossi" } as const;
export const taxId = "RSSMRA85T10A562S";

/** The moments of the story, in its order. */
export const moments = {
  storeOpened: "2026-03-02T08:00:00.000Z",
  walletCreated: "2026-03-02T09:15:00.000Z",
  ibanSet: "2026-03-02T09:20:00.000Z",
  ibanValidated: "2026-03-03T10:05:00.000Z",
  contractSigned: "2026-03-03T10:30:00.000Z",
  mandateSigned: "2026-03-03T10:45:00.000Z",
  mandateActive: "2026-03-05T07:00:00.000Z",
  reminded: "2026-03-09T09:15:00.000Z",
  groupInitialised: "2026-03-10T11:59:00.000Z",
  paymentInitialised: "2026-03-10T12:00:00.000Z",
  paymentConfirmed: "2026-03-10T12:00:20.000Z",
  paymentExpires: "2026-03-10T12:29:00.000Z",
  paymentCompleted: "2026-03-11T02:00:30.000Z",
  withdrawn: "2026-03-12T15:00:00.000Z",
  withdrawalPaid: "2026-03-13T07:00:00.000Z",
  suspended: "2026-04-01T08:00:00.000Z",
  reactivated: "2026-04-02T08:00:00.000Z",
  closed: "2026-05-04T08:00:00.000Z",
  reopened: "2026-05-05T08:00:00.000Z",
} as const;
