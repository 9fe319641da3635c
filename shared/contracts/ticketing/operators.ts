/** Routes of the platform's operators: the queue, and what they do with a ticket (contract 3.4 and 4.5). */
import { z } from "zod";
import { ticketCategories } from "../../domain/ticketing/categories.js";
import { count, pageNumberMax } from "../pages.js";
import { route } from "../route.js";
import { TextBody, ticketParams, UrlStatus } from "./fields.js";
import { TicketDetail } from "./tickets.js";

/** A ticket with all that its work needs, whosever it is. */
export const OperatorTicket = TicketDetail.extend({
  partnerKey: z.string(),
  description: z.string(),
  category: z.enum(ticketCategories),
  impact: z.enum(["isolato", "massivo"]).nullable(),
  product: z.enum(["wallet", "cards"]),
  createdby: z.string().describe("The user of a delegated token, else the client that called."),
}).meta({ id: "OperatorTicket" });
export type OperatorTicket = z.output<typeof OperatorTicket>;

const partnerKeyCharactersMax = 255;

export const listQueueRoute = route({
  id: "getTicketQueue",
  api: "ticketing",
  method: "GET",
  path: "operator/tickets",
  query: {
    status: UrlStatus.optional(),
    partner: z.string().min(1).max(partnerKeyCharactersMax).optional(),
    priority: z.enum(["0", "1", "2", "3"]).transform(Number).optional(),
    page: count(0, pageNumberMax, 0),
  },
  role: "Ticket.Operate",
  ok: { status: 200, schema: z.object({ response: z.array(OperatorTicket) }) },
  errors: [],
  summary: "Operators: the queue over all partners, fifty tickets per page",
  result: "The tickets of this page; none behind the last one.",
  description:
    "By priority, then by expiration date; without a status all that are open: New, InProgress and " +
    "WaitingForCustomer. A page behind the last one is empty.",
});

export const getOperatorTicketRoute = route({
  id: "getOperatorTicket",
  api: "ticketing",
  method: "GET",
  path: "operator/tickets/{casenumber}",
  params: ticketParams,
  role: "Ticket.Operate",
  ok: { status: 200, schema: z.object({ response: OperatorTicket }) },
  errors: ["TicketNotFound"],
  summary: "Operators: a ticket with its description",
  result: "The ticket as it is now.",
});

export const postOperatorCommentRoute = route({
  id: "postOperatorComment",
  api: "ticketing",
  method: "POST",
  path: "operator/tickets/{casenumber}/comments",
  params: ticketParams,
  body: TextBody,
  takesIdempotencyKey: true,
  role: "Ticket.Operate",
  ok: { status: 200, schema: z.object({ response: z.string() }) },
  errors: ["TicketNotFound", "TicketOver"],
  summary: "Operators: comment on a ticket",
  result: "The comment was added.",
  description:
    "The ticket keeps its status; the silent days of one that waits or is resolved begin anew.",
});

/** What the operators' moves share. */
const move = {
  api: "ticketing",
  method: "PUT",
  params: ticketParams,
  body: TextBody,
  role: "Ticket.Operate",
  ok: { status: 200, schema: z.object({ response: OperatorTicket }) },
  errors: ["TicketNotFound", "TicketTransitionInvalid"],
} as const;

export const takeInChargeRoute = route({
  ...move,
  id: "takeTicketInCharge",
  path: "operator/tickets/{casenumber}/takeincharge",
  summary: "Operators: work on a new ticket",
  result: "The ticket, now In progress.",
});

export const askCustomerRoute = route({
  ...move,
  id: "askTicketCustomer",
  path: "operator/tickets/{casenumber}/askcustomer",
  summary: "Operators: ask the customer, and wait for a comment",
  result: "The ticket, now WaitingForCustomer.",
  description:
    "The clock of the ticket's expiration stands still meanwhile. After fourteen days without a word " +
    "the ticket is resolved, unless the partner's settings say otherwise.",
});

export const resumeTicketRoute = route({
  ...move,
  id: "resumeTicket",
  path: "operator/tickets/{casenumber}/resume",
  summary: "Operators: go on without the customer's answer",
  result: "The ticket, In progress again.",
  description: "The clock of the ticket's expiration goes on with the time that was left.",
});

export const resolveTicketRoute = route({
  ...move,
  id: "resolveTicket",
  path: "operator/tickets/{casenumber}/resolve",
  summary: "Operators: the ticket is resolved",
  result: "The ticket, now Resolved.",
  description: "After four days without a word it is closed.",
});

export const rejectTicketRoute = route({
  ...move,
  id: "rejectTicket",
  path: "operator/tickets/{casenumber}/reject",
  summary: "Operators: the ticket is rejected",
  result: "The ticket, now Rejected.",
});
