/** Each morning from Monday to Friday: settles what stores owe and are owed; every five minutes: flows that must go on. */
import { app } from "@azure/functions";
import {
  openCompensations,
  partnersToCompensate,
  type OpenCompensation,
} from "../../shared/database/settlement/compensations.js";
import { requestRun } from "../../shared/database/settlement/runs.js";
import { storesCompensationStart } from "../../orchestrations/stores-compensation.flow.js";
import type { Services } from "../kit/services.js";
import { registerSweep, type FlowSweep } from "./sweep.js";

type Means = Pick<Services, "database">;

/** A run for each partner with groups that wait, up to yesterday's. */
export const compensateDaily = async ({ database }: Means): Promise<void> => {
  for (const { partnerKey } of await partnersToCompensate(database))
    await requestRun(database, {
      ...{ partnerKey, flow: "SddStoresCompensation", actor: "timer", type: null },
      ...{ subjectId: null, upTo: "today", isScheduled: true, isIgnored: false },
    });
};

/** Groups that wait for the bank: the flows of those that have lost theirs start anew. */
export const compensationSweep = ({ database }: Means): FlowSweep<OpenCompensation> => ({
  name: "storesCompensationSweep",
  page: (after, limit) => openCompensations(database, after, limit),
  placeOf: ({ reconciliationId }) => reconciliationId,
  startOf: storesCompensationStart,
});

export const registerStoresCompensation = (services: Services): void => {
  app.timer("storesCompensationTimer", {
    schedule: "0 30 5 * * 1-5",
    handler: () => compensateDaily(services),
  });
  registerSweep(services, { schedule: "15 */5 * * * *", sweep: compensationSweep(services) });
};
