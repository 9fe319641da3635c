/** The trigger of one mandate's collection (wallet seed, 4.6; contract 3.2). */
import { z } from "zod";
import { Identifier } from "../identifier.js";
import { route } from "../route.js";
import { RequestedRun } from "./flows.js";

/** Euros as an address spells them, at most two decimals. */
const amount = z
  .string()
  .max(12)
  .regex(/^\d{1,9}(\.\d{1,2})?$/, "must be an amount with at most two decimals")
  .transform(Number)
  .refine((euros) => euros > 0, { error: "must be more than 0" })
  .optional()
  .meta({
    ...{ type: "number", minimum: 0.01, maximum: 999_999_999.99 },
    description: "Of a store's mandate only; absent: all that is owed.",
  });

export const triggerMandateDepositRequestRoute = route({
  id: "triggerMandateDepositRequest",
  api: "wallet",
  method: "POST",
  path: "flows/mandatedepositrequest",
  query: {
    mandateId: Identifier,
    amount,
    reconciliationId: Identifier.optional().describe("Of a store's mandate only."),
  },
  role: "Flow.Trigger",
  ok: { status: 202, schema: RequestedRun },
  errors: ["QueryParameterInvalid", "MandateNotFound"],
  summary: "Ask for one mandate's collection now",
  result: "The run is queued, or Ignored where nothing is due today.",
  description:
    "Of a wallet's mandate where its nextDepositRequestDate is today, else the run is Ignored: what was " +
    "missed on its day is asked for by the daily timer. A store's mandate is due whenever it is asked for. " +
    "`amount` or `reconciliationId` with a wallet's mandate is 400 QueryParameterInvalid.",
});
