/** Tickets as the platform's operators see them: one by one, and the queue in order of urgency. */
import { z } from "zod";
import { OperatorTicket } from "../../contracts/ticketing/operators.js";
import { openStatuses, type TicketStatus } from "../../domain/ticketing/status.js";
import { success, type Outcome } from "../../domain/outcome.js";
import type { Queryable } from "../platform/database.js";
import { ticketNotFound } from "./tickets.js";

const Found = z.object({ ticket: OperatorTicket });

export const findOperatorTicket = async (
  database: Queryable,
  caseNumber: string,
): Promise<Outcome<OperatorTicket, "TicketNotFound">> => {
  const found = await database.row(
    Found,
    `select borsello.operator_ticket(t) as ticket from borsello.ticket as t
     where case_number = $1`,
    [caseNumber],
  );
  return found === undefined ? ticketNotFound(caseNumber) : success(found.ticket);
};

export interface QueuePage {
  /** Undefined: every status that is open. */
  readonly status: TicketStatus | undefined;
  /** Undefined: every partner's. */
  readonly partnerKey: string | undefined;
  readonly priority: number | undefined;
  readonly page: number;
}

const pageSize = 50;

const inOrder = "order by priority, expiration_date, ticket_id";

/**
 * Each status is a stretch of an index that lies in the queue's order, and these are merged as far as
 * the page reaches, since each says its order, too; only the page's own tickets are then read.
 */
const pageOf = (stretches: readonly string[]): string => `
  select borsello.operator_ticket(t) as ticket from (
    select ticket_id from (
      ${stretches
        .map(
          (condition) =>
            `(select priority, expiration_date, ticket_id from borsello.ticket
              where ${condition} ${inOrder})`,
        )
        .join(" union all ")}
    ) as queue ${inOrder} limit $1 offset $2
  ) as page join borsello.ticket as t using (ticket_id)
  order by t.priority, t.expiration_date, t.ticket_id`;

export const listQueue = async (
  database: Queryable,
  { status, partnerKey, priority, page }: QueuePage,
): Promise<OperatorTicket[]> => {
  const values: unknown[] = [pageSize, page * pageSize];
  const shared: string[] = [];
  if (partnerKey !== undefined) shared.push(`partner_key = $${values.push(partnerKey)}`);
  if (priority !== undefined) shared.push(`priority = $${values.push(priority)}`);
  const statuses = status === undefined ? openStatuses : [status];
  const stretches = statuses.map((one) =>
    [`status = $${values.push(one)}`, ...shared].join(" and "),
  );
  const listed = await database.rows(Found, pageOf(stretches), values);
  return listed.map(({ ticket }) => ticket);
};
