/** Runs of the flow BankNotifications: what is due is handed to the flows of its notifications. */
import { takeDueNotifications, takeNotification } from "../bank/notification-flow.js";
import type { Queryable } from "../platform/database.js";
import type { BegunRun, RunPage } from "./run-work.js";

const notificationsPerPage = 500;

/** Matched anew, or asked for at the bank, whatever it waits for. */
export const takeBankNotification = async (
  tx: Queryable,
  _run: BegunRun,
  bankNotificationId: string,
): Promise<RunPage> => ({ items: await takeNotification(tx, bankNotificationId), isLast: true });

export const takeDueBankNotifications = async (tx: Queryable, run: BegunRun): Promise<RunPage> => {
  const items = await takeDueNotifications(tx, run, notificationsPerPage);
  return { items, isLast: items < notificationsPerPage };
};
