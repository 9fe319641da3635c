/** Many operations confirmed or cancelled by one call (contract 3.1) [+]. */
import { z } from "zod";
import { operationStatuses } from "../../domain/operations/families.js";
import type { ErrorCode } from "../errors.js";
import { Identifier } from "../identifier.js";
import { route } from "../route.js";

const operationsMax = 100;

const BulkBody = z.strictObject({
  operationIds: z.array(Identifier).min(1).max(operationsMax),
  atomic: z.boolean().default(false).describe("True: all or none."),
});

const BulkResult = z.array(
  z.object({
    operationId: z.uuid(),
    status: z.enum(operationStatuses).nullable().describe("Null: the operation was not found."),
    errorCode: z.string().nullable().describe("Null: done."),
  }),
);

const refusals: readonly ErrorCode[] = ["OperationNotFound", "OperationStatusInvalid"];

export const bulkConfirmRoute = route({
  id: "confirmOperations",
  api: "wallet",
  method: "PUT",
  path: "operations/bulk/confirm",
  body: BulkBody,
  repeatable: true,
  role: "Operation.Write",
  ok: { status: 200, schema: BulkResult },
  errors: [
    ...refusals,
    "OperationExpired",
    "OperationInGroup",
    "WalletNotActive",
    "InsufficientBalance",
    "LimitExceeded",
  ],
  summary: "Confirm up to 100 operations",
  result: "What became of each operation, in the order in which they were named.",
  description:
    "Each has an outcome of its own. With `atomic`, the first refusal undoes all and is the answer.",
});

export const bulkCancelRoute = route({
  id: "cancelOperations",
  api: "wallet",
  method: "PUT",
  path: "operations/bulk/cancel",
  body: BulkBody,
  repeatable: true,
  role: "Operation.Write",
  ok: { status: 200, schema: BulkResult },
  errors: refusals,
  summary: "Cancel up to 100 operations",
  result: "What became of each operation, in the order in which they were named.",
});
