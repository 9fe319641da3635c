/** A store's mandate, as the wallet mandate record shows it, and its routes (wallet seed, 4.4, 4.5). */
import { z } from "zod";
import { Identifier } from "../identifier.js";
import { route } from "../route.js";
import { Mandate } from "../mandates/mandates.js";
import { storeErrors, storeParams } from "./stores.js";

/** A store is debited whatever it owes, whenever that is due: no wallet, amount or frequency. */
export const MandateOfStore = Mandate.extend({
  walletId: z.null(),
  storeId: z.uuid(),
  amount: z.null(),
  frequency: z.null(),
}).meta({ id: "MandateOfStore" });
export type MandateOfStore = z.infer<typeof MandateOfStore>;

const record = { status: 200, schema: MandateOfStore } as const;

export const putStoreMandateRoute = route({
  id: "putStoreMandate",
  api: "wallet",
  method: "PUT",
  path: "dealers/{dealerKey}/stores/{storeId}/mandate",
  params: storeParams,
  role: "Mandate.Write",
  ok: record,
  errors: ["StoreOwnerDataMissing", "MandateStatusInvalid", ...storeErrors],
  summary: "Make the store's mandate, or refresh it",
  result: "The store's mandate with the owner's account of now.",
  description:
    "Debtor and address are taken from the store's ownerName, ownerIban, address and city. A " +
    "mandate whose activation was never requested is refreshed and is a Draft again; where it " +
    "has ended, a new one is made.",
});

export const getStoreMandateRoute = route({
  id: "getCurrentStoreMandate",
  api: "wallet",
  method: "GET",
  path: "dealers/{dealerKey}/stores/{storeId}/mandate",
  params: storeParams,
  role: "Wallet.Read",
  ok: record,
  errors: ["MandateNotFound", ...storeErrors],
  summary: "Get the store's current mandate",
  result: "The store's mandate as it is now.",
});

export const disableStoreMandateRoute = route({
  id: "disableStoreMandate",
  api: "wallet",
  method: "PUT",
  path: "stores/{storeId}/mandate/disable",
  params: { storeId: Identifier },
  role: "Mandate.Write",
  ok: record,
  errors: ["MandateStatusInvalid", "DealerOfAnotherPartner", "StoreNotFound", "MandateNotFound"],
  summary: "Disable the store's mandate, or cancel it when its activation was never requested",
  result: "The mandate, Cancelled if it was never requested, else about to be disabled.",
});
