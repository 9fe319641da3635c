/** The node `$cbs`: takes tokens and says whether they hold. */
import { asBrokerError } from "../errors.js";
import { types, type DecodedMessage } from "../wire/rhea.js";
import type { Reply } from "./replies.js";
import { verifyToken, type Claims, type SharedKey } from "./sas.js";

export const putToken = (request: DecodedMessage, key: SharedKey, claims: Claims): Reply => {
  try {
    claims.add(verifyToken(String(request.body), key, Date.now()));
    return {
      properties: { "status-code": types.wrap_int(202), "status-description": "Accepted" },
      body: null,
    };
  } catch (error) {
    const { condition, message } = asBrokerError(error);
    return {
      properties: {
        "status-code": types.wrap_int(401),
        "status-description": message,
        "error-condition": types.wrap_symbol(condition),
      },
      body: null,
    };
  }
};
