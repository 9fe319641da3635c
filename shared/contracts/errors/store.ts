/** Refusals about dealers, their stores, and mandates of stores and wallets. */
import type { ErrorEntries } from "./entry.js";

export const storeErrors = {
  StoreCodeAlreadyPresent: {
    status: 400,
    description: "Another store of the dealer has this code: choose another one.",
    properties: { code: "ROMA-01" },
  },
  StoreHasPendingReconciliations: {
    status: 400,
    description: "Money that moved at the store is not settled yet: delete the store later.",
    mayHave: ["operations", "bankNotifications", "reconciliations"],
  },
  StoreOwnerDataMissing: {
    status: 400,
    description: "A store's mandate needs its owner's name and a sound IBAN: update the store.",
    mayHave: ["ownerName", "ownerIban"],
  },
  MandateStatusInvalid: {
    status: 400,
    description: "The mandate's status does not allow this: read the mandate.",
    properties: { mandateStatus: "Active" },
  },
  MandateAlreadyPresent: {
    status: 400,
    description: "The wallet or store already has an open mandate: disable that one first.",
    mayHave: ["mandateStatus", "storeMandateId"],
  },
  MandateReferenceAlreadyPresent: {
    status: 400,
    description: "Another mandate of the partner has this reference: choose another one.",
    properties: { mandateUniqueReference: "BORS-2026-0001" },
  },
  DepositDateOnWeekend: {
    status: 400,
    description: "Banks settle nothing on Saturdays and Sundays: choose a weekday.",
    properties: { newDepositDate: "2026-03-14" },
  },
  DepositDateNotBankDay: {
    status: 400,
    description: "Banks are closed on this day: choose another one.",
    properties: { newDepositDate: "2026-03-14" },
  },
  DepositDateNotLater: {
    status: 400,
    description: "The next deposit can only be put off: choose a date after the present one.",
    properties: { newDepositDate: "2026-03-14" },
  },
  StoreNotActive: {
    status: 400,
    description: "The store is not active: activate it, or name another one.",
    properties: { storeId: "01980d44-0b7f-7d31-a1c8-9e5b3f6d7a20" },
  },
  DealerOfAnotherPartner: {
    status: 403,
    description: "The dealer belongs to another partner: name one of your own.",
    mayHave: ["dealerKey", "originatingDealerKey", "storeId"],
  },
  DealerNotFound: {
    status: 404,
    description: "The partner has no dealer with this key: check it.",
    mayHave: ["dealerKey", "originatingDealerKey"],
  },
  StoreNotFound: {
    status: 404,
    description: "The dealer has no such store: check its identifier.",
    mayHave: ["storeId", "code"],
  },
  MandateNotFound: {
    status: 404,
    description: "There is no mandate yet: make one first.",
    mayHave: ["walletId", "mandateId", "storeId"],
  },
  StoreMandateNotFound: {
    status: 404,
    description: "There is no store mandate with this identifier: list the store mandates.",
    properties: { storeMandateId: "01980d44-0b7f-7d31-a1c8-9e5b3f6d7a20" },
  },
} as const satisfies ErrorEntries;
