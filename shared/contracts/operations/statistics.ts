/** Figures of operations: the partner's overview, and those of one store (wallet seed, 4.3; contract 3.1). */
import { z } from "zod";
import { operationStatuses, operationTypes } from "../../domain/operations/families.js";
import { Identifier } from "../identifier.js";
import { route } from "../route.js";
import { NullableDate, NullableDateTime } from "../wallet/fields.js";

type StateField = z.ZodInt | typeof NullableDateTime;

const stateFields: Readonly<Record<string, StateField>> = Object.fromEntries(
  operationStatuses.flatMap((status): [string, StateField][] => [
    [`total${status}`, z.int()],
    [`min${status}Date`, NullableDateTime],
    [`max${status}Date`, NullableDateTime],
  ]),
);

export const OperationsOverview = z
  .object({
    type: z.enum(operationTypes),
    ...stateFields,
    minCreationDate: NullableDateTime,
    maxCreationDate: NullableDateTime,
  })
  .meta({ id: "OperationsOverview" });
export type OperationsOverview = z.infer<typeof OperationsOverview>;

export const getOperationsOverviewRoute = route({
  id: "getOperationsOverview",
  api: "wallet",
  method: "GET",
  path: "statistics/operations",
  role: "Operation.Read",
  ok: { status: 200, schema: z.array(OperationsOverview) },
  errors: [],
  summary: "How many operations of each type are in which state",
  result: "One item for each type of operation.",
  description:
    "One item for each type. The dates of a state are the earliest and the latest change of the " +
    "operations that are in it now; null where there is none. Harvestings do not count.",
});

const Day = z.iso.date().max(10);
const rangeQuery = {
  fromDate: Day.optional().describe("The first day, in Europe/Rome."),
  toDate: Day.optional().describe("The last day, in Europe/Rome."),
} as const;
const storeParams = { storeId: Identifier } as const;
const refusals = ["DateRangeInvalid", "DealerOfAnotherPartner", "StoreNotFound"] as const;
const dayOf =
  "An operation belongs to the day on which it was confirmed, before that to the day of its creation.";

export const countStoreOperationsRoute = route({
  id: "countStoreOperations",
  api: "wallet",
  method: "GET",
  path: "statistics/stores/{storeId}/operations/count",
  params: storeParams,
  query: {
    ...rangeQuery,
    operationType: z.enum(operationTypes).optional(),
    operationStatus: z.enum(operationStatuses).optional(),
  },
  role: "Operation.Read",
  ok: { status: 200, schema: z.object({ value: z.int() }) },
  errors: refusals,
  summary: "Count the operations of a store",
  result: "How many operations match.",
  description: dayOf,
});

export const StoreTotal = z
  .object({
    reconciliationCode: z.string().nullable(),
    amount: z.number(),
    status: z.enum(["Pending", "Collecting", "Reconciled"]).nullable(),
    count: z.int(),
    date: NullableDate,
  })
  .meta({ id: "StoreOperationsTotal" });
export type StoreTotal = z.infer<typeof StoreTotal>;

export const totalStoreOperationsRoute = route({
  id: "totalStoreOperations",
  api: "wallet",
  method: "GET",
  path: "statistics/stores/{storeId}/operations/total",
  params: storeParams,
  query: { ...rangeQuery, operationType: z.enum(operationTypes) },
  role: "Operation.Read",
  ok: { status: 200, schema: StoreTotal },
  errors: refusals,
  summary: "Add up the confirmed and completed operations of a store and type",
  result: "The sum, and the latest reconciliation group that is part of it.",
  description:
    `${dayOf} Code, status and date are those of the range's latest reconciliation group that ` +
    "holds operations of the type; null where there is none.",
});
