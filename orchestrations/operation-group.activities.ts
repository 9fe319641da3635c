/** What operationGroup does: reads the group's clock, expires it. */
import { expireGroup, readGroupClock } from "../shared/database/operations/expiry.js";
import type { Database } from "../shared/database/platform/database.js";
import { activity, type Activity } from "../shared/durable/register.js";
import { expireOperationGroup, readOperationGroup } from "./operation-group.flow.js";

const unknown = { status: "Unknown", expiresAt: null } as const;

export const operationGroupActivities = (database: Database): readonly Activity[] => [
  activity(
    readOperationGroup,
    async ({ operationGroupId }) => (await readGroupClock(database, operationGroupId)) ?? unknown,
  ),
  activity(expireOperationGroup, async ({ operationGroupId }) => {
    await expireGroup(database, operationGroupId);
    return null;
  }),
];
