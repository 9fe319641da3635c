/** Settlement by the clock: nightly harvestings, single operations each minute, flows that must go on. */
import { app as host } from "@azure/functions";
import type { Timer } from "@azure/functions";
import { app, type DurableClient } from "durable-functions";
import type { FlowName } from "../../shared/contracts/settlement/flows.js";
import { allPartners } from "../../shared/database/access/partners.js";
import { staleHarvestings } from "../../shared/database/settlement/harvestings.js";
import { unsettledOperations } from "../../shared/database/settlement/operations.js";
import {
  forgetRuns,
  requestRun,
  singleTypes,
  staleRuns,
  typesToSettle,
} from "../../shared/database/settlement/runs.js";
import type { OperationType } from "../../shared/domain/operations/families.js";
import { startOnce, type FlowClient } from "../../shared/durable/flow-client.js";
import { flowRun, flowRunId } from "../../orchestrations/flow-run.flow.js";
import { settlementStart } from "../../orchestrations/settlement.flow.js";
import type { Services } from "../kit/services.js";

type Means = Pick<Services, "database">;

const scheduled = async (
  { database }: Means,
  flow: FlowName,
  partnerKey: string,
  type: OperationType | null,
): Promise<void> => {
  const upTo = flow === "Harvestings" ? "today" : "now";
  const run = { partnerKey, flow, type, upTo, actor: "timer", subjectId: null } as const;
  await requestRun(database, { ...run, isScheduled: true, isIgnored: false });
};

/** A run for each partner and type that has something to harvest. */
export const harvestNightly = async (means: Means): Promise<void> => {
  for (const { partnerKey, settings } of await allPartners(means.database)) {
    const { harvestedTypes } = settings.settlement;
    for (const type of await typesToSettle(means.database, partnerKey, harvestedTypes))
      await scheduled(means, "Harvestings", partnerKey, type);
  }
};

/** A run for each partner with single operations that wait. */
export const accountEachMinute = async (means: Means): Promise<void> => {
  for (const { partnerKey, settings } of await allPartners(means.database)) {
    const types = singleTypes(settings.settlement);
    const due = await typesToSettle(means.database, partnerKey, types);
    if (due.length > 0) await scheduled(means, "AccountingOperations", partnerKey, null);
  }
};

const perSweep = 500;

export interface SettlementSweep {
  readonly started: readonly string[];
  /** Where the next sweep goes on; null: at the beginning. */
  readonly next: string | null;
}

/** Starts what should be at work and is not: its message was lost, or it ended while its row went on. */
export const sweepSettlement = async (
  { database }: Means,
  client: FlowClient,
  after: string | null,
): Promise<SettlementSweep> => {
  const started: string[] = [];
  const restartAfter = ["completed", "failed"] as const;
  for (const input of await staleRuns(database, perSweep)) {
    const instanceId = flowRunId(input.runId);
    if (await startOnce(client, { flow: flowRun, instanceId, input, restartAfter }))
      started.push(instanceId);
  }
  await forgetRuns(database);
  const found = await unsettledOperations(database, after, perSweep);
  for (const { flow, ...input } of found) {
    const start = settlementStart(flow, input);
    if (await startOnce(client, start)) started.push(start.instanceId);
  }
  return { started, next: found.length < perSweep ? null : (found.at(-1)?.operationId ?? null) };
};

/** Harvestings whose run ended before it closed them. */
const closeForgotten = async (means: Means): Promise<void> => {
  for (const { partnerKey, type } of await staleHarvestings(means.database))
    await scheduled(means, "Harvestings", partnerKey, type);
};

export const registerSettlement = (services: Services): void => {
  host.timer("harvestings", {
    schedule: "0 0 2 * * *",
    handler: () => harvestNightly(services),
  });
  host.timer("accountingOperations", {
    schedule: "0 * * * * *",
    handler: () => accountEachMinute(services),
  });
  let after: string | null = null;
  app.client.timer("settlementSweep", {
    schedule: "45 */5 * * * *",
    handler: async (_timer: Timer, client: DurableClient) => {
      await closeForgotten(services);
      const { started, next } = await sweepSettlement(services, client, after);
      after = next;
      if (started.length > 0)
        services.logger.warn("Flows of settlement were started anew.", { started });
    },
  });
};
