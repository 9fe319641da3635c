/** The removal of 3-D Secure records, asked for at once. */
import { triggerThreeDsCleanupRoute } from "../../shared/contracts/threeds/cleanup.js";
import { requestRun } from "../../shared/database/settlement/runs.js";
import { endpoint } from "../kit/endpoint.js";

export const triggerThreeDsCleanup = endpoint(
  triggerThreeDsCleanupRoute,
  async ({ database }, { body, caller, ok }) => {
    const { partnerKey, clientId, settings } = caller;
    const daysAgo = body?.retentionDays ?? settings.cards.threeDs.retentionDays;
    const run = await requestRun(database, {
      ...{ partnerKey, flow: "ThreeDsCleanup", type: null, subjectId: null, actor: clientId },
      ...{ upTo: { daysAgo }, isScheduled: false, isIgnored: false },
    });
    if (run === undefined) throw new Error("A run that was asked for was not written.");
    return ok(run);
  },
);
