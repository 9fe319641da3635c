/** What ticketSla does: reads the ticket's clock, notes its expiration, resolves and closes it in silence. */
import type { Database } from "../shared/database/platform/database.js";
import {
  closeSilentTicket as close,
  expireTicket as expire,
  readTicketClock as readClock,
  resolveSilentTicket as resolve,
} from "../shared/database/ticketing/flow.js";
import { activity, type Activity } from "../shared/durable/register.js";
import {
  closeSilentTicket,
  expireTicket,
  readTicketClock,
  resolveSilentTicket,
} from "./ticket-sla.flow.js";

const unknown = { status: "Unknown", dueOn: null } as const;

export const ticketSlaActivities = (database: Database): readonly Activity[] => [
  activity(
    readTicketClock,
    async ({ caseNumber }) => (await readClock(database, caseNumber)) ?? unknown,
  ),
  activity(expireTicket, async (due) => {
    await expire(database, due);
    return null;
  }),
  activity(resolveSilentTicket, async (due) => {
    await resolve(database, due);
    return null;
  }),
  activity(closeSilentTicket, async (due) => {
    await close(database, due);
    return null;
  }),
];
