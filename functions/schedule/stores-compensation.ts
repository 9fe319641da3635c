/** Each morning from Monday to Friday: settles what stores owe and are owed; every five minutes: flows that must go on. */
import { app as host } from "@azure/functions";
import type { Timer } from "@azure/functions";
import { app, type DurableClient } from "durable-functions";
import {
  openCompensations,
  partnersToCompensate,
} from "../../shared/database/settlement/compensations.js";
import { requestRun } from "../../shared/database/settlement/runs.js";
import { startOnce, type FlowClient } from "../../shared/durable/flow-client.js";
import { storesCompensationStart } from "../../orchestrations/stores-compensation.flow.js";
import type { Services } from "../kit/services.js";

type Means = Pick<Services, "database">;

/** A run for each partner with groups that wait, up to yesterday's. */
export const compensateDaily = async ({ database }: Means): Promise<void> => {
  for (const { partnerKey } of await partnersToCompensate(database))
    await requestRun(database, {
      ...{ partnerKey, flow: "SddStoresCompensation", actor: "timer", type: null },
      ...{ subjectId: null, upTo: "today", isScheduled: true, isIgnored: false },
    });
};

const groupsPerSweep = 500;

export interface CompensationSweep {
  readonly started: readonly string[];
  /** Where the next sweep goes on; null: at the beginning. */
  readonly next: string | null;
}

/** Starts the flows anew of groups that wait for the bank and have lost theirs. */
export const sweepCompensations = async (
  { database }: Means,
  client: FlowClient,
  after: string | null,
): Promise<CompensationSweep> => {
  const started: string[] = [];
  const found = await openCompensations(database, after, groupsPerSweep);
  for (const input of found) {
    const start = storesCompensationStart(input);
    if (await startOnce(client, start)) started.push(start.instanceId);
  }
  const isWhole = found.length < groupsPerSweep;
  return { started, next: isWhole ? null : (found.at(-1)?.reconciliationId ?? null) };
};

export const registerStoresCompensation = (services: Services): void => {
  host.timer("storesCompensationTimer", {
    schedule: "0 30 5 * * 1-5",
    handler: () => compensateDaily(services),
  });
  let after: string | null = null;
  app.client.timer("storesCompensationSweep", {
    schedule: "15 */5 * * * *",
    handler: async (_timer: Timer, client: DurableClient) => {
      const { started, next } = await sweepCompensations(services, client, after);
      after = next;
      if (started.length > 0)
        services.logger.warn("Flows of store payments were started anew.", { started });
    },
  });
};
