/** The dealer's stores: a second one opens and closes, and the first lets its account be debited. */
import * as flows from "../../../shared/contracts/settlement/flows.js";
import { listPendingReconciliationsRoute } from "../../../shared/contracts/settlement/reconciliations.js";
import * as mandates from "../../../shared/contracts/stores/store-mandates.js";
import * as current from "../../../shared/contracts/stores/store-mandate.js";
import * as stores from "../../../shared/contracts/stores/stores.js";
import * as told from "../../../shared/contracts/story/story.js";
import type { Shop } from "./onboarding.js";
import type { Story } from "./teller.js";

const { dealerKey } = told;

const keepsStores = async (
  { at, tell }: Story,
  { storeId, secondStoreId }: Shop,
): Promise<void> => {
  await at("2025-03-11T09:00");
  const params = { dealerKey, storeId };
  await tell(stores.getStoreRoute, { params });
  await tell(stores.getStoreByCodeRoute, { params: { dealerKey, code: told.store.code } });
  const body = { ...told.store, phoneNumber: told.storesNewPhoneNumber, isActive: true };
  await tell(stores.updateStoreRoute, { params, body });
  await tell(stores.listStoresRoute, { params: { dealerKey } });
  await tell(stores.searchStoresRoute, { body: [storeId, secondStoreId] });
  await tell(stores.deleteStoreRoute, { params: { dealerKey, storeId: secondStoreId } });
};

const signsMandates = async (
  { at, tell, call, until, name }: Story,
  { storeId }: Shop,
): Promise<void> => {
  await at("2025-03-11T10:00");
  const params = { dealerKey, storeId };
  await tell(current.putStoreMandateRoute, { params });
  await tell(current.getStoreMandateRoute, { params });
  await tell(current.disableStoreMandateRoute, { params: { storeId } });
  await at("2025-03-11T10:30");
  const body = { storeId, mandateUniqueReference: "ACME-ROMA-1" };
  const { storeMandateId } = await tell(mandates.createStoreMandateRoute, { body });
  name(storeMandateId, told.storeMandateId);
  const one = { params: { storeMandateId } };
  await tell(mandates.fillStoreMandateRoute, one);
  await tell(flows.triggerStoreMandatesRoute, { query: { storeMandateId } });
  await until(
    () => call(mandates.getStoreMandateByIdRoute, one),
    ({ status }) => status === "Active",
  );
  await tell(mandates.getStoreMandateByIdRoute, one);
  await tell(mandates.listStoreMandatesRoute, { query: { storeId } });
  await tell(flows.triggerStoresCompensationRoute, {});
  await until(
    () => call(listPendingReconciliationsRoute, { params: { storeId } }),
    (owed) => owed.length === 0,
  );
  // The bank's answer to the collection comes in its own time.
  await until(
    () => call(mandates.getStoreMandateByIdRoute, one),
    ({ lastPaymentReceiveDate }) => lastPaymentReceiveDate !== null,
  );
  await tell(mandates.deleteStoreMandateRoute, one);
};

export const keepStores = async (story: Story, shop: Shop): Promise<void> => {
  await keepsStores(story, shop);
  await signsMandates(story, shop);
};
