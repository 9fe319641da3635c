/** The store record and the routes of a dealer's stores (wallet seed, 2.8, 4.5; contract 3.2). */
import { z } from "zod";
import { Identifier } from "../identifier.js";
import { pageErrors, pageQuery, paginated } from "../pages.js";
import { route } from "../route.js";
import {
  Code,
  DateTime,
  Email,
  GivenMetadata,
  Metadata,
  NullableDateTime,
  Text,
} from "../wallet/fields.js";

export const Store = z
  .object({
    storeId: z.uuid(),
    dealerKey: z.string(),
    partnerKey: z.string(),
    name: z.string(),
    type: z.string().nullable(),
    creationDate: DateTime,
    city: z.string(),
    address: z.string(),
    accountId: z.string(),
    ownerIban: z.string().nullable(),
    ownerName: z.string().nullable(),
    email: z.string().meta({ format: "email" }),
    phoneNumber: z.string(),
    code: z.string(),
    latitude: z.number().nullable(),
    longitude: z.number().nullable(),
    isActive: z.boolean(),
    lastUpdateDate: NullableDateTime,
    metadata: Metadata.nullable(),
  })
  .meta({ id: "Store" });
export type Store = z.infer<typeof Store>;

/** Absent and null are the same: the store has no such value. */
const orNothing = <Schema extends z.ZodType>(schema: Schema) => schema.nullable().default(null);

/** One line of text that may be empty, which is the same again. */
const TextOrNothing = orNothing(
  z
    .string()
    .trim()
    .max(255, { abort: true })
    .regex(/^\P{Cc}*$/u, "must not hold control characters")
    .transform((text) => (text === "" ? null : text)),
);

/** What no address can name: a step to a folder, and the slash that hosts leave encoded. */
const notInPath = /^\.{1,2}$|%2f/i;

const StoreCode = Text.refine(
  (code) => !notInPath.test(code),
  "must be one that an address can name: not a dot or two, and without %2F",
).describe("Unique among the dealer's stores.");

export const CreateStoreBody = z.strictObject({
  name: Text,
  type: TextOrNothing,
  city: Text,
  address: Text,
  ownerIban: TextOrNothing.describe("The account that receives the store's funds."),
  ownerName: TextOrNothing,
  email: Email,
  phoneNumber: Text,
  code: StoreCode,
  latitude: orNothing(z.number().min(-90).max(90)),
  longitude: orNothing(z.number().min(-180).max(180)),
  metadata: orNothing(GivenMetadata),
});
export type NewStore = z.output<typeof CreateStoreBody>;

export const UpdateStoreBody = CreateStoreBody.extend({ isActive: z.boolean() });
export type StoreUpdate = z.output<typeof UpdateStoreBody>;

export const dealerParams = { dealerKey: Code } as const;
export const storeParams = { dealerKey: Code, storeId: Identifier } as const;

export const dealerErrors = ["DealerOfAnotherPartner", "DealerNotFound"] as const;
export const storeErrors = [...dealerErrors, "StoreNotFound"] as const;

const record = { status: 200, schema: Store } as const;

export const listStoresRoute = route({
  id: "listStores",
  api: "wallet",
  method: "GET",
  path: "dealers/{dealerKey}/stores",
  params: dealerParams,
  query: pageQuery,
  role: "Wallet.Read",
  ok: { status: 200, schema: paginated(Store) },
  errors: [...pageErrors, ...dealerErrors],
  summary: "List the stores of a dealer",
  result: "A page of the dealer's stores, and how many there are in all.",
  description: "The oldest first. Deleted stores are left out.",
});

export const createStoreRoute = route({
  id: "createStore",
  api: "wallet",
  method: "POST",
  path: "dealers/{dealerKey}/stores",
  params: dealerParams,
  body: CreateStoreBody,
  takesIdempotencyKey: true,
  role: "Store.Write",
  ok: record,
  errors: ["StoreCodeAlreadyPresent", ...dealerErrors],
  summary: "Add a store to a dealer",
  result: "The new store.",
  description: "It is active at once. The event StoreCreated follows.",
});

export const getStoreRoute = route({
  id: "getStore",
  api: "wallet",
  method: "GET",
  path: "dealers/{dealerKey}/stores/{storeId}",
  params: storeParams,
  role: "Wallet.Read",
  ok: record,
  errors: storeErrors,
  summary: "Get a store",
  result: "The store as it is now.",
});

export const updateStoreRoute = route({
  id: "updateStore",
  api: "wallet",
  method: "PUT",
  path: "dealers/{dealerKey}/stores/{storeId}",
  params: storeParams,
  body: UpdateStoreBody,
  role: "Store.Write",
  ok: record,
  errors: ["StoreCodeAlreadyPresent", ...storeErrors],
  summary: "Update a store, activate or deactivate it",
  result: "The store with what was changed.",
  description:
    "The body takes the place of all that was given before: a field that is absent or null is " +
    "removed. The store's mandate keeps its debtor until it is refreshed. The event StoreUpdated " +
    "follows.",
});

export const deleteStoreRoute = route({
  id: "deleteStore",
  api: "wallet",
  method: "DELETE",
  path: "dealers/{dealerKey}/stores/{storeId}",
  params: storeParams,
  role: "Store.Write",
  ok: record,
  errors: ["StoreHasPendingReconciliations", ...storeErrors],
  summary: "Delete a store",
  result: "The store was deleted: its record as it is kept.",
  description:
    "Its operations stay, its code is free again, and its open mandate is disabled with it. " +
    "Refused while money that moved at the store is not settled. The event StoreDeleted follows.",
});

/** The Functions host decodes a path except its encoded slashes; a code may hold one. */
const CodeInPath = Text.transform((text) => text.replaceAll(/%2f/gi, "/"));

export const getStoreByCodeRoute = route({
  id: "getStoreByCode",
  api: "wallet",
  method: "GET",
  path: "dealers/{dealerKey}/stores/code/{code}",
  params: { dealerKey: Code, code: CodeInPath },
  role: "Wallet.Read",
  ok: record,
  errors: storeErrors,
  summary: "Get a store by its code",
  result: "The store that has this code.",
  description: "Upper and lower case differ.",
});

const idsMax = 200;

export const searchStoresRoute = route({
  id: "searchStores",
  api: "wallet",
  method: "POST",
  path: "stores/search",
  body: z.array(Identifier).max(idsMax),
  role: "Wallet.Read",
  ok: { status: 200, schema: z.array(Store) },
  errors: [],
  summary: "Get stores by their identifiers",
  result: "The stores that exist among those asked for.",
  description:
    "Each store once, the oldest first. Identifiers that are unknown, of another partner or of a " +
    "deleted store are left out.",
});
