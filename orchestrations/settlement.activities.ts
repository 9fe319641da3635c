/** What the flows of settlement do: advance what they are about, take its members along. */
import type { Database } from "../shared/database/platform/database.js";
import { advanceSettlement, followHarvesting } from "../shared/database/settlement/operations.js";
import { termsOf, type SettlementEnvironment } from "../shared/database/settlement/terms.js";
import { activity, type Activity } from "../shared/durable/register.js";
import { advanceOperation, followMembers } from "./settlement.flow.js";

/** One transaction takes so many members, one activity so many transactions. */
const membersPerPage = 1_000;
const pagesPerStep = 10;

const follow = async (database: Database, operationId: string): Promise<number> => {
  let moved = 0;
  for (let page = 0; page < pagesPerStep; page += 1) {
    const members = await followHarvesting(database, operationId, membersPerPage);
    moved += members;
    if (members < membersPerPage) break;
  }
  return moved;
};

export const settlementActivities = (
  database: Database,
  environment: SettlementEnvironment,
): readonly Activity[] => [
  activity(advanceOperation, async ({ operationId, partnerKey }) =>
    advanceSettlement(database, operationId, await termsOf(database, partnerKey, environment)),
  ),
  activity(followMembers, async ({ operationId }) => ({
    moved: await follow(database, operationId),
  })),
];
