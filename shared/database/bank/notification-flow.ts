/** What the flow of a notification does and when it is to look again; which notifications lack their flow. */
import { z } from "zod";
import { bankNotificationTypes } from "../../contracts/platform/bank-messages.js";
import type { Database, Queryable } from "../platform/database.js";
import { failNotification, retryNotification, type RetryTerms } from "./notifications.js";

const State = z.object({
  status: z.string(),
  feedback: z.string().nullable(),
  isDue: z.boolean(),
  /** When its flow is to look again; null: there is nothing to wait for. */
  dueAt: z.string().nullable(),
});
export type NotificationState = z.infer<typeof State>;

const stateOf = async (
  database: Queryable,
  bankNotificationId: string,
): Promise<NotificationState> =>
  (await database.row(
    State,
    `select status, feedback, is_waiting and coalesce(next_attempt_at, '-infinity')
         <= borsello.platform_now() as "isDue",
       case when is_waiting or status = 'RejectionRequested'
         then borsello.iso(coalesce(next_attempt_at, borsello.platform_now())) end as "dueAt"
     from (
       select *, is_due and iban_attempt is null and status in ('Received', 'Accepted') as is_waiting
       from borsello.bank_notification where bank_notification_id = $1
     ) as n`,
    [bankNotificationId],
  )) ?? { status: "Unknown", feedback: null, isDue: false, dueAt: null };

export interface FlowedNotification {
  readonly bankNotificationId: string;
  readonly partnerKey: string;
}

export interface AdvanceMeans {
  readonly terms: RetryTerms;
  /** The account that the instructions of partners without an own one name. */
  readonly platformAccount: string | null;
  /** Called with what went wrong within the platform. */
  readonly report: (error: string) => void;
}

/** Tries what is due; asks the bank again for a return that it is silent about. Twice is once. */
export const advanceNotification = async (
  database: Database,
  bankNotificationId: string,
  { terms, platformAccount, report }: AdvanceMeans,
): Promise<NotificationState> => {
  const before = await stateOf(database, bankNotificationId);
  if (before.isDue) {
    const tried = await retryNotification(database, bankNotificationId, platformAccount);
    if (tried?.error != null) {
      report(tried.error);
      await failNotification(database, bankNotificationId, terms);
    }
  } else if (before.status === "RejectionRequested") {
    await database.command(z.object({}), "select borsello.await_return($1, $2)", [
      bankNotificationId,
      JSON.stringify(terms),
    ]);
  }
  return stateOf(database, bankNotificationId);
};

const Taken = z.object({ taken: z.int() });

/** Hands a page of what is due to its flows; what one run has handed over it does not take again. */
export const takeDueNotifications = async (
  tx: Queryable,
  {
    partnerKey,
    type,
    upTo,
  }: { readonly partnerKey: string; readonly type: string | null; readonly upTo: Date },
  limit: number,
): Promise<number> => {
  const found = await tx.row(
    Taken,
    `with due as (
       select bank_notification_id from borsello.bank_notification
       where partner_key = $1 and type = $2 and is_due and iban_attempt is null
         and status in ('Received', 'Accepted')
         and (next_attempt_at is null or next_attempt_at <= $3)
       order by bank_notification_id limit $4 for no key update skip locked
     ), taken as (
       update borsello.bank_notification as n
       set next_attempt_at = greatest(borsello.platform_now(), $3::timestamptz + interval '1 ms')
       from due where n.bank_notification_id = due.bank_notification_id
       returning n
     )
     select count(borsello.tell_notification(n))::integer as taken from taken`,
    [partnerKey, type, upTo, limit],
  );
  return found?.taken ?? 0;
};

/** Has one looked at now, whatever it waits for: matched anew, or asked for at the bank. */
export const takeNotification = async (
  tx: Queryable,
  bankNotificationId: string,
): Promise<number> => {
  const found = await tx.row(
    Taken,
    `with taken as (
       update borsello.bank_notification as n set
         is_due = status in ('Received', 'Accepted'),
         next_attempt_at = case when status <> 'RejectionRequested' or next_attempt_at is not null
           then borsello.platform_now() end
       where bank_notification_id = $1 and iban_attempt is null
         and status in ('Received', 'Accepted', 'RejectionRequested')
       returning n
     )
     select count(borsello.tell_notification(n))::integer as taken from taken`,
    [bankNotificationId],
  );
  return found?.taken ?? 0;
};

const DueTypes = z.object({ partnerKey: z.string(), type: z.enum(bankNotificationTypes) });

/** Whose notifications of which type are due. */
export const dueNotificationTypes = (database: Queryable) =>
  database.rows(
    DueTypes,
    `select distinct partner_key as "partnerKey", type from borsello.bank_notification
     where is_due and iban_attempt is null and status in ('Received', 'Accepted')
       and partner_key is not null and coalesce(next_attempt_at, '-infinity') <= borsello.platform_now()`,
  );

const UnderWay = z.object({ bankNotificationId: z.string(), partnerKey: z.string() });

/** What waits for the bank's answer or for its next attempt, and should have a flow, by pages. */
export const notificationsUnderWay = (
  database: Queryable,
  after: string | null,
  limit: number,
): Promise<FlowedNotification[]> =>
  database.rows(
    UnderWay,
    `select bank_notification_id as "bankNotificationId", partner_key as "partnerKey"
     from borsello.bank_notification
     where status in ('Accepted', 'RejectionRequested') and partner_key is not null
       and ($1::uuid is null or bank_notification_id > $1)
       and last_update_date < borsello.platform_now() - interval '2 minutes'
     order by bank_notification_id limit $2`,
    [after, limit],
  );

/** Whether the partner has such a notification of this type. */
export const isNotification = async (
  database: Queryable,
  partnerKey: string,
  bankNotificationId: string,
  type: string,
): Promise<boolean> =>
  (await database.row(
    z.object({}),
    `select from borsello.bank_notification
     where bank_notification_id = $1 and partner_key = $2 and type = $3`,
    [bankNotificationId, partnerKey, type],
  )) !== undefined;
