/** Collections by the clock: asked for on weekday mornings; flows of those that the bank has not decided must go on. */
import { app as host } from "@azure/functions";
import type { Timer } from "@azure/functions";
import { app, type DurableClient } from "durable-functions";
import { allPartners } from "../../shared/database/access/partners.js";
import { hasDueCollections } from "../../shared/database/mandates/collections.js";
import { openCollections } from "../../shared/database/mandates/open-collections.js";
import { requestRun } from "../../shared/database/settlement/runs.js";
import { startOnce, type FlowClient } from "../../shared/durable/flow-client.js";
import { mandateDeposit, mandateDepositId } from "../../orchestrations/mandate-deposit.flow.js";
import type { Services } from "../kit/services.js";

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

const perSweep = 500;

/** Starts what should wait for the bank and does not: its message was lost, or it ended too early. */
export const sweepCollections = async (
  { database }: Means,
  client: FlowClient,
  after: string | null,
): Promise<{ readonly started: readonly string[]; readonly next: string | null }> => {
  const started: string[] = [];
  const restartAfter = ["completed", "failed"] as const;
  const open = await openCollections(database, after, perSweep);
  for (const input of open) {
    const instanceId = mandateDepositId(input.requestId);
    if (await startOnce(client, { flow: mandateDeposit, instanceId, input, restartAfter }))
      started.push(instanceId);
  }
  return { started, next: open.length < perSweep ? null : (open.at(-1)?.requestId ?? null) };
};

export const registerMandateDeposits = (services: Services): void => {
  host.timer("mandateDepositRequest", {
    schedule: "0 0 5 * * 1-5",
    handler: () => requestDailyDeposits(services),
  });
  let after: string | null = null;
  app.client.timer("collectionSweep", {
    schedule: "15 */5 * * * *",
    handler: async (_timer: Timer, client: DurableClient) => {
      const { started, next } = await sweepCollections(services, client, after);
      after = next;
      if (started.length > 0)
        services.logger.warn("Flows of collections were started anew.", { started });
    },
  });
};
