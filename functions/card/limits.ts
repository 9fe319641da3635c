/** PUT /card/cards/{cardId}/limits. */
import { setCardLimitsRoute } from "../../shared/contracts/card/limits.js";
import { setCardLimits } from "../../shared/database/card/limits.js";
import { endpoint } from "../kit/endpoint.js";

export const setCardLimitsEndpoint = endpoint(
  setCardLimitsRoute,
  async ({ database }, { params, body, caller, ok, refuse }) => {
    const set = await setCardLimits(database, caller, params.cardId, body.limits);
    return set.ok ? ok([...set.value]) : refuse(set);
  },
);
