/** Refusals about tickets, whose error model has no properties: what they say goes into its sentence. */
import type { ErrorEntries } from "./entry.js";

export const ticketingErrors = {
  PartnerNotRegistered: {
    status: 404,
    description:
      "The token's partner is not registered for ticketing: ask the platform's operators.",
  },
  TicketNotFound: { status: 404, description: "No ticket has this case number: check it." },
  AttachmentNotFound: {
    status: 404,
    description: "The ticket has no attachment of this id: list its attachments.",
  },
  AttachmentEmpty: {
    status: 400,
    description: "The attachment has no bytes: send the file as the body.",
  },
  TicketOver: {
    status: 409,
    description: "The ticket is closed, canceled or rejected: create another one.",
  },
  AttachmentsTooMany: {
    status: 409,
    description: "The ticket takes no more attachments: create another ticket.",
  },
  AttachmentTooLarge: {
    status: 413,
    description: "The attachment is too large: send a smaller file.",
  },
  AttachmentTypeUnsupported: {
    status: 415,
    description: "The attachment is of a type that tickets do not take: send another one.",
  },
  TicketStatusUnknown: {
    status: 422,
    description: "The path names no status of tickets: name one that there is.",
  },
  TicketTransitionInvalid: {
    status: 422,
    description: "The ticket's status does not allow this change: read the ticket.",
  },
} as const satisfies ErrorEntries;
