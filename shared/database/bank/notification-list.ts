/** A partner's bank notifications as a list, by date of creation. */
import {
  BankNotification,
  type BankNotificationFilter,
} from "../../contracts/accounting/bank-notifications.js";
import type { Page, Paginated } from "../../contracts/pages.js";
import type { DateRange } from "../../domain/date-range.js";
import type { Queryable } from "../platform/database.js";
import { readPage } from "../platform/pages.js";

export const listNotifications = (
  database: Queryable,
  partnerKey: string,
  { fromDate, toDate }: DateRange,
  { type, status }: BankNotificationFilter,
  page: Page,
): Promise<Paginated<BankNotification>> =>
  readPage(
    database,
    {
      item: BankNotification,
      record: "borsello.bank_notification_record(n)",
      from: `borsello.bank_notification as n where partner_key = $1
        and ($2::timestamptz is null or creation_date >= $2)
        and ($3::timestamptz is null or creation_date <= $3)
        and ($4::text is null or type = $4) and ($5::text is null or status = $5)`,
      order: "creation_date, bank_notification_id",
      values: [partnerKey, fromDate, toDate, type ?? null, status ?? null],
    },
    page,
  );
