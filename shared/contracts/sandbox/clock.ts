/** The sandbox's clock: platform time moved forward, so that time-outs need not be waited for. */
import { z } from "zod";
import { dateTimeCharactersMax } from "../date-range.js";
import { route } from "../route.js";

export const moveClockRoute = route({
  id: "moveClock",
  api: "sandbox",
  method: "PUT",
  path: "clock",
  body: z.strictObject({ now: z.iso.datetime().max(dateTimeCharactersMax) }),
  role: "Sandbox.Use",
  ok: { status: 200, schema: z.object({ now: z.iso.datetime(), flowsRun: z.int32() }) },
  errors: ["OperationNotAllowedInEnvironment", "QueryParameterInvalid"],
  summary: "Move platform time forward and run what became due",
  result: "The time that it is now, and how many flows moved.",
  description:
    "Durable and cron timers and every date that a caller reads follow; tokens, locks and leases " +
    "stay on wall time. `flowsRun` counts the flows that moved. A `now` before platform time, or more " +
    "than ten years after wall time, is 400 QueryParameterInvalid.",
});
