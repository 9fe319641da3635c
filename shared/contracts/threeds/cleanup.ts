/** The removal of 3-D Secure records that are past their retention (card seed, 4.2; contract 3.3). */
import { z } from "zod";
import { route } from "../route.js";
import { RequestedRun } from "../settlement/flows.js";

export const triggerThreeDsCleanupRoute = route({
  id: "triggerThreeDsCleanup",
  api: "card",
  method: "POST",
  path: "flows/threedscleanup",
  body: z
    .strictObject({
      retentionDays: z
        .int32()
        .positive()
        .nullish()
        .describe("Older records are removed; where absent the affiliate's own setting, 400 days."),
    })
    .optional(),
  role: "Clearing.Write",
  ok: { status: 202, schema: RequestedRun },
  errors: [],
  summary: "Clean up 3-D Secure records now",
  result: "The run is queued.",
  description:
    "Removes the affiliate's records that were begun more than so many days ago, those of open challenges " +
    "aside. The timer does it on Sundays at 03:00 UTC.",
});
