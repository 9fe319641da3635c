/** The sandbox route that says where an affiliate is asked about its cards (contract 0.3). */
import { z } from "zod";
import { O2iEndpoint, O2iResponseCode } from "../platform/o2i-settings.js";
import { route } from "../route.js";

export const O2iTargetBody = z.strictObject({
  endpoint: O2iEndpoint.describe(
    "An https address, or an http one on this machine; `wallet`: the wallet that the card's " +
      "`financialReference` names; null: nobody is asked.",
  ),
  standIn: O2iResponseCode.nullable().describe(
    "The code that is answered where the affiliate is not reached; null: the answer is 503.",
  ),
});

export const setO2iTargetRoute = route({
  id: "setO2iTarget",
  api: "sandbox",
  method: "PUT",
  path: "card/o2i",
  body: O2iTargetBody,
  repeatable: true,
  role: "Sandbox.Use",
  ok: { status: 200, schema: O2iTargetBody.meta({ id: "O2iTarget" }) },
  errors: [],
  summary: "Set where the affiliate is asked about its cards",
  result: "Where the affiliate is asked from now on.",
  description:
    "Holds from the next request on, in place of the partner's settings. The address gets the O2I " +
    "request as a POST, with its kind in the header `X-O2I-Operation`; what is not 200 with the same " +
    "`transactionId` within two seconds, or at the one repeat, counts as not reached. Approvals that come " +
    "later are reversed. From the start it is `wallet`, without a stand-in.",
});
