/** What the flow of a ticket looks up and does: its next date, its expiration, what silence brings. */
import { z } from "zod";
import { ticketStatuses } from "../../domain/ticketing/status.js";
import type { Database, Queryable } from "../platform/database.js";

const TicketClock = z.object({ status: z.enum(ticketStatuses), dueOn: z.string().nullable() });
export type TicketClock = z.output<typeof TicketClock>;

/** `dueOn`: when the platform has to act next; null: not before somebody else does. */
export const readTicketClock = (
  database: Queryable,
  caseNumber: string,
): Promise<TicketClock | undefined> =>
  database.row(
    TicketClock,
    `select status, borsello.iso(due_on) as "dueOn" from borsello.ticket where case_number = $1`,
    [caseNumber],
  );

/** A deed is bound to the date that the flow saw: a ticket that moved meanwhile has another, or none. */
export interface DueTicket {
  readonly caseNumber: string;
  readonly dueOn: string;
}

const Done = z.object({ caseNumber: z.string() });

const deed =
  (statement: string) =>
  async (database: Database, { caseNumber, dueOn }: DueTicket): Promise<void> => {
    await database.command(Done, statement, [caseNumber, dueOn]);
  };

const expire = `
  with changed as (
    update borsello.ticket as t
    set entered_on = greatest(entered_on, borsello.platform_now()),
      version = version + 1, expired_on = borsello.platform_now()
    where case_number = $1 and due_on = $2 and status in ('New', 'In progress')
    returning t
  ), audited as (
    insert into borsello.audit (actor, partner_key, entity, entity_id, action)
    select 'platform', (t).partner_key, 'Ticket', (t).case_number, 'expire' from changed
  )
  select (t).case_number as "caseNumber", borsello.enter_timeline(
      t, 'SystemDaemon', 'SystemDaemon noted that the expiration date has passed'),
    borsello.publish_event('TicketExpired', (t).partner_key, (t).case_number, (t).version,
      borsello.ticket_expired_event(t))
  from changed`;

/** Notes, once, that the ticket was not resolved in time. */
export const expireTicket = deed(expire);

const resolve = `
  with changed as (
    update borsello.ticket as t
    set entered_on = greatest(entered_on, borsello.platform_now()), status = 'Resolved',
      version = version + 1, resolved_date = borsello.platform_now(), asked_on = null,
      resolves_on = null, closes_on = borsello.platform_now() + silence
    where case_number = $1 and due_on = $2 and status = 'WaitingForCustomer'
    returning t, old.status as status_before
  )
  select (t).case_number as "caseNumber", borsello.record_ticket_move(
    t, 'platform', 'resolveSilent', status_before, 'SystemDaemon')
  from changed`;

/** Resolves a ticket whose question nobody has answered. */
export const resolveSilentTicket = deed(resolve);

const close = `
  with changed as (
    update borsello.ticket as t
    set entered_on = greatest(entered_on, borsello.platform_now()), status = 'Closed',
      version = version + 1, closes_on = null, closure_date = borsello.platform_now()
    where case_number = $1 and due_on = $2 and status = 'Resolved'
    returning t, old.status as status_before
  )
  select (t).case_number as "caseNumber", borsello.record_ticket_move(
    t, 'platform', 'closeSilent', status_before, 'SystemDaemon')
  from changed`;

/** Closes a resolved ticket that nobody has said a word about. */
export const closeSilentTicket = deed(close);

/** A flow that is alive has acted long before. */
const graceMinutes = 2;

const Overdue = z.object({ caseNumber: z.string(), place: z.string() });
export type OverdueTicket = z.output<typeof Overdue>;

/** Tickets whose date has passed without the deed, in order of it: their flow is not there. */
export const overdueTickets = (
  database: Queryable,
  after: string | null,
  ticketsMax: number,
): Promise<OverdueTicket[]> =>
  database.rows(
    Overdue,
    `select case_number as "caseNumber", json_build_array(due_on, case_number)::text as place
     from borsello.ticket
     where due_on < borsello.platform_now() - $1::interval and ($2::json is null
       or (due_on, case_number) > (($2::json ->> 0)::timestamptz, $2::json ->> 1))
     order by due_on, case_number limit $3`,
    [`${graceMinutes} minutes`, after, ticketsMax],
  );
