/** Tickets: created in one statement, read one by one, by page, by wallet, with their timeline. */
import { z } from "zod";
import { TicketDetail, TicketSummary } from "../../contracts/ticketing/tickets.js";
import { openStatuses, type TicketStatus } from "../../domain/ticketing/status.js";
import { refusal, success, type Outcome, type Refusal } from "../../domain/outcome.js";
import type { Database, Queryable } from "../platform/database.js";
import type { Reader } from "../access/wallet-access.js";

/** Already checked. */
export interface NewTicket {
  readonly caseNumber: string;
  readonly walletId: string | null;
  readonly externalId: string | null;
  readonly product: "wallet" | "cards";
  readonly impact: "isolato" | "massivo" | null;
  readonly type: "Consumer" | "Alert" | "Business";
  readonly category: string;
  readonly title: string | null;
  readonly description: string;
  readonly priority: number;
  readonly slaHours: number;
  readonly silentDays: number;
  readonly answerDays: number;
}

/** Whose ticket it is, and who asks for it. */
export interface TicketAuthor {
  readonly partnerKey: string;
  readonly userName: string;
}

/** Another partner's ticket is answered like one that there is not. */
export const ticketNotFound = (caseNumber: string): Refusal<"TicketNotFound"> =>
  refusal("TicketNotFound", { casenumber: `${caseNumber} is not known.` });

const walletNotFound = (walletId: string): Refusal<"WalletNotFound"> =>
  refusal("WalletNotFound", { walletid: `${walletId} is not known.` });

/** The partner whose tickets a reader sees, `$2` of the statements; null: every partner's. */
export const scopeOf = ({ partnerKey, isOperator }: Reader): string | null =>
  isOperator ? null : partnerKey;

const Created = z.object({ caseNumber: z.string() });

const insertTicket = `
  with owned as (
    select wallet_id from borsello.wallet where wallet_id = $4 and partner_key = $1
  ), changed as (
    insert into borsello.ticket as t (case_number, partner_key, wallet_id, external_id, product,
      impact, request_type, category, title, description, priority, sla, silence, patience,
      expiration_date, created_by)
    select $3, $1, $4, $5, $6, $7, $8, $9, $10, $11, $12, date_trunc('milliseconds', make_interval(secs => $13 * 3600)),
      date_trunc('milliseconds', make_interval(secs => $14 * 86400)),
      date_trunc('milliseconds', make_interval(secs => $15 * 86400)),
      borsello.platform_now() + date_trunc('milliseconds', make_interval(secs => $13 * 3600)), $2
    where $4::uuid is null or exists (select from owned)
    returning t
  )
  select (t).case_number as "caseNumber", borsello.audit_ticket(t, $2, 'create', null),
    borsello.enter_timeline(t, $2, (t).description),
    borsello.publish_event('TicketCreated', (t).partner_key, (t).case_number, (t).version,
      borsello.ticket_created_event(t))
  from changed`;

/** One statement; its wallet must be the partner's own. */
export const createTicket = async (
  database: Database,
  { partnerKey, userName }: TicketAuthor,
  ticket: NewTicket,
): Promise<Outcome<{ readonly caseNumber: string }, "WalletNotFound">> => {
  const created = await database.command(Created, insertTicket, [
    ...[partnerKey, userName, ticket.caseNumber, ticket.walletId, ticket.externalId],
    ...[ticket.product, ticket.impact, ticket.type, ticket.category, ticket.title],
    ...[ticket.description, ticket.priority, ticket.slaHours, ticket.silentDays],
    ticket.answerDays,
  ]);
  return created === undefined ? walletNotFound(ticket.walletId ?? "") : success(created);
};

const FoundTicket = z.object({ ticket: TicketDetail });

export const findTicket = async (
  database: Queryable,
  reader: Reader,
  caseNumber: string,
): Promise<Outcome<TicketDetail, "TicketNotFound">> => {
  const found = await database.row(
    FoundTicket,
    `select borsello.ticket_detail(t) as ticket from borsello.ticket as t
     where case_number = $1 and ($2::text is null or partner_key = $2)`,
    [caseNumber, scopeOf(reader)],
  );
  return found === undefined ? ticketNotFound(caseNumber) : success(found.ticket);
};

const Listed = z.object({ ticket: TicketSummary });

export interface TicketPage {
  readonly status: TicketStatus;
  readonly type: string | undefined;
  readonly externalId: string | undefined;
  readonly page: number;
}

const pageSize = 10;

/** The page is found in an index alone; only its own tickets are then read. */
const pageOf = (filters: readonly string[], order: "asc" | "desc"): string => `
  select borsello.ticket_summary(t) as ticket from (
    select ticket_id from borsello.ticket
    where ${["partner_key = $1 and status = $2", ...filters].join(" and ")}
    order by creation_date ${order}, ticket_id ${order} limit $3 offset $4
  ) as page join borsello.ticket as t using (ticket_id)
  order by t.creation_date ${order}, t.ticket_id ${order}`;

/** What is open waits longest where it is oldest; of what is finished, the newest is asked for. */
export const listTickets = async (
  database: Queryable,
  partnerKey: string,
  { status, type, externalId, page }: TicketPage,
): Promise<TicketSummary[]> => {
  const values: unknown[] = [partnerKey, status, pageSize, page * pageSize];
  const filters: string[] = [];
  if (type !== undefined) filters.push(`type = $${values.push(type)}`);
  if (externalId !== undefined) filters.push(`external_id = $${values.push(externalId)}`);
  const order = openStatuses.includes(status) ? "asc" : "desc";
  const listed = await database.rows(Listed, pageOf(filters, order), values);
  return listed.map(({ ticket }) => ticket);
};

const OfWallet = z.object({ tickets: z.array(TicketSummary) });

/** Another partner's wallet is answered like one that there is not. */
export const listWalletTickets = async (
  database: Queryable,
  reader: Reader,
  walletId: string,
): Promise<Outcome<TicketSummary[], "WalletNotFound">> => {
  const found = await database.row(
    OfWallet,
    `select array(
       select borsello.ticket_summary(t) from borsello.ticket as t where t.wallet_id = $1
       order by t.creation_date, t.ticket_id) as tickets
     from borsello.wallet where wallet_id = $1 and ($2::text is null or partner_key = $2)`,
    [walletId, scopeOf(reader)],
  );
  return found === undefined ? walletNotFound(walletId) : success(found.tickets);
};
