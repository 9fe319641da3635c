/** What storesCompensation does: looks at its group, asks the bank again. */
import type { Database } from "../shared/database/platform/database.js";
import {
  compensationState,
  inquireCompensations,
} from "../shared/database/settlement/compensations.js";
import type { SettlementEnvironment } from "../shared/database/settlement/terms.js";
import { activity, type Activity } from "../shared/durable/register.js";
import { inquireCompensation, readCompensation } from "./stores-compensation.flow.js";

export const storesCompensationActivities = (
  database: Database,
  { silenceSeconds }: Pick<SettlementEnvironment, "silenceSeconds">,
): readonly Activity[] => [
  activity(readCompensation, ({ reconciliationId }) =>
    compensationState(database, reconciliationId, silenceSeconds),
  ),
  activity(inquireCompensation, async ({ reconciliationId }) => {
    await inquireCompensations(database, reconciliationId);
    return null;
  }),
];
