/** Collections by the clock: asked for on weekday mornings; flows of those that the bank has not decided must go on. */
import { app } from "@azure/functions";
import { allPartners } from "../../shared/database/access/partners.js";
import { hasDueCollections } from "../../shared/database/mandates/collections.js";
import {
  openCollections,
  type OpenCollection,
} from "../../shared/database/mandates/open-collections.js";
import { requestRun } from "../../shared/database/settlement/runs.js";
import { mandateDeposit, mandateDepositId } from "../../orchestrations/mandate-deposit.flow.js";
import type { Services } from "../kit/services.js";
import { registerSweep, type FlowSweep } from "./sweep.js";

type Means = Pick<Services, "database">;

/** A run for each partner that has collections to ask for. */
export const requestDailyDeposits = async ({ database }: Means): Promise<void> => {
  for (const { partnerKey } of await allPartners(database))
    if (await hasDueCollections(database, partnerKey))
      await requestRun(database, {
        ...{ partnerKey, flow: "MandateDepositRequest", actor: "timer", type: null, upTo: "now" },
        ...{ subjectId: null, isScheduled: true, isIgnored: false },
      });
};

/** Collections that the bank has not decided: their message was lost, or their flow ended too early. */
export const collectionSweep = ({ database }: Means): FlowSweep<OpenCollection> => ({
  name: "collectionSweep",
  page: (after, limit) => openCollections(database, after, limit),
  placeOf: ({ requestId }) => requestId,
  startOf: (input) => ({
    flow: mandateDeposit,
    instanceId: mandateDepositId(input.requestId),
    input,
    restartAfter: ["completed", "failed"],
  }),
});

export const registerMandateDeposits = (services: Services): void => {
  app.timer("mandateDepositRequest", {
    schedule: "0 0 5 * * 1-5",
    handler: () => requestDailyDeposits(services),
  });
  registerSweep(services, { schedule: "15 */5 * * * *", sweep: collectionSweep(services) });
};
