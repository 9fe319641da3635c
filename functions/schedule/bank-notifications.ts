/** Every five minutes: runs for notifications that are due, and flows anew for those that have lost theirs. */
import type { Timer } from "@azure/functions";
import { app, type DurableClient } from "durable-functions";
import {
  dueNotificationTypes,
  notificationsUnderWay,
} from "../../shared/database/bank/notification-flow.js";
import { requestRun } from "../../shared/database/settlement/runs.js";
import { startOnce, type FlowClient } from "../../shared/durable/flow-client.js";
import { notificationStart } from "../../orchestrations/bank-notification.flow.js";
import type { Services } from "../kit/services.js";

type Means = Pick<Services, "database">;

/** A run for each partner and type of which something is due. */
export const runDueNotifications = async ({ database }: Means): Promise<void> => {
  for (const { partnerKey, type } of await dueNotificationTypes(database))
    await requestRun(database, {
      ...{ partnerKey, type, flow: "BankNotifications", actor: "timer", subjectId: null },
      ...{ upTo: "now", isScheduled: true, isIgnored: false },
    });
};

const perSweep = 500;

export interface NotificationSweep {
  readonly started: readonly string[];
  /** Where the next sweep goes on; null: at the beginning. */
  readonly next: string | null;
}

/** Starts what should be at work and is not: its message was lost, or it ended while its row went on. */
export const sweepNotifications = async (
  { database }: Means,
  client: FlowClient,
  after: string | null,
): Promise<NotificationSweep> => {
  const started: string[] = [];
  const found = await notificationsUnderWay(database, after, perSweep);
  for (const notification of found) {
    const start = notificationStart(notification);
    if (await startOnce(client, start)) started.push(start.instanceId);
  }
  return {
    started,
    next: found.length < perSweep ? null : (found.at(-1)?.bankNotificationId ?? null),
  };
};

export const registerBankNotificationTimer = (services: Services): void => {
  let after: string | null = null;
  app.client.timer("bankNotificationFlows", {
    schedule: "0 */5 * * * *",
    handler: async (_timer: Timer, client: DurableClient) => {
      await runDueNotifications(services);
      const { started, next } = await sweepNotifications(services, client, after);
      after = next;
      if (started.length > 0)
        services.logger.warn("Flows of bank notifications were started anew.", { started });
    },
  });
};
