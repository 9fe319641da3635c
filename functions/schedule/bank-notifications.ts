/** Every five minutes: runs for notifications that are due, and flows anew for those that have lost theirs. */
import {
  dueNotificationTypes,
  notificationsUnderWay,
  type FlowedNotification,
} from "../../shared/database/bank/notification-flow.js";
import { requestRun } from "../../shared/database/settlement/runs.js";
import { notificationStart } from "../../orchestrations/bank-notification.flow.js";
import type { Services } from "../kit/services.js";
import { registerSweep, type FlowSweep } from "./sweep.js";

type Means = Pick<Services, "database">;

/** A run for each partner and type of which something is due. */
export const runDueNotifications = async ({ database }: Means): Promise<void> => {
  for (const { partnerKey, type } of await dueNotificationTypes(database))
    await requestRun(database, {
      ...{ partnerKey, type, flow: "BankNotifications", actor: "timer", subjectId: null },
      ...{ upTo: "now", isScheduled: true, isIgnored: false },
    });
};

/** What waits for the bank or its next attempt: its message was lost, or it ended while its row went on. */
export const notificationSweep = ({ database }: Means): FlowSweep<FlowedNotification> => ({
  name: "bankNotificationFlows",
  page: (after, limit) => notificationsUnderWay(database, after, limit),
  placeOf: ({ bankNotificationId }) => bankNotificationId,
  startOf: notificationStart,
});

export const registerBankNotificationTimer = (services: Services): void => {
  registerSweep(services, {
    schedule: "0 */5 * * * *",
    before: () => runDueNotifications(services),
    sweep: notificationSweep(services),
  });
};
