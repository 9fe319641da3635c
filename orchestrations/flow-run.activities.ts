/** What a run does: a few pages at a time, so that none of its activities is long. */
import type { Database } from "../shared/database/platform/database.js";
import { workRun } from "../shared/database/settlement/runs.js";
import { termsOf, type SettlementEnvironment } from "../shared/database/settlement/terms.js";
import { activity, type Activity } from "../shared/durable/register.js";
import { workFlowRun } from "./flow-run.flow.js";

const pagesPerStep = 10;

export const flowRunActivities = (
  database: Database,
  environment: SettlementEnvironment,
): readonly Activity[] => [
  activity(workFlowRun, async ({ runId, partnerKey }) => {
    const terms = await termsOf(database, partnerKey, environment);
    for (let page = 0; page < pagesPerStep; page += 1) {
      const { isLast, pauseMs = 0 } = await workRun(database, runId, terms);
      if (isLast) return { isOver: true };
      if (pauseMs > 0) return { isOver: false, pauseMs };
    }
    return { isOver: false };
  }),
];
