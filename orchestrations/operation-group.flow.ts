/** Follows a pending operation group to its end: confirmed, cancelled, terminated, or out of time. */
import { z } from "zod";
import { operationGroupStatuses } from "../shared/contracts/operations/groups.js";
import { flow, flowEvent, step } from "../shared/durable/flow.js";

const Group = z.object({ operationGroupId: z.uuid() });

/** Somebody confirmed, cancelled or terminated the group. */
export const groupEnded = flowEvent("groupEnded", z.unknown());

export const readOperationGroup = step("readOperationGroup", {
  input: Group,
  output: z.object({
    status: z.enum([...operationGroupStatuses, "Unknown"]),
    expiresAt: z.iso.datetime().nullable(),
  }),
});
export const expireOperationGroup = step("expireOperationGroup", {
  input: Group,
  output: z.null(),
});

export const operationGroupInstance = (operationGroupId: string): string =>
  `group-${operationGroupId}`;

export const operationGroup = flow({
  name: "operationGroup",
  input: Group,
  steps: [readOperationGroup, expireOperationGroup],
  *body(context, input) {
    const { status, expiresAt } = yield* context.run(readOperationGroup, input);
    if (status !== "Initialized" || expiresAt === null) {
      context.setStatus(`The group is over: ${status}`);
      return { status };
    }
    context.setStatus(`Pending until ${expiresAt}`);
    if (context.now() < new Date(expiresAt))
      yield* context.waitFor([groupEnded], new Date(expiresAt));
    else yield* context.run(expireOperationGroup, input);
    return context.again(input);
  },
});
