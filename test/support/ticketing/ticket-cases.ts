/** The table of the ticketing API's calls: each endpoint with its success and each documented refusal. */
import type { Route } from "../../../shared/contracts/route.js";
import * as attachments from "../../../shared/contracts/ticketing/attachments.js";
import * as changes from "../../../shared/contracts/ticketing/changes.js";
import * as operators from "../../../shared/contracts/ticketing/operators.js";
import * as tickets from "../../../shared/contracts/ticketing/tickets.js";
import type { TicketStatus } from "../../../shared/domain/ticketing/status.js";

/** What is there before the calls. */
export interface TicketWorld {
  readonly walletId: string;
  readonly walletOfGlobex: string;
}

export const unknownWallet = "01890a5d-ac96-774b-bcce-b302099a8057";
/** Of no version that there is: still nobody's, and not malformed. */
const unknownWalletOfNoVersion = "11111111-1111-1111-1111-111111111111";
export const unknownTicket = "CAS-2222-2222-2222";

export interface TicketCall {
  /** The state of the ticket that the call is about, made for this call; absent: an unknown one. */
  readonly ticket?: TicketStatus;
  /** Null: nobody. */
  readonly as?: "acme" | "globex" | "initech" | "platform" | null;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
  readonly bytes?: string;
}

export interface TicketCase {
  readonly route: Route;
  readonly what: string;
  readonly status: number;
  readonly call: (world: TicketWorld) => TicketCall;
}

type Row = readonly [what: string, status: number, call: TicketCall | TicketCase["call"]];

const of = (route: Route, rows: readonly Row[], common: TicketCall = {}): TicketCase[] =>
  rows.map(([what, status, call]) => ({
    route,
    what,
    status,
    call: (world) => ({ ...common, ...(typeof call === "function" ? call(world) : call) }),
  }));

const business = {
  type: "Business",
  category: "Segnalazioni B2B",
  product: "wallet",
  description: "5 < 10, <b>e poi</b>",
};

export const consumerBody = (walletid: string) => ({
  ...business,
  type: "Consumer",
  category: "SDD",
  walletid,
  impact: "massivo",
  externalid: "X-1",
  title: "SDD > 0",
});

const alertWithNulls = {
  ...{ ...business, type: "Alert", category: "Indisponibilita del servizio", product: "cards" },
  ...{ walletid: null, externalid: null, impact: null, title: null },
};

const invalidCreations: Readonly<Record<string, object>> = {
  "no wallet for Consumer": { type: "Consumer" },
  "a wallet for Business": { walletid: unknownWallet },
  "a wallet that is no UUID": { type: "Consumer", walletid: "42" },
  "no product": { product: undefined },
  "an unknown product": { product: "bank" },
  "an unknown impact": { impact: "grande" },
  "an unknown type": { type: "Other" },
  "no category": { category: undefined },
  "a category in another case": { category: "segnalazioni b2b" },
  "a Business of another category": { category: "SDD" },
  "an Alert of another category": { type: "Alert" },
  "no description": { description: undefined },
  "a blank description": { description: " \n" },
  "a long description": { description: "a".repeat(10_001) },
  "a long title": { title: "a".repeat(256) },
  "a script in the description": { description: "<script>alert(1)</script>" },
  "a frame in the title": { title: "< IFRAME src=x" },
  "PHP in the description": { description: "prima <?php echo 1" },
  "an encoded script": { description: "&lt;script&gt;" },
  "an unknown field": { priority: "0" },
};

const creations = of(tickets.createTicketRoute, [
  ["Consumer", 200, ({ walletId }) => ({ body: consumerBody(walletId) })],
  ["Business", 200, { body: business }],
  ["Alert with nulls", 200, { body: alertWithNulls }],
  ["an unknown wallet", 404, { body: consumerBody(unknownWallet) }],
  ["an unknown wallet of no version", 404, { body: consumerBody(unknownWalletOfNoVersion) }],
  ["another partner's wallet", 404, (world) => ({ body: consumerBody(world.walletOfGlobex) })],
  ...Object.entries(invalidCreations).map(([what, change]): Row => [
    what,
    422,
    { body: { ...business, ...change } },
  ]),
]);

const to = (newStatus: string, ticket?: TicketStatus, closingResponse?: string): TicketCall => ({
  params: { newStatus },
  ...(ticket === undefined ? {} : { ticket }),
  ...(closingResponse === undefined ? {} : { body: { closingResponse } }),
});
const become = (status: unknown, ticket?: TicketStatus, closingResponse?: string): TicketCall => ({
  body: { status, closingResponse },
  ...(ticket === undefined ? {} : { ticket }),
});

const updates = [
  ...of(changes.updateStatusPathRoute, [
    ["cancel", 200, to("Canceled", "New")],
    ["cancel, any case", 200, to("cAnCeLeD", "New")],
    ["cancel with a reason", 200, to("Canceled", "New", "Si è risolto da solo")],
    ["close", 200, to("closed", "Resolved", "Grazie < mille")],
    ["close without a response", 422, to("Closed", "Resolved")],
    ["close with a blank response", 422, to("Closed", "Resolved", " ")],
    ["close with a script", 422, to("Closed", "Resolved", "<SCRIPT")],
    ["no such status", 422, to("Cancelled", "New")],
    ["a JSON spelling", 422, to("In%20progress", "New")],
    ["a move that is not theirs", 422, to("InProgress", "New")],
    ["an unknown ticket", 404, to("Canceled")],
  ]),
  ...of(changes.updateStatusBodyRoute, [
    ["cancel", 200, become("Canceled", "In progress")],
    ["close", 200, become("Closed", "Resolved", "Si")],
    ["close without a response", 422, become("Closed", "Resolved")],
    ["no status", 422, become(undefined, "New")],
    ["no such status", 422, become("Status", "New")],
    ["a repeated cancel", 422, become("Canceled", "Canceled")],
    ["an unknown ticket", 404, become("Canceled")],
  ]),
];

