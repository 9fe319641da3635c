/** On Sundays: removes the 3-D Secure records that are past their affiliate's retention. */
import { app } from "@azure/functions";
import { allPartners } from "../../shared/database/access/partners.js";
import { requestRun } from "../../shared/database/settlement/runs.js";
import { isThreeDsToForget } from "../../shared/database/threeds/cleanup.js";
import type { Services } from "../kit/services.js";

/** A run for each affiliate that has something to remove. */
export const cleanUpThreeDs = async ({ database }: Pick<Services, "database">): Promise<void> => {
  for (const { partnerKey, settings } of await allPartners(database)) {
    const daysAgo = settings.cards.threeDs.retentionDays;
    if (!(await isThreeDsToForget(database, partnerKey, daysAgo))) continue;
    await requestRun(database, {
      ...{ partnerKey, flow: "ThreeDsCleanup", type: null, subjectId: null, actor: "timer" },
      ...{ upTo: { daysAgo }, isScheduled: true, isIgnored: false },
    });
  }
};

export const registerThreeDsCleanup = (services: Services): void => {
  app.timer("threeDsCleanup", {
    schedule: "0 0 3 * * 0",
    handler: () => cleanUpThreeDs(services),
  });
};
