/** A store's mandate: make or refresh, read, disable. */
import {
  disableStoreMandateRoute,
  getStoreMandateRoute,
  putStoreMandateRoute,
} from "../../shared/contracts/stores/store-mandate.js";
import {
  disableStoreMandate,
  findStoreMandate,
  putStoreMandate,
} from "../../shared/database/stores/mandates.js";
import { findStore } from "../../shared/database/stores/stores.js";
import { refusal } from "../../shared/domain/outcome.js";
import { endpoint } from "../kit/endpoint.js";

const putEndpoint = endpoint(
  putStoreMandateRoute,
  async ({ database }, { params, caller, ok, refuse }) => {
    const put = await putStoreMandate(database, caller, params);
    return put.ok ? ok(put.value) : refuse(put);
  },
);

const getEndpoint = endpoint(
  getStoreMandateRoute,
  async ({ database }, { params, caller, ok, refuse }) => {
    const store = await findStore(database, caller, params);
    if (!store.ok) return refuse(store);
    const { storeId } = params;
    const found = await findStoreMandate(database, storeId);
    return found === undefined ? refuse(refusal("MandateNotFound", { storeId })) : ok(found);
  },
);

const disableEndpoint = endpoint(
  disableStoreMandateRoute,
  async ({ database }, { params, caller, ok, refuse }) => {
    const disabled = await disableStoreMandate(database, caller, params.storeId);
    return disabled.ok ? ok(disabled.value) : refuse(disabled);
  },
);

export const storeMandateEndpoints = [putEndpoint, getEndpoint, disableEndpoint];
