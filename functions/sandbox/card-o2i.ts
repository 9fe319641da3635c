/** Where the caller's cards are asked about, outside production. */
import { setO2iTargetRoute } from "../../shared/contracts/sandbox/card-o2i.js";
import { setSandboxTarget } from "../../shared/database/authorisations/o2i-targets.js";
import { endpoint } from "../kit/endpoint.js";

export const setO2iTarget = endpoint(
  setO2iTargetRoute,
  async ({ database }, { body, caller, ok }) => {
    await setSandboxTarget(database, caller.partnerKey, body);
    return ok(body);
  },
);
