/** The seven states of a ticket, their two spellings, and who may move a ticket where. */

/** As JSON writes them. */
export const ticketStatuses = [
  "New",
  "In progress",
  "WaitingForCustomer",
  "Resolved",
  "Closed",
  "Canceled",
  "Rejected",
] as const;
export type TicketStatus = (typeof ticketStatuses)[number];

/** As paths, queries and the body of a status update write it. */
export type UrlForm = Exclude<TicketStatus, "In progress"> | "InProgress";

export const urlForm = (status: TicketStatus): UrlForm =>
  status === "In progress" ? "InProgress" : status;

const byUrlForm = new Map(ticketStatuses.map((status) => [urlForm(status).toLowerCase(), status]));

/** The state that a URL names, in any case; undefined: none. */
export const statusOfUrl = (text: string): TicketStatus | undefined =>
  byUrlForm.get(text.toLowerCase());

/** From where a partner may move a ticket to this state; an empty list: nothing leads there. */
export const partnerMoves: Readonly<Record<TicketStatus, readonly TicketStatus[]>> = {
  New: [],
  "In progress": [],
  WaitingForCustomer: [],
  Resolved: [],
  Closed: ["Resolved"],
  Canceled: ["New", "In progress", "WaitingForCustomer"],
  Rejected: [],
};

export interface Move {
  readonly from: readonly TicketStatus[];
  readonly to: TicketStatus;
}

/** What the platform's operators do with a ticket. */
export const operatorMoves = {
  takeInCharge: { from: ["New"], to: "In progress" },
  askCustomer: { from: ["In progress"], to: "WaitingForCustomer" },
  resume: { from: ["WaitingForCustomer"], to: "In progress" },
  resolve: { from: ["In progress", "WaitingForCustomer"], to: "Resolved" },
  reject: { from: ["New", "In progress", "WaitingForCustomer"], to: "Rejected" },
} as const satisfies Readonly<Record<string, Move>>;
export type OperatorMove = keyof typeof operatorMoves;

/** A comment of the partner's takes the ticket up again. */
export const reopenedByComment: readonly TicketStatus[] = ["WaitingForCustomer", "Resolved"];

/** What somebody still has to work on, or to answer. */
export const openStatuses: readonly TicketStatus[] = ["New", "In progress", "WaitingForCustomer"];

/** Nothing is added to a ticket that is over. */
export const finalStatuses: readonly TicketStatus[] = ["Closed", "Canceled", "Rejected"];
