/** Events of a store (wallet seed, section 6). */
import { z } from "zod";
import { businessEvent, type BusinessEvent } from "./event.js";
import { DateTime, Id, orNull, PartnerKey, Text } from "./fields.js";
import {
  dealerKey,
  moments,
  partnerKey,
  secondStore,
  secondStoreAccountId,
  secondStoreId,
  store,
  storeAccountId,
  storeId,
  storesNewPhoneNumber,
} from "../story/story.js";

const payload = {
  storeId: Id,
  dealerKey: Text,
  partnerKey: PartnerKey,
  name: Text,
  type: orNull(Text),
  city: Text,
  address: Text,
  accountId: Text.describe("The store's account in the ledger."),
  email: Text,
  phoneNumber: Text,
  code: Text.describe("Unique among the dealer's stores."),
  latitude: orNull(z.number().min(-90).max(90)),
  longitude: orNull(z.number().min(-180).max(180)),
  isActive: z.boolean(),
  creationDate: DateTime,
  lastUpdateDate: orNull(DateTime),
};

const example = {
  storeId,
  dealerKey,
  partnerKey,
  name: store.name,
  type: store.type,
  city: store.city,
  address: store.address,
  accountId: storeAccountId,
  email: store.email,
  phoneNumber: store.phoneNumber,
  code: store.code,
  latitude: store.latitude,
  longitude: store.longitude,
  isActive: true,
  creationDate: moments.storeOpened,
  lastUpdateDate: null,
};

const ofStore = {
  payload,
  session: ["storeId"],
  entity: { name: "store", id: "storeId" },
} as const;

const storeCreated = businessEvent({
  ...ofStore,
  name: "StoreCreated",
  forcedAs: "storecreated",
  summary: "A store was created",
  example,
});

const storeUpdated = businessEvent({
  ...ofStore,
  name: "StoreUpdated",
  forcedAs: "storeupdated",
  summary: "A store was changed, put out of use or into use again",
  example: {
    ...example,
    phoneNumber: storesNewPhoneNumber,
    lastUpdateDate: moments.storeChanged,
  },
});

const storeDeleted = businessEvent({
  ...ofStore,
  name: "StoreDeleted",
  forcedAs: "storedeleted",
  summary: "A store was deleted",
  example: {
    ...example,
    ...{ storeId: secondStoreId, accountId: secondStoreAccountId, isActive: false },
    ...{ name: secondStore.name, address: secondStore.address, code: secondStore.code },
    lastUpdateDate: moments.storeChanged,
  },
});

export const storeEvents: readonly BusinessEvent[] = [storeCreated, storeUpdated, storeDeleted];
