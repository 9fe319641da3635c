/** Many operations confirmed or cancelled by one call: each for itself, or all or none. */
import { z } from "zod";
import { bulkCancelRoute, bulkConfirmRoute } from "../../shared/contracts/operations/bulk.js";
import type { ErrorCode } from "../../shared/contracts/errors.js";
import {
  runAsOne,
  type CommandOutcome,
  type OperationCommand,
} from "../../shared/database/operations/commands.js";
import {
  operationStatuses,
  type OperationStatus,
} from "../../shared/domain/operations/families.js";
import type { Refusal } from "../../shared/domain/outcome.js";
import { endpoint, type Endpoint } from "../kit/endpoint.js";
import { commandOf } from "./command.js";

const Record = z.object({ operationId: z.string(), status: z.enum(operationStatuses) });

const doneItem = (answer: string) => ({ ...Record.parse(JSON.parse(answer)), errorCode: null });

/** In which status the refusal leaves the operation: what it says of others, as of the wallet, is not meant. */
const statusAfter = ({ code, properties }: Refusal<ErrorCode>): OperationStatus | null => {
  if (code === "OperationNotFound") return null;
  if (code === "OperationStatusInvalid")
    return operationStatuses.find((status) => status === properties["status"]) ?? null;
  return code === "OperationExpired" ? "Expired" : "Initialized";
};

const itemOf = (operationId: string, outcome: CommandOutcome) =>
  outcome.ok
    ? doneItem(outcome.value)
    : { operationId, status: statusAfter(outcome), errorCode: outcome.code };

const bulkEndpoint = (
  route: typeof bulkConfirmRoute | typeof bulkCancelRoute,
  kind: "confirm" | "cancel",
): Endpoint =>
  endpoint(route, async ({ database, operations }, { body, caller, ok, refuse }) => {
    const command = (operationId: string): OperationCommand => ({
      ...commandOf(kind, caller),
      operation_id: operationId,
    });
    if (body.atomic) {
      const done = await runAsOne(database, [...new Set(body.operationIds)].map(command));
      if (!done.ok) return refuse(done);
      const items = new Map(
        done.value.map(doneItem).map((item) => [item.operationId, item] as const),
      );
      return ok(body.operationIds.flatMap((operationId) => items.get(operationId) ?? []));
    }
    const outcomes = await Promise.all(
      body.operationIds.map(async (operationId) =>
        itemOf(operationId, await operations.run(command(operationId))),
      ),
    );
    return ok(outcomes);
  });

export const bulkEndpoints: readonly Endpoint[] = [
  bulkEndpoint(bulkConfirmRoute, "confirm"),
  bulkEndpoint(bulkCancelRoute, "cancel"),
];
