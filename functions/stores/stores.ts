/** A dealer's stores: list, add, read, update, delete. */
import {
  createStoreRoute,
  deleteStoreRoute,
  getStoreByCodeRoute,
  getStoreRoute,
  listStoresRoute,
  searchStoresRoute,
  updateStoreRoute,
} from "../../shared/contracts/stores/stores.js";
import { deleteStore } from "../../shared/database/stores/deletion.js";
import {
  createStore,
  findStore,
  findStoreByCode,
  findStores,
  listStores,
  updateStore,
} from "../../shared/database/stores/stores.js";
import { endpoint } from "../kit/endpoint.js";

const listStoresEndpoint = endpoint(
  listStoresRoute,
  async ({ database }, { params, query, caller, ok, refuse }) => {
    const page = await listStores(database, caller, params.dealerKey, query);
    return page.ok ? ok(page.value) : refuse(page);
  },
);

const createStoreEndpoint = endpoint(
  createStoreRoute,
  async ({ database }, { params, body, caller, ok, refuse }) => {
    const created = await createStore(database, caller, params.dealerKey, body);
    return created.ok ? ok(created.value) : refuse(created);
  },
);

const getStoreEndpoint = endpoint(
  getStoreRoute,
  async ({ database }, { params, caller, ok, refuse }) => {
    const found = await findStore(database, caller, params);
    return found.ok ? ok(found.value) : refuse(found);
  },
);

const updateStoreEndpoint = endpoint(
  updateStoreRoute,
  async ({ database }, { params, body, caller, ok, refuse }) => {
    const updated = await updateStore(database, caller, params, body);
    return updated.ok ? ok(updated.value) : refuse(updated);
  },
);

const deleteStoreEndpoint = endpoint(
  deleteStoreRoute,
  async ({ database }, { params, caller, ok, refuse }) => {
    const deleted = await deleteStore(database, caller, params);
    return deleted.ok ? ok(deleted.value) : refuse(deleted);
  },
);

const getStoreByCodeEndpoint = endpoint(
  getStoreByCodeRoute,
  async ({ database }, { params, caller, ok, refuse }) => {
    const found = await findStoreByCode(database, caller, params);
    return found.ok ? ok(found.value) : refuse(found);
  },
);

const searchStoresEndpoint = endpoint(
  searchStoresRoute,
  async ({ database }, { body, caller, ok }) => ok(await findStores(database, caller, body)),
);

export const storeEndpoints = [
  listStoresEndpoint,
  createStoreEndpoint,
  getStoreEndpoint,
  updateStoreEndpoint,
  deleteStoreEndpoint,
  getStoreByCodeEndpoint,
  searchStoresEndpoint,
];
