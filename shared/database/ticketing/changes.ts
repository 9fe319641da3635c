/** What moves a ticket on: comments, moves by partners and operators; each one guarded statement. */
import { z } from "zod";
import { OperatorTicket } from "../../contracts/ticketing/operators.js";
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
  /** The user of a delegated token, else the client. */
  readonly userName: string;
}

/** What the timeline calls the platform's people, whoever of them acts. */
const operatorAuthor = "PlatformOperator";

const Changed = z.object({ ticket: OperatorTicket });

/** While a ticket waits for the customer its clock stands still: resumed, it has what time was left. */
const moveTicket = `
  with changed as (
    update borsello.ticket as t
    set entered_on = greatest(entered_on, borsello.platform_now()), status = $6,
      version = version + 1,
      taken_in_charge_on = case when $6 = 'In progress' and request_type = 'Alert'
        then coalesce(taken_in_charge_on, borsello.platform_now()) else taken_in_charge_on end,
      expiration_date = case when $6 = 'In progress' and asked_on is not null
        then expiration_date + greatest(borsello.platform_now() - asked_on, '0')
        else expiration_date end,
      asked_on = case when $6 = 'WaitingForCustomer' then borsello.platform_now() end,
      resolves_on = case when $6 = 'WaitingForCustomer' then borsello.platform_now() + patience end,
      resolved_date = case when $6 = 'Resolved' then borsello.platform_now() else resolved_date end,
      closes_on = case when $6 = 'Resolved' then borsello.platform_now() + silence end,
      closure_date = case when $6 in ('Closed', 'Canceled') then borsello.platform_now() end,
      closure_response = case when $6 = 'Closed' then $8 end
    where case_number = $1 and ($2::text is null or partner_key = $2) and status = any ($5)
    returning t, old.status as status_before
  )
  select borsello.operator_ticket(t) as ticket,
    borsello.record_ticket_move(t, $3, $4, status_before, $7, $8)
  from changed`;

type MoveRefusal = "TicketNotFound" | "TicketTransitionInvalid";

interface MoveBy {
  readonly author: string;
  readonly action: string;
  /** What the author says about it, for the timeline; a ticket that is closed keeps it as its response. */
  readonly text: string | null;
}

const performMove = async (
  database: Database,
  actor: TicketActor,
  caseNumber: string,
  { from, to }: Move,
  { author, action, text }: MoveBy,
): Promise<Outcome<OperatorTicket, MoveRefusal>> => {
  const place = [caseNumber, scopeOf(actor), actor.userName, action, from, to];
  const moved = await database.command(Changed, moveTicket, [...place, author, text]);
  if (moved !== undefined) return success(moved.ticket);
  const found = await findTicket(database, actor, caseNumber);
  if (!found.ok) return found;
  const { status } = found.value;
  const only =
    from.length === 0
      ? "a partner can only cancel or close a ticket."
      : `only one that is ${from.join(" or ")} becomes ${to}.`;
  return refusal("TicketTransitionInvalid", { status: `is ${status}: ${only}` });
};

/** The partner closes or cancels. */
export const updateTicketStatus = (
  database: Database,
  actor: TicketActor,
  caseNumber: string,
  move: Move & { readonly text: string | null },
): Promise<Outcome<OperatorTicket, MoveRefusal>> =>
  performMove(database, actor, caseNumber, move, {
    author: actor.userName,
    action: "updateStatus",
    text: move.text,
  });

/** An operator moves the ticket, and says why in its timeline. */
export const operateTicket = (
  database: Database,
  actor: TicketActor,
  caseNumber: string,
  move: Move & { readonly action: OperatorMove; readonly text: string },
): Promise<Outcome<OperatorTicket, MoveRefusal>> =>
  performMove(database, actor, caseNumber, move, { author: operatorAuthor, ...move });

/** `$5`: the statuses that this comment takes up again; where it moves nothing, the silent days begin anew. */
const commentTicket = `
  with changed as (
    update borsello.ticket as t
    set entered_on = greatest(entered_on, borsello.platform_now()),
      status = case when status = any ($5) then 'In progress' else status end,
      version = version + 1,
      expiration_date = case when status = any ($5)
        then borsello.platform_now() + sla else expiration_date end,
      expired_on = case when status = any ($5) then null else expired_on end,
      asked_on = case when status = any ($5) then null else asked_on end,
      resolves_on = case when status = 'WaitingForCustomer' and status <> all ($5)
        then borsello.platform_now() + patience end,
      resolved_date = case when status = any ($5) then null else resolved_date end,
      closes_on = case when status = 'Resolved' and status <> all ($5)
        then borsello.platform_now() + silence end
    where case_number = $1 and ($2::text is null or partner_key = $2) and status <> all ($6)
    returning t, old.status as status_before
  )
  select borsello.operator_ticket(t) as ticket,
    borsello.record_ticket_comment(t, $3, status_before, $7, $4)
  from changed`;

type CommentRefusal = "TicketNotFound" | "TicketOver";

const performComment = async (
  database: Database,
  actor: TicketActor,
  caseNumber: string,
  text: string,
  { author, reopened }: { readonly author: string; readonly reopened: readonly string[] },
): Promise<Outcome<OperatorTicket, CommentRefusal>> => {
  const commented = await database.command(Changed, commentTicket, [
    ...[caseNumber, scopeOf(actor), actor.userName, text],
    ...[reopened, finalStatuses, author],
  ]);
  if (commented !== undefined) return success(commented.ticket);
  const found = await findTicket(database, actor, caseNumber);
  if (!found.ok) return found;
  return refusal("TicketOver", { status: `is ${found.value.status}.` });
};

/** A partner's comment takes up again what waited for one; the clock of the expiration then starts anew. */
export const addComment = (
  database: Database,
  actor: TicketActor,
  caseNumber: string,
  text: string,
): Promise<Outcome<OperatorTicket, CommentRefusal>> =>
  performComment(database, actor, caseNumber, text, {
    author: actor.userName,
    reopened: reopenedByComment,
  });

/** An operator's comment moves nothing: the customer's answer is still waited for. */
export const addOperatorComment = (
  database: Database,
  actor: TicketActor,
  caseNumber: string,
  text: string,
): Promise<Outcome<OperatorTicket, CommentRefusal>> =>
  performComment(database, actor, caseNumber, text, { author: operatorAuthor, reopened: [] });
