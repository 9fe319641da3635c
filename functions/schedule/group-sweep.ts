/** Every five minutes: starts the flows anew of pending operation groups that have lost theirs. */
import type { Timer } from "@azure/functions";
import { app, type DurableClient } from "durable-functions";
import { pendingGroups } from "../../shared/database/operations/expiry.js";
import { startOnce, type FlowClient } from "../../shared/durable/flow-client.js";
import {
  operationGroup,
  operationGroupInstance,
} from "../../orchestrations/operation-group.flow.js";
import type { Services } from "../kit/services.js";

const groupsPerSweep = 500;

/** Resolves to the instances that were started. */
export const sweepGroups = async (
  { database }: Pick<Services, "database">,
  client: FlowClient,
): Promise<readonly string[]> => {
  const started: string[] = [];
  for (const operationGroupId of await pendingGroups(database, groupsPerSweep)) {
    const instanceId = operationGroupInstance(operationGroupId);
    const restartAfter = ["completed", "failed"] as const;
    const start = { flow: operationGroup, instanceId, input: { operationGroupId }, restartAfter };
    if (await startOnce(client, start)) started.push(instanceId);
  }
  return started;
};

export const registerGroupSweep = (services: Services): void => {
  app.client.timer("groupSweep", {
    schedule: "45 */5 * * * *",
    handler: async (_timer: Timer, client: DurableClient) => {
      const started = await sweepGroups(services, client);
      if (started.length > 0)
        services.logger.warn("Flows of operation groups were started anew.", { started });
    },
  });
};
