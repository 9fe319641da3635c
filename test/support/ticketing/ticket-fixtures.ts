/** What tests of tickets start from: a ticket of acme in any of its states. */
import { z } from "zod";
import type { Database } from "../../../shared/database/platform/database.js";
import { operateTicket, updateTicketStatus } from "../../../shared/database/ticketing/changes.js";
import { createTicket, type NewTicket } from "../../../shared/database/ticketing/tickets.js";
import {
  operatorMoves,
  partnerMoves,
  type OperatorMove,
  type TicketStatus,
} from "../../../shared/domain/ticketing/status.js";
import { newCaseNumber } from "../../../shared/platform/readable-codes.js";
import { made } from "../wallet/wallet-fixtures.js";

export const acmeActor = { partnerKey: "acme", userName: "acme-client", isOperator: false };
export const globexActor = { partnerKey: "globex", userName: "globex-client", isOperator: false };
export const operator = { partnerKey: "platform", userName: "operator-client", isOperator: true };

export const newTicket = (change: Partial<NewTicket> = {}): NewTicket => ({
  caseNumber: newCaseNumber(),
  walletId: null,
  externalId: null,
  product: "wallet",
  impact: null,
  type: "Business",
  category: "Segnalazioni B2B",
  title: "Una domanda",
  description: "Il nostro sistema non risponde.",
  priority: 2,
  slaHours: 24,
  silentDays: 4,
  answerDays: 14,
  ...change,
});

export const openTicket = async (
  database: Database,
  change: Partial<NewTicket> = {},
): Promise<string> => made(await createTicket(database, acmeActor, newTicket(change))).caseNumber;

export const operate = async (
  database: Database,
  caseNumber: string,
  action: OperatorMove,
): Promise<void> => {
  const move = { ...operatorMoves[action], action, text: `Perché sì: ${action}` };
  made(await operateTicket(database, operator, caseNumber, move));
};

/** How operators bring a new ticket into a state. */
const ways: Readonly<Record<TicketStatus, readonly OperatorMove[]>> = {
  New: [],
  "In progress": ["takeInCharge"],
  WaitingForCustomer: ["takeInCharge", "askCustomer"],
  Resolved: ["takeInCharge", "resolve"],
  Closed: ["takeInCharge", "resolve"],
  Canceled: [],
  Rejected: ["reject"],
};

export const openTicketIn = async (
  database: Database,
  status: TicketStatus,
  change: Partial<NewTicket> = {},
): Promise<string> => {
  const caseNumber = await openTicket(database, change);
  for (const action of ways[status]) await operate(database, caseNumber, action);
  if (status === "Closed" || status === "Canceled") {
    const text = status === "Closed" ? "Grazie" : null;
    const move = { from: partnerMoves[status], to: status, text };
    made(await updateTicketStatus(database, acmeActor, caseNumber, move));
  }
  return caseNumber;
};

/** The sandbox's clock moves on. */
export const hoursPass = (database: Database, hours: number): Promise<number> =>
  database.execute("update borsello.sandbox_clock set offset_ms = offset_ms + $1", [
    Math.round(hours * 3_600_000),
  ]);

/** Everything about a ticket that a refused call must leave as it was. */
export const traceOf = async (database: Database, caseNumber: string): Promise<unknown> =>
  database.row(
    z.object({ trace: z.unknown() }),
    `select json_build_object('ticket', t,
       'entries', (select count(*) from borsello.ticket_timeline e where e.case_number = $1),
       'audit', (select count(*) from borsello.audit where entity_id = $1),
       'outbox', (select count(*) from borsello.outbox where session_id = $1)) as trace
     from borsello.ticket as t where case_number = $1`,
    [caseNumber],
  );
