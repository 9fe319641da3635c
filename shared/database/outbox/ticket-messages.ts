/** SQL that writes a ticket's business events, timeline and audit rows: parts of the change's statement. */
import { outboxInsert } from "./wallet-messages.js";

/** Who acts where nobody called: so the timeline names the platform itself. */
export const platformAuthor = "SystemDaemon";

/** A business event, to the partner's topic and to the flows; `payload` reads the ticket's row `t`. */
export const ticketEventInsert = (
  name: "TicketCreated" | "TicketStatusChanged" | "TicketAttachmentAdded",
  from: string,
  payload: string,
): string =>
  outboxInsert(`
    select fresh.message_id, array[(t).partner_key, 'platform-events'], (t).case_number,
      '${name}', (t).partner_key, (t).version,
      borsello.event_body(fresh.message_id, borsello.platform_now(), ${payload})
    from ${from}, (select uuidv7() as message_id) as fresh`);

/** A timeline's line about a change of status, as the ticketing seed (2.5) words it. */
export const statusLine = (author: string, from: string, to: string): string =>
  `${author} || ' changed status from [' || ${from} || '] to [' || ${to} || ']'`;

/** Part of every change that enters something: the date of its entries, never before the last one's. */
export const entryDated = "entered_on = greatest(entered_on, borsello.platform_now())";

interface Entry {
  readonly author: string;
  readonly text: string;
  readonly when?: string;
}

/** The entries, in this order, for the ticket `t` that the WITH query `changed` returns. */
export const timelineInsert = (...entries: readonly Entry[]): string => `
  insert into borsello.ticket_timeline (case_number, created_by, created_on, text)
  select case_number, author, entered_on, text from (
    ${entries
      .map(
        ({ author, text, when = "true" }, place) =>
          `select ${place} as place, (t).case_number, (t).entered_on, ${author} as author,
             ${text} as text
           from changed where ${when}`,
      )
      .join(" union all ")}
  ) as entry order by place`;
