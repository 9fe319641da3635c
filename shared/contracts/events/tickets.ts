/** Events of tickets (contract 3.4). */
import { z } from "zod";
import { ticketCategories } from "../../domain/ticketing/categories.js";
import { DateTime, NullableDateTime, TicketStatus, ticketTypes } from "../ticketing/fields.js";
import { businessEvent, type BusinessEvent } from "./event.js";
import { PartnerKey } from "./fields.js";
import { caseNumber, moments, partnerKey, walletId } from "../story/story.js";

const author = z
  .string()
  .describe(
    "The user of a delegated token, else the client that called; PlatformOperator; SystemDaemon.",
  );
const priority = z.string().describe("0 to 3; 0 is the highest.");

const about = {
  casenumber: z.string(),
  partnerKey: PartnerKey,
  externalID: z.string().nullable(),
};
const head = {
  ...about,
  type: z.enum(ticketTypes),
  walletID: z.uuid().nullable(),
  subject: z.string().nullable(),
  status: TicketStatus,
};

const aboutExample = { casenumber: caseNumber, partnerKey, externalID: "HD-2210" };
const headExample = {
  ...aboutExample,
  type: "Wallet",
  walletID: walletId,
  subject: "Top-up not visible",
  status: "New",
} as const;

const opened = moments.ticketOpened;
const answered = moments.ticketAnswered;
const due = "2025-03-20T08:00:00.000Z";
const operator = "PlatformOperator";

const ofTicket = {
  forcedAs: null,
  session: ["casenumber"],
  entity: { name: "ticket", id: "casenumber" },
} as const;

const ticketCreated = businessEvent({
  ...ofTicket,
  name: "TicketCreated",
  payload: {
    ...head,
    product: z.enum(["wallet", "cards"]),
    impact: z.enum(["isolato", "massivo"]).nullable(),
    category: z.enum(ticketCategories),
    priority,
    openingDate: DateTime,
    expirationDate: NullableDateTime,
  },
  summary: "A ticket was opened",
  example: {
    ...headExample,
    product: "wallet",
    impact: "isolato",
    category: "Ricarica non visibile",
    priority: "2",
    openingDate: opened,
    expirationDate: due,
  },
});

const ticketStatusChanged = businessEvent({
  ...ofTicket,
  name: "TicketStatusChanged",
  payload: {
    ...head,
    previousStatus: TicketStatus,
    changedBy: author,
    text: z.string().nullable().describe("What was said with the change; null: nothing."),
    expirationDate: NullableDateTime,
    takenInChargeOn: NullableDateTime,
    resolvedDate: NullableDateTime,
    closureDate: NullableDateTime,
    closureResponse: z.string().nullable(),
  },
  summary: "A ticket has another status",
  example: {
    ...headExample,
    status: "WaitingForCustomer",
    previousStatus: "In progress",
    changedBy: operator,
    text: "On which day was the transfer made?",
    expirationDate: due,
    takenInChargeOn: null,
    resolvedDate: null,
    closureDate: null,
    closureResponse: null,
  },
});

const ticketCommentAdded = businessEvent({
  ...ofTicket,
  name: "TicketCommentAdded",
  payload: { ...head, text: z.string(), createdBy: author, createdOn: DateTime },
  summary: "Somebody commented on a ticket",
  example: {
    ...headExample,
    status: "In progress",
    text: "On 18 March; the receipt is attached.",
    createdBy: "acme-client",
    createdOn: answered,
  },
});

const ticketAttachmentAdded = businessEvent({
  ...ofTicket,
  name: "TicketAttachmentAdded",
  payload: {
    ...about,
    attachmentId: z.int().positive(),
    filename: z.string(),
    contentType: z.string(),
    bytes: z.int().positive(),
    sha256: z.string().describe("Of the bytes, as hex."),
    createdOn: DateTime,
    createdBy: author,
  },
  summary: "A file was attached to a ticket",
  example: {
    ...aboutExample,
    attachmentId: 1,
    filename: "receipt.csv",
    contentType: "text/csv",
    bytes: 65,
    sha256: "1e865c3ecfb43524aae82aaeb03e5ea842a62ada4c067f83652a03629f98a974",
    createdOn: answered,
    createdBy: "acme-client",
  },
});

const ticketExpired = businessEvent({
  ...ofTicket,
  name: "TicketExpired",
  payload: { ...head, priority, expirationDate: DateTime },
  summary: "A ticket was not resolved in time",
  example: { ...headExample, priority: "2", expirationDate: due },
});

export const ticketEvents: readonly BusinessEvent[] = [
  ticketCreated,
  ticketStatusChanged,
  ticketCommentAdded,
  ticketAttachmentAdded,
  ticketExpired,
];
