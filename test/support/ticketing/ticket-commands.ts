/** The table of a ticket's commands: what each leaves of a ticket in each state, and who may give it. */
import type { Route } from "../../../shared/contracts/route.js";
import { postAttachmentRoute } from "../../../shared/contracts/ticketing/attachments.js";
import * as changes from "../../../shared/contracts/ticketing/changes.js";
import * as operators from "../../../shared/contracts/ticketing/operators.js";
import { ticketStatuses, type TicketStatus } from "../../../shared/domain/ticketing/status.js";

type Outcome = TicketStatus | 409 | 422;

export interface Command {
  readonly of: "partner" | "operator";
  readonly route: Route;
  readonly call: {
    readonly params?: Readonly<Record<string, string>>;
    readonly query?: string;
    readonly body?: unknown;
    readonly bytes?: string;
  };
  /** The state that it leaves, or the refusal, in the order of `ticketStatuses`. */
  readonly outcomes: readonly Outcome[];
}

const become = (newStatus: string): Pick<Command, "of" | "route" | "call"> => ({
  of: "partner",
  route: changes.updateStatusPathRoute,
  call: { params: { newStatus }, body: { closingResponse: "Grazie" } },
});
const never: readonly Outcome[] = ticketStatuses.map(() => 422);
const text = { body: { text: "Un operatore" } };
const move = (route: Route, ...outcomes: readonly Outcome[]): Command => ({
  ...{ of: "operator", route, outcomes },
  call: text,
});
const inProgress = "In progress";
const waiting = "WaitingForCustomer";

/** Contract 4.5, written out once more: New, In progress, WaitingForCustomer, Resolved, then what is over. */
export const ticketCommands: Readonly<Record<string, Command>> = {
  "to New": { ...become("New"), outcomes: never },
  "to InProgress": { ...become("InProgress"), outcomes: never },
  "to WaitingForCustomer": { ...become("WaitingForCustomer"), outcomes: never },
  "to Resolved": { ...become("Resolved"), outcomes: never },
  "to Rejected": { ...become("Rejected"), outcomes: never },
  cancel: {
    ...become("Canceled"),
    outcomes: ["Canceled", "Canceled", "Canceled", 422, 422, 422, 422],
  },
  close: { ...become("Closed"), outcomes: [422, 422, 422, "Closed", 422, 422, 422] },
  comment: {
    ...{ of: "partner", route: changes.postCommentRoute, call: text },
    outcomes: ["New", inProgress, inProgress, inProgress, 409, 409, 409],
  },
  attach: {
    ...{ of: "partner", route: postAttachmentRoute },
    call: { query: "?filename=a.txt", bytes: "Buongiorno" },
    outcomes: ["New", inProgress, waiting, "Resolved", 409, 409, 409],
  },
  takeincharge: move(operators.takeInChargeRoute, inProgress, 422, 422, 422, 422, 422, 422),
  askcustomer: move(operators.askCustomerRoute, 422, waiting, 422, 422, 422, 422, 422),
  resume: move(operators.resumeTicketRoute, 422, 422, inProgress, 422, 422, 422, 422),
  resolve: move(operators.resolveTicketRoute, 422, "Resolved", "Resolved", 422, 422, 422, 422),
  reject: move(operators.rejectTicketRoute, "Rejected", "Rejected", "Rejected", 422, 422, 422, 422),
  "operator's comment": {
    ...{ of: "operator", route: operators.postOperatorCommentRoute, call: text },
    outcomes: ["New", inProgress, waiting, "Resolved", 409, 409, 409],
  },
};

/** What the contract says, whoever calls: partners see their own, and only operators operate. */
export const expectedOf = (
  { of, outcomes }: Command,
  actor: string,
  from: TicketStatus,
): Outcome | 403 | 404 => {
  const outcome = outcomes[ticketStatuses.indexOf(from)] ?? 422;
  if (of === "operator") return actor === "platform" ? outcome : 403;
  if (actor === "platform") return 403;
  return actor === "acme" ? outcome : 404;
};
