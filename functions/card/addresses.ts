/** An account's address: read, update. */
import { getAddressRoute, updateAddressRoute } from "../../shared/contracts/card/addresses.js";
import { findAddress, updateAddress } from "../../shared/database/card/addresses.js";
import { endpoint } from "../kit/endpoint.js";

const getAddressEndpoint = endpoint(
  getAddressRoute,
  async ({ database }, { params, caller, ok, refuse }) => {
    const found = await findAddress(database, caller, params.id);
    return found.ok ? ok(found.value) : refuse(found);
  },
);

const updateAddressEndpoint = endpoint(
  updateAddressRoute,
  async ({ database }, { params, body, caller, ok, refuse }) => {
    const updated = await updateAddress(database, caller, params.id, body);
    return updated.ok ? ok(updated.value) : refuse(updated);
  },
);

export const addressEndpoints = [getAddressEndpoint, updateAddressEndpoint];
