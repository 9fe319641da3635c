/** The routes of harvestings (wallet seed, 4.3): a day's operations of one party and type as one. */
import { z } from "zod";
import { operationStatuses, operationTypes } from "../../domain/operations/families.js";
import { dateRangeQuery } from "../date-range.js";
import { Operation } from "../operations/operations.js";
import { pageErrors, pageQuery, paginated } from "../pages.js";
import { route } from "../route.js";

export const harvestingQuery = {
  ...dateRangeQuery,
  type: z.enum(operationTypes).optional(),
  status: z.enum(operationStatuses).optional(),
} as const;

export interface HarvestingFilter {
  readonly type?: (typeof operationTypes)[number] | undefined;
  readonly status?: (typeof operationStatuses)[number] | undefined;
}

const description =
  "A harvesting adds up a day's confirmed operations of one type at one store (or of one dealer, or " +
  "of cards). It is an operation record itself: walletId and bucketId are null, operationId is its " +
  "harvestingId, which its members carry; they follow its states. The dates are those of its creation.";

export const listHarvestingsRoute = route({
  id: "listHarvestings",
  api: "wallet",
  method: "GET",
  path: "harvestings",
  query: { ...harvestingQuery, ...pageQuery },
  role: "Operation.Read",
  ok: { status: 200, schema: paginated(Operation) },
  errors: [...pageErrors, "DateRangeInvalid"],
  summary: "List the partner's harvestings",
  result: "A page of the harvestings, and how many there are in all.",
  description: `The oldest first. ${description}`,
});

export const Count = z.object({ value: z.int() }).meta({ id: "Count" });

export const countHarvestingsRoute = route({
  id: "countHarvestings",
  api: "wallet",
  method: "GET",
  path: "harvestings/count",
  query: harvestingQuery,
  role: "Operation.Read",
  ok: { status: 200, schema: Count },
  errors: ["DateRangeInvalid"],
  summary: "Count the partner's harvestings",
  result: "How many harvestings match.",
});
