/** What the flow of a bank notification does: tries it, or asks the bank again for what it is silent about. */
import { advanceNotification as advance } from "../shared/database/bank/notification-flow.js";
import type { Database } from "../shared/database/platform/database.js";
import { termsOf, type SettlementEnvironment } from "../shared/database/settlement/terms.js";
import { activity, type Activity } from "../shared/durable/register.js";
import type { Logger } from "../shared/platform/logger.js";
import { advanceNotification } from "./bank-notification.flow.js";

export const bankNotificationActivities = (
  { database, logger }: { readonly database: Database; readonly logger: Logger },
  environment: SettlementEnvironment,
): readonly Activity[] => [
  activity(advanceNotification, async (input) => {
    const { status, feedback, dueAt } = await advance(database, input.bankNotificationId, {
      terms: await termsOf(database, input.partnerKey, environment),
      platformAccount: environment.collectionAccount,
      report: (error) => {
        logger.error("A bank notification could not be processed.", { ...input, error });
      },
    });
    return { status, feedback, dueAt };
  }),
];
