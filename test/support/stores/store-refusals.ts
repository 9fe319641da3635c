/** The refusals of stores and of their mandates. */
import type { Route } from "../../../shared/contracts/route.js";
import * as mandates from "../../../shared/contracts/stores/store-mandate.js";
import * as stores from "../../../shared/contracts/stores/stores.js";
import type { Database } from "../../../shared/database/platform/database.js";
import { putStoreMandate } from "../../../shared/database/stores/mandates.js";
import { openStore, operateAt, someStore } from "./store-fixtures.js";
import { pageRefusals, type RefusalCase } from "../platform/refusal-cases.js";
import { acme, globex, made } from "../wallet/wallet-fixtures.js";
import type { Given } from "../wallet/wallet-states.js";

const dealerKey = "dealer-rome";

/** Each makes a store of its own in that state, and resolves to its identifier. */
const storeStates = (read: () => Database) => {
  const anyStore: Given = async () => (await openStore(read())).storeId;
  const withoutOwner: Given = async () =>
    (await openStore(read(), { ownerIban: null, ownerName: null })).storeId;
  const unsettled: Given = async () => {
    const storeId = await anyStore();
    await operateAt(read(), storeId, "Confirmed");
    return storeId;
  };
  const withMandate =
    (status: string): Given =>
    async () => {
      const storeId = await anyStore();
      made(await putStoreMandate(read(), acme, { dealerKey, storeId }));
      const set = "update borsello.mandate set status = $2 where store_id = $1";
      await read().execute(set, [storeId, status]);
      return storeId;
    };
  const besideCode =
    (code: string): Given =>
    async () => {
      await openStore(read(), { code });
      return anyStore();
    };
  const ofGlobex: Given = async () => (await openStore(read(), {}, globex, "dealer-turin")).storeId;
  const nowhere: Given = async () => "01890a5d-ac96-774b-bcce-b302099a8057";
  return { anyStore, withoutOwner, unsettled, withMandate, besideCode, ofGlobex, nowhere };
};

const params = { dealerKey };
const turin = { dealerKey: "dealer-turin" };

const dealerRefusals = (route: Route, given: Given, body?: unknown): RefusalCase[] => [
  {
    route,
    code: "DealerOfAnotherPartner",
    given,
    params: { ...turin, code: "S" },
    says: turin,
    body,
  },
  {
    route,
    code: "DealerNotFound",
    given,
    params: { dealerKey: "nobody", code: "S" },
    says: { dealerKey: "nobody" },
    body,
  },
];

const storeRefusals = (
  { ofGlobex, nowhere, anyStore }: ReturnType<typeof storeStates>,
  route: Route,
  body?: unknown,
): RefusalCase[] => [
  ...dealerRefusals(route, ofGlobex, body),
  { route, code: "StoreNotFound", given: nowhere, params, body },
  { route, code: "StoreNotFound", given: ofGlobex, params, body },
  { route, code: "StoreNotFound", given: anyStore, params: { dealerKey: "dealer-milan" }, body },
];

/** `read` is called when a state is asked for: the database may open later. */
export const storeCases = (read: () => Database): readonly RefusalCase[] => {
  const states = storeStates(read);
  const { anyStore, withoutOwner, unsettled, withMandate, besideCode, ofGlobex, nowhere } = states;
  const body = someStore();
  const update = { ...someStore(), isActive: true };
  return [
    ...pageRefusals(stores.listStoresRoute, nowhere, params),
    ...dealerRefusals(stores.listStoresRoute, nowhere),
    ...dealerRefusals(stores.createStoreRoute, nowhere, body),
    {
      route: stores.createStoreRoute,
      code: "StoreCodeAlreadyPresent",
      given: besideCode("TAKEN"),
      params,
      body: { ...body, code: "TAKEN" },
      says: { code: "TAKEN" },
    },
    ...storeRefusals(states, stores.getStoreRoute),
    ...storeRefusals(states, stores.updateStoreRoute, update),
    {
      route: stores.updateStoreRoute,
      code: "StoreCodeAlreadyPresent",
      given: besideCode("OWNED"),
      params,
      body: { ...update, code: "OWNED" },
      says: { code: "OWNED" },
    },
    ...storeRefusals(states, stores.deleteStoreRoute),
    {
      route: stores.deleteStoreRoute,
      code: "StoreHasPendingReconciliations",
      given: unsettled,
      params,
      says: { operations: "1" },
    },
    ...dealerRefusals(stores.getStoreByCodeRoute, nowhere),
    {
      route: stores.getStoreByCodeRoute,
      code: "StoreNotFound",
      given: nowhere,
      params: { ...params, code: "no-such-code" },
      says: { code: "no-such-code" },
    },
    ...storeRefusals(states, mandates.putStoreMandateRoute),
    {
      route: mandates.putStoreMandateRoute,
      code: "StoreOwnerDataMissing",
      given: withoutOwner,
      params,
      says: { ownerIban: "is not set.", ownerName: "is not set." },
    },
    {
      route: mandates.putStoreMandateRoute,
      code: "MandateStatusInvalid",
      given: withMandate("Active"),
      params,
      says: { mandateStatus: "Active" },
    },
    ...storeRefusals(states, mandates.getStoreMandateRoute),
    { route: mandates.getStoreMandateRoute, code: "MandateNotFound", given: anyStore, params },
    { route: mandates.disableStoreMandateRoute, code: "DealerOfAnotherPartner", given: ofGlobex },
    { route: mandates.disableStoreMandateRoute, code: "StoreNotFound", given: nowhere },
    { route: mandates.disableStoreMandateRoute, code: "MandateNotFound", given: anyStore },
    {
      route: mandates.disableStoreMandateRoute,
      code: "MandateStatusInvalid",
      given: withMandate("Cancelled"),
      says: { mandateStatus: "Cancelled" },
    },
  ];
};
