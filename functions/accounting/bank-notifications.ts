/** What the bank reports as received, and why it stays where it is. */
import { listBankNotificationsRoute } from "../../shared/contracts/accounting/bank-notifications.js";
import { listNotifications } from "../../shared/database/bank/notification-list.js";
import { checkedRange } from "../../shared/domain/date-range.js";
import { endpoint } from "../kit/endpoint.js";

export const listBankNotifications = endpoint(
  listBankNotificationsRoute,
  async ({ database }, { query, caller, ok, refuse }) => {
    const range = checkedRange(query);
    if (!range.ok) return refuse(range);
    return ok(await listNotifications(database, caller.partnerKey, range.value, query, query));
  },
);
