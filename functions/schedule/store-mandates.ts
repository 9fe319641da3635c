/** Every quarter of an hour: a run for each partner whose store mandates wait for the bank to be asked. */
import { app } from "@azure/functions";
import { requestRun } from "../../shared/database/settlement/runs.js";
import { partnersWithDueStoreMandates } from "../../shared/database/settlement/store-mandates.js";
import type { Services } from "../kit/services.js";

export const askForStoreMandates = async ({
  database,
}: Pick<Services, "database">): Promise<void> => {
  for (const partnerKey of await partnersWithDueStoreMandates(database)) {
    const all = { type: null, subjectId: null, upTo: "now", isIgnored: false } as const;
    const run = { partnerKey, flow: "StoreMandates", actor: "timer", isScheduled: true } as const;
    await requestRun(database, { ...run, ...all });
  }
};

export const registerStoreMandates = (services: Services): void => {
  app.timer("storeMandates", {
    schedule: "0 */15 * * * *",
    handler: () => askForStoreMandates(services),
  });
};
