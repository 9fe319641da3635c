/** Tickets and the routes that create and read them (ticketing seed, 2.1 to 2.5 and 4). */
import { z } from "zod";
import { categoryOfType, ticketCategories } from "../../domain/ticketing/categories.js";
import { Identifier } from "../identifier.js";
import { count, pageNumberMax } from "../pages.js";
import { route } from "../route.js";
import {
  DateTime,
  NullableDateTime,
  OptionalText,
  RequiredText,
  ticketParams,
  TicketStatus,
  ticketTypes,
  UrlStatus,
} from "./fields.js";

/** What the two views of a ticket share. */
const ticketHead = {
  casenumber: z.string(),
  externalID: z.string().nullable(),
  type: z.enum(ticketTypes).describe("Wallet: about a customer's wallet. Management: all else."),
  walletID: z.uuid().nullable(),
  subject: z.string().nullable(),
  status: TicketStatus,
};
const ticketTail = {
  closureDate: NullableDateTime.describe("Set while the status is Closed or Canceled."),
  closureResponse: z.string().nullable(),
  priority: z.enum(["0", "1", "2", "3"]).nullable().describe("0 to 3; 0 is the highest."),
  takenInChargeOn: NullableDateTime.describe("Set for an unavailable service alone."),
};

export const TicketSummary = z
  .object({ ...ticketHead, creationDate: NullableDateTime, ...ticketTail })
  .meta({ id: "TicketSummary" });
export type TicketSummary = z.output<typeof TicketSummary>;

export const TicketDetail = z
  .object({
    ...ticketHead,
    partner: z.string(),
    openingDate: DateTime,
    expirationDate: NullableDateTime.describe(
      "By when the ticket should be resolved. Its clock stands still while the ticket waits for " +
        "the customer, and starts anew from the comment that takes it up again.",
    ),
    resolvedDate: NullableDateTime,
    ...ticketTail,
  })
  .meta({ id: "TicketDetail" });
export type TicketDetail = z.output<typeof TicketDetail>;

export const TimelineItem = z
  .object({
    createdby: z
      .string()
      .describe(
        "The user of a delegated token, else the client that called; PlatformOperator; SystemDaemon.",
      ),
    createdon: DateTime,
    text: z.string(),
  })
  .meta({ id: "TimelineItem" });

const externalIdCharactersMax = 255;

export const CreateTicketBody = z
  .strictObject({
    walletid: Identifier.nullish().describe("Required for Consumer, not to be set otherwise."),
    externalid: OptionalText(externalIdCharactersMax),
    product: z.enum(["wallet", "cards"]),
    impact: z.enum(["isolato", "massivo"]).nullish(),
    type: z.enum(["Consumer", "Alert", "Business"]),
    category: z.enum(ticketCategories),
    title: OptionalText(255),
    description: RequiredText(10_000),
  })
  .superRefine(({ type, walletid, category }, context) => {
    const refuse = (field: string, message: string): void =>
      context.addIssue({ code: "custom", path: [field], message });
    if (type === "Consumer" && walletid == null)
      refuse("walletid", "is required where the type is Consumer");
    if (type !== "Consumer" && walletid != null)
      refuse("walletid", `must not be set where the type is ${type}`);
    const only = categoryOfType[type];
    if (only !== null && category !== only)
      refuse("category", `must be "${only}" where the type is ${type}`);
  });

export const createTicketRoute = route({
  id: "createTicket",
  api: "ticketing",
  method: "POST",
  path: "tickets",
  body: CreateTicketBody,
  takesIdempotencyKey: true,
  role: "Ticket.Write",
  ok: {
    status: 200,
    schema: z.object({ Response: z.object({ message: z.string(), caseNumber: z.string() }) }),
  },
  errors: ["WalletNotFound", "PartnerNotRegistered"],
  summary: "Create a ticket",
  result: "The ticket was created, under this case number.",
  description:
    "The event TicketCreated follows. Texts are kept as they are; one with a script, an iframe or " +
    "PHP in it, however spelt, is refused.",
});

export const listTicketsRoute = route({
  id: "getPartnerTickets",
  api: "ticketing",
  method: "GET",
  path: "tickets/list/{status}",
  params: { status: UrlStatus },
  query: {
    type: z.enum(ticketTypes).optional(),
    page: count(0, pageNumberMax, 0),
    externalid: z
      .string()
      .min(1)
      .max(externalIdCharactersMax)
      .optional()
      .describe("The partner's own number, exactly as it was sent."),
  },
  role: "Ticket.Read",
  ok: { status: 200, schema: z.object({ response: z.array(TicketSummary) }) },
  errors: ["PartnerNotRegistered"],
  summary: "The partner's tickets of one status, ten per page",
  result: "The tickets of this page; none behind the last one.",
  description:
    "Resolved, Closed, Canceled and Rejected: the newest first; all else in the order of creation. A " +
    "page behind the last one is empty.",
});

export const getTicketRoute = route({
  id: "getTicket",
  api: "ticketing",
  method: "GET",
  path: "tickets/{casenumber}",
  params: ticketParams,
  role: "Ticket.Read",
  ok: { status: 200, schema: z.object({ response: TicketDetail }) },
  errors: ["TicketNotFound"],
  summary: "Get a ticket",
  result: "The ticket as it is now.",
});

export const getWalletTicketsRoute = route({
  id: "getTicketsByWalletID",
  api: "ticketing",
  method: "GET",
  path: "tickets/wallet/{walletid}",
  params: { walletid: Identifier },
  role: "Ticket.Read",
  ok: { status: 200, schema: z.object({ response: z.array(TicketSummary) }) },
  errors: ["WalletNotFound"],
  summary: "All tickets about a wallet",
  result: "The tickets about the wallet.",
});

export const getTimelineRoute = route({
  id: "getTicketTimeline",
  api: "ticketing",
  method: "GET",
  path: "tickets/{casenumber}/timeline",
  params: ticketParams,
  role: "Ticket.Read",
  ok: { status: 200, schema: z.object({ response: z.array(TimelineItem) }) },
  errors: ["TicketNotFound"],
  summary: "What was said and done about a ticket, in the order of time",
  result: "Everything that was said and done, the oldest first.",
  description: "The first entry is the ticket's description.",
});
