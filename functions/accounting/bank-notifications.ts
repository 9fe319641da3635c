/** What the bank reports as received: why it stays where it is, and what a person decides about it. */
import {
  approveBankNotificationRoute,
  listBankNotificationsRoute,
  rejectBankNotificationRoute,
} from "../../shared/contracts/accounting/bank-notifications.js";
import {
  approveNotification,
  rejectNotification,
} from "../../shared/database/bank/notification-decisions.js";
import { listNotifications } from "../../shared/database/bank/notification-list.js";
import { checkedRange } from "../../shared/domain/date-range.js";
import { endpoint } from "../kit/endpoint.js";

const listBankNotifications = endpoint(
  listBankNotificationsRoute,
  async ({ database }, { query, caller, ok, refuse }) => {
    const range = checkedRange(query);
    if (!range.ok) return refuse(range);
    return ok(await listNotifications(database, caller.partnerKey, range.value, query, query));
  },
);

const approveBankNotification = endpoint(
  approveBankNotificationRoute,
  async ({ database }, { params, body, caller, ok, refuse }) => {
    const approved = await approveNotification(
      database,
      caller,
      params.bankNotificationId,
      body?.walletId ?? null,
    );
    return approved.ok ? ok(approved.value) : refuse(approved);
  },
);

const rejectBankNotification = endpoint(
  rejectBankNotificationRoute,
  async ({ database }, { params, caller, ok, refuse }) => {
    const rejected = await rejectNotification(database, caller, params.bankNotificationId);
    return rejected.ok ? ok(rejected.value) : refuse(rejected);
  },
);

export const bankNotificationEndpoints = [
  listBankNotifications,
  approveBankNotification,
  rejectBankNotification,
] as const;
