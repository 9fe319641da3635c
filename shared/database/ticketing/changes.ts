/** What moves a ticket on: comments, moves by partners and operators; each one guarded statement. */
import { z } from "zod";
import { TicketDetail } from "../../contracts/ticketing/tickets.js";
import {
  finalStatuses,
  reopenedByComment,
  type Move,
  type OperatorMove,
} from "../../domain/ticketing/status.js";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import type { Database } from "../platform/database.js";
import { findTicket, scopeOf } from "./tickets.js";
import type { Reader } from "../access/wallet-access.js";

/** Who changes a ticket: operators those of every partner. */
export interface TicketActor extends Reader {
  readonly clientId: string;
}

/** What the timeline calls the platform's people, whoever of them acts. */
const operatorAuthor = "PlatformOperator";

const Changed = z.object({ ticket: TicketDetail });

const moveTicket = `
  with changed as (
    update borsello.ticket as t
    set entered_on = greatest(entered_on, borsello.platform_now()), status = $6,
      version = version + 1,
      taken_in_charge_on = case when $6 = 'In progress' and request_type = 'Alert'
        then borsello.platform_now() else taken_in_charge_on end,
      resolved_date = case when $6 = 'Resolved' then borsello.platform_now() else resolved_date end,
      closes_on = case when $6 = 'Resolved' then borsello.platform_now() + silence end,
      closure_date = case when $6 in ('Closed', 'Canceled') then borsello.platform_now() end,
      closure_response = $8
    where case_number = $1 and ($2::text is null or partner_key = $2) and status = any ($5)
    returning t, old.status as status_before
  )
  select borsello.ticket_detail(t) as ticket,
    borsello.record_ticket_move(t, $3, $4, status_before, $7, $9)
  from changed`;

type MoveRefusal = "TicketNotFound" | "TicketTransitionInvalid";

interface MoveBy {
  readonly author: string;
  readonly action: string;
  readonly closureResponse?: string;
  readonly text?: string;
}

const performMove = async (
  database: Database,
  actor: TicketActor,
  caseNumber: string,
  { from, to }: Move,
  { author, action, closureResponse, text }: MoveBy,
): Promise<Outcome<TicketDetail, MoveRefusal>> => {
  const place = [caseNumber, scopeOf(actor), actor.clientId, action, from, to];
  const moved = await database.command(Changed, moveTicket, [
    ...place,
    author,
    closureResponse ?? null,
    text ?? null,
  ]);
  if (moved !== undefined) return success(moved.ticket);
  const found = await findTicket(database, actor, caseNumber);
  if (!found.ok) return found;
  const { status } = found.value;
  return refusal("TicketTransitionInvalid", { status: `is ${status} and cannot become ${to}.` });
};

/** The partner closes or cancels. */
export const updateTicketStatus = (
  database: Database,
  actor: TicketActor,
  caseNumber: string,
  move: Move & { readonly closureResponse?: string },
): Promise<Outcome<TicketDetail, MoveRefusal>> =>
  performMove(database, actor, caseNumber, move, {
    author: actor.clientId,
    action: "updateStatus",
    ...move,
  });

/** An operator moves the ticket, and says why in its timeline. */
export const operateTicket = (
  database: Database,
  actor: TicketActor,
  caseNumber: string,
  move: Move & { readonly action: OperatorMove; readonly text: string },
): Promise<Outcome<TicketDetail, MoveRefusal>> =>
  performMove(database, actor, caseNumber, move, { author: operatorAuthor, ...move });

const commentTicket = `
  with changed as (
    update borsello.ticket as t
    set entered_on = greatest(entered_on, borsello.platform_now()),
      status = case when status = any ($5) then 'In progress' else status end,
      version = version + case when status = any ($5) then 1 else 0 end,
      expiration_date = case when status = any ($5)
        then borsello.platform_now() + sla else expiration_date end,
      expired_on = case when status = any ($5) then null else expired_on end,
      resolved_date = null,
      closes_on = null
    where case_number = $1 and ($2::text is null or partner_key = $2) and status <> all ($6)
    returning t, old.status as status_before
  )
  select borsello.ticket_detail(t) as ticket,
    borsello.record_ticket_comment(t, $3, status_before, $4)
  from changed`;

/** A comment takes up again what waited for one; the clock of the expiration then starts anew. */
export const addComment = async (
  database: Database,
  actor: TicketActor,
  caseNumber: string,
  text: string,
): Promise<Outcome<TicketDetail, "TicketNotFound" | "TicketOver">> => {
  const commented = await database.command(Changed, commentTicket, [
    ...[caseNumber, scopeOf(actor), actor.clientId, text],
    ...[reopenedByComment, finalStatuses],
  ]);
  if (commented !== undefined) return success(commented.ticket);
  const found = await findTicket(database, actor, caseNumber);
  if (!found.ok) return found;
  return refusal("TicketOver", { status: `is ${found.value.status}.` });
};
