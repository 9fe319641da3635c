/** Settlement by the clock: nightly harvestings, single operations each minute, flows that must go on. */
import { app } from "@azure/functions";
import type { WorkedFlow } from "../../shared/contracts/settlement/flows.js";
import { allPartners } from "../../shared/database/access/partners.js";
import { staleHarvestings } from "../../shared/database/settlement/harvestings.js";
import {
  unsettledOperations,
  type Unsettled,
} from "../../shared/database/settlement/operations.js";
import {
  requestRun,
  singleTypes,
  staleRuns,
  type StaleRun,
  typesToSettle,
} from "../../shared/database/settlement/runs.js";
import type { OperationType } from "../../shared/domain/operations/families.js";
import { flowRun, flowRunId } from "../../orchestrations/flow-run.flow.js";
import { settlementStart } from "../../orchestrations/settlement.flow.js";
import type { Services } from "../kit/services.js";
import { registerSweep, type FlowSweep } from "./sweep.js";

type Means = Pick<Services, "database">;

const scheduled = async (
  { database }: Means,
  flow: WorkedFlow,
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

/** Runs that began minutes ago and are not over. */
export const runSweep = ({ database }: Means): FlowSweep<StaleRun> => ({
  name: "flowRunSweep",
  page: (after, limit) => staleRuns(database, after, limit),
  placeOf: ({ place }) => place,
  startOf: ({ runId, partnerKey }) => ({
    flow: flowRun,
    instanceId: flowRunId(runId),
    input: { runId, partnerKey },
    restartAfter: ["completed", "failed"],
  }),
});

/** Operations and harvestings on their way: a message was lost, or a flow ended while its row went on. */
export const settlementSweep = ({ database }: Means): FlowSweep<Unsettled> => ({
  name: "settlementSweep",
  page: (after, limit) => unsettledOperations(database, after, limit),
  placeOf: ({ operationId }) => operationId,
  startOf: ({ flow, ...input }) => settlementStart(flow, input),
});

/** Harvestings whose run ended before it closed them. */
const closeForgotten = async (means: Means): Promise<void> => {
  for (const { partnerKey, type } of await staleHarvestings(means.database))
    await scheduled(means, "Harvestings", partnerKey, type);
};

export const registerSettlement = (services: Services): void => {
  app.timer("harvestings", {
    schedule: "0 0 2 * * *",
    handler: () => harvestNightly(services),
  });
  app.timer("accountingOperations", {
    schedule: "0 * * * * *",
    handler: () => accountEachMinute(services),
  });
  registerSweep(services, { schedule: "45 */5 * * * *", sweep: runSweep(services) });
  registerSweep(services, {
    schedule: "45 */5 * * * *",
    before: () => closeForgotten(services),
    sweep: settlementSweep(services),
  });
};
