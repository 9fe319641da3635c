/** Routes by which a partner moves a ticket on: comments and status updates (ticketing seed, 3 and 4). */
import { z } from "zod";
import { route } from "../route.js";
import { OptionalText, PathStatus, TextBody, ticketParams, UrlStatus } from "./fields.js";

const closingResponse = OptionalText(2_000).describe(
  "Required for Closed. It appears in the timeline, of a ticket that is canceled too.",
);

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
  result: "The comment was added.",
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
  params: { ...ticketParams, newStatus: PathStatus },
  body: z.strictObject({ closingResponse }).optional(),
  role: "Ticket.Write",
  ok: { status: 200, schema: StatusUpdated },
  errors: ["TicketNotFound", "TicketStatusUnknown", "TicketTransitionInvalid", "ValidationFailed"],
  summary: "Change a ticket's status, named in the path",
  result: "The ticket has its new status.",
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
  result: "The ticket has its new status.",
  description: statusDescription,
});
