/** The node `$cbs`: takes tokens and says whether they hold. */
import { asBrokerError } from "../errors.js";
import { types } from "../wire/rhea.js";
import type { Reply } from "./replies.js";
import type { Request } from "./request-link.js";

/** `take` throws where the token is not valid. */
export const putToken = ({ body }: Request, take: (token: string) => void): Reply => {
  try {
    take(typeof body === "string" ? body : "");
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