const aNew: TicketCall = { ticket: "New" };

const reads = [
  ...of(tickets.listTicketsRoute, [
    ["a page", 200, { params: { status: "new" } }],
    ["a later one", 200, { params: { status: "InProgress" }, query: "?page=3&type=Wallet" }],
    ...["Open", "In%20progress", "a%20b"].map((status): Row => [
      `status ${status}`,
      400,
      { params: { status } },
    ]),
    ["by the partner's own number", 200, { params: { status: "New" }, query: "?externalid=X-1" }],
    ...[
      "page=-1",
      "page=1.5",
      "page=x",
      "page=2147483648",
      "page=",
      "type=Consumer",
      "externalid=",
    ].map((query): Row => [query, 400, { params: { status: "New" }, query: `?${query}` }]),
  ]),
  ...of(tickets.getTicketRoute, [
    ["a ticket", 200, aNew],
    ["an unknown one", 404, {}],
  ]),
  ...of(tickets.getWalletTicketsRoute, [
    ["a wallet's", 200, ({ walletId }) => ({ params: { walletid: walletId } })],
    ["an unknown wallet's", 404, { params: { walletid: unknownWallet } }],
    ["another unknown wallet's", 404, { params: { walletid: unknownWalletOfNoVersion } }],
    ["no wallet's", 400, { params: { walletid: "42" } }],
  ]),
  ...of(tickets.getTimelineRoute, [
    ["a ticket's", 200, { ticket: "Closed" }],
    ["an unknown one's", 404, {}],
  ]),
  ...of(attachments.listAttachmentsRoute, [
    ["a ticket's", 200, aNew],
    ["an unknown one's", 404, {}],
  ]),
  // The content of an attachment is read where attachments are tested.
  ...of(attachments.getAttachmentRoute, [["an unknown one", 404, aNew]], {
    params: { attachmentid: "1" },
  }),
];

const uploads = of(
  attachments.postAttachmentRoute,
  [
    ["a text", 200, aNew],
    ["no name", 400, { ...aNew, query: "" }],
    ["a type that is not taken", 415, { ...aNew, query: "?filename=a.exe" }],
    ["to a closed ticket", 409, { ticket: "Closed" }],
    ["to an unknown ticket", 404, {}],
  ],
  { bytes: "Buongiorno", query: "?filename=note.txt" },
);

const text = { body: { text: "Ecco <qui> > li" } };

const comments = of(
  changes.postCommentRoute,
  [
    ["on a new ticket", 200, aNew],
    ["on a waiting ticket", 200, { ticket: "WaitingForCustomer" }],
    ["on a closed ticket", 409, { ticket: "Closed" }],
    ["on a rejected ticket", 409, { ticket: "Rejected" }],
    ["without text", 422, { ...aNew, body: {} }],
    ["of an empty text", 422, { ...aNew, body: { text: "" } }],
    ["of a script", 422, { ...aNew, body: { text: "<scr<script>ipt>" } }],
    ["on an unknown ticket", 404, {}],
  ],
  text,
);

const inCharge: TicketCall = { ticket: "In progress" };
const operator = { ...text, as: "platform" } as const;

const operations = [
  ...of(
    operators.takeInChargeRoute,
    [
      ["a new ticket", 200, aNew],
      ["one in charge", 422, inCharge],
    ],
    operator,
  ),
  ...of(
    operators.askCustomerRoute,
    [
      ["one in charge", 200, inCharge],
      ["a new ticket", 422, aNew],
    ],
    operator,
  ),
  ...of(
    operators.resolveTicketRoute,
    [
      ["one in charge", 200, inCharge],
      ["a new ticket", 422, aNew],
    ],
    operator,
  ),
  ...of(
    operators.resumeTicketRoute,
    [
      ["a waiting ticket", 200, { ticket: "WaitingForCustomer" }],
      ["one in charge", 422, inCharge],
    ],
    operator,
  ),
  ...of(
    operators.rejectTicketRoute,
    [
      ["a new ticket", 200, aNew],
      ["an unknown one", 404, {}],
    ],
    operator,
  ),
  ...of(
    operators.postOperatorCommentRoute,
    [
      ["on a new ticket", 200, aNew],
      ["on a closed ticket", 409, { ticket: "Closed" }],
      ["on an unknown one", 404, {}],
      ["of an empty text", 422, { ...aNew, body: { text: "" } }],
    ],
    operator,
  ),
  ...of(
    operators.getOperatorTicketRoute,
    [
      ["a ticket", 200, aNew],
      ["an unknown one", 404, {}],
    ],
    { as: "platform" },
  ),
  ...of(
    operators.listQueueRoute,
    [
      ["all that is open", 200, {}],
      ["a filtered page", 200, { query: "?status=inprogress&partner=acme&priority=0&page=0" }],
      ...["status=Open", "priority=4", "priority=", "page=-1", "partner="].map((query): Row => [
        query,
        400,
        { query: `?${query}` },
      ]),
    ],
    { as: "platform" },
  ),
];

export const ticketCases: readonly TicketCase[] = [
  ...creations,
  ...updates,
  ...reads,
  ...uploads,
  ...comments,
  ...operations,
];
