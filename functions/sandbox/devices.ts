/** The devices of card holders, as somebody wants to try them. */
import { setDevicesRoute } from "../../shared/contracts/sandbox/devices.js";
import { whyNoCard } from "../../shared/database/access/card-access.js";
import { setDevices as set } from "../../shared/database/threeds/devices.js";
import { endpoint } from "../kit/endpoint.js";

export const setDevices = endpoint(
  setDevicesRoute,
  async ({ database }, { body, caller, ok, refuse }) => {
    const { partnerKey } = caller;
    const own = { partnerKey, isOperator: false };
    const refused = await whyNoCard(database, own, body.cardId);
    if (refused !== undefined) return refuse(refused);
    await set(database, body.cardId, body.devices);
    return ok(body);
  },
);
