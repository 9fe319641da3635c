/** Routes that move a ticket on: comments, the partner's status updates, the operators' (seed 3, contract 4.5). */
import { z } from "zod";
import { route } from "../route.js";
import { OptionalText, PathText, RequiredText, ticketParams, UrlStatus } from "./fields.js";
import { TicketDetail } from "./tickets.js";

const commentCharactersMax = 4_000;
const closingResponse = OptionalText(2_000).describe("Required for Closed, else without effect.");

const TextBody = z.strictObject({ text: RequiredText(commentCharactersMax) });

export const postCommentRoute = route({
  id: "postComment",
  api: "ticketing",
  method: "POST",
  path: "tickets/{casenumber}/comments",
  params: ticketParams,
  body: TextBody,
  takesIdempotencyKey: true,
  role: "Ticket.Write",
  ok: { status: 200, schema: z.object({ response: z.string() }) },
  errors: ["TicketNotFound", "TicketOver"],
  summary: "Comment on a ticket",
  description:
    "A comment on a ticket that waits for the customer, or that is resolved, takes it up again: it " +
    "is In progress, and its expiration date counts from now.",
});

const StatusUpdated = z.object({ Response: z.string() });

const statusDescription =
  "A partner cancels a ticket that is New, In progress or WaitingForCustomer, and closes one that " +
  "is Resolved, with a `closingResponse`. Any other change is refused, a repeated one too.";

export const updateStatusPathRoute = route({
  id: "updateTicketStatusPath",
  api: "ticketing",
  method: "PUT",
  path: "tickets/{casenumber}/{newStatus}",
  params: { ...ticketParams, newStatus: PathText },
  body: z.strictObject({ closingResponse }).optional(),
  role: "Ticket.Write",
  ok: { status: 200, schema: StatusUpdated },
  errors: ["TicketNotFound", "TicketStatusUnknown", "TicketTransitionInvalid", "ValidationFailed"],
  summary: "Change a ticket's status, named in the path",
  description: statusDescription,
});

export const updateStatusBodyRoute = route({
  id: "updateTicketStatusBody",
  api: "ticketing",
  method: "PUT",
  path: "tickets/{casenumber}/Status",
  params: ticketParams,
  body: z.strictObject({ status: UrlStatus, closingResponse }),
  role: "Ticket.Write",
  ok: { status: 200, schema: StatusUpdated },
  errors: ["TicketNotFound", "TicketTransitionInvalid", "ValidationFailed"],
  summary: "Change a ticket's status, named in the body",
  description: statusDescription,
});

/** What the four routes of the platform's operators share. */
const operation = {
  api: "ticketing",
  method: "PUT",
  params: ticketParams,
  body: TextBody,
  role: "Ticket.Operate",
  ok: { status: 200, schema: z.object({ response: TicketDetail }) },
  errors: ["TicketNotFound", "TicketTransitionInvalid"],
} as const;

export const takeInChargeRoute = route({
  ...operation,
  id: "takeTicketInCharge",
  path: "operator/tickets/{casenumber}/takeincharge",
  summary: "Operators: work on a new ticket",
});

export const askCustomerRoute = route({
  ...operation,
  id: "askTicketCustomer",
  path: "operator/tickets/{casenumber}/askcustomer",
  summary: "Operators: ask the customer, and wait for a comment",
  description: "The clock of the ticket's expiration stands still meanwhile.",
});

export const resolveTicketRoute = route({
  ...operation,
  id: "resolveTicket",
  path: "operator/tickets/{casenumber}/resolve",
  summary: "Operators: the ticket is resolved",
  description: "After four days without a word it is closed.",
});

export const rejectTicketRoute = route({
  ...operation,
  id: "rejectTicket",
  path: "operator/tickets/{casenumber}/reject",
  summary: "Operators: the ticket is rejected",
});
