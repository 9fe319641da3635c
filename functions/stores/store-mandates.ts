/** The partner's store mandates: list, create, read, fill, delete. */
import {
  createStoreMandateRoute,
  deleteStoreMandateRoute,
  fillStoreMandateRoute,
  getStoreMandateByIdRoute,
  listStoreMandatesRoute,
} from "../../shared/contracts/stores/store-mandates.js";
import {
  createStoreMandate,
  deleteStoreMandate,
  fillStoreMandate,
  findStoreMandateById,
  listStoreMandates,
} from "../../shared/database/stores/store-mandates.js";
import { endpoint } from "../kit/endpoint.js";
import { creditorTerms } from "../kit/partner-settings.js";

const listEndpoint = endpoint(
  listStoreMandatesRoute,
  async ({ database }, { query, caller: { partnerKey }, ok }) =>
    ok(await listStoreMandates(database, partnerKey, query.storeId ?? null, query)),
);

const createEndpoint = endpoint(
  createStoreMandateRoute,
  async ({ database }, { body, caller, ok, refuse }) => {
    const made = await createStoreMandate(database, caller, body);
    return made.ok ? ok(made.value) : refuse(made);
  },
);

const getEndpoint = endpoint(
  getStoreMandateByIdRoute,
  async ({ database }, { params, caller, ok, refuse }) => {
    const found = await findStoreMandateById(database, caller, params.storeMandateId);
    return found.ok ? ok(found.value) : refuse(found);
  },
);

const fillEndpoint = endpoint(
  fillStoreMandateRoute,
  async ({ database }, { params, caller, ok, refuse }) => {
    const terms = creditorTerms(caller.settings);
    const filled = await fillStoreMandate(database, caller, params.storeMandateId, terms);
    return filled.ok ? ok(filled.value) : refuse(filled);
  },
);

const deleteEndpoint = endpoint(
  deleteStoreMandateRoute,
  async ({ database }, { params, caller, ok, refuse }) => {
    const deleted = await deleteStoreMandate(database, caller, params.storeMandateId);
    return deleted.ok ? ok(deleted.value) : refuse(deleted);
  },
);

export const storeMandatesEndpoints = [
  listEndpoint,
  createEndpoint,
  getEndpoint,
  fillEndpoint,
  deleteEndpoint,
];
