/** Comments on tickets, and their changes of status by partners and by the platform's operators. */
import {
  askCustomerRoute,
  postCommentRoute,
  rejectTicketRoute,
  resolveTicketRoute,
  takeInChargeRoute,
  updateStatusBodyRoute,
  updateStatusPathRoute,
} from "../../shared/contracts/ticketing/changes.js";
import { UrlStatus } from "../../shared/contracts/ticketing/fields.js";
import type { TicketDetail } from "../../shared/contracts/ticketing/tickets.js";
import {
  addComment,
  operateTicket,
  updateTicketStatus,
  type TicketActor,
} from "../../shared/database/ticketing/changes.js";
import type { Database } from "../../shared/database/platform/database.js";
import { refusal, type Outcome } from "../../shared/domain/outcome.js";
import {
  operatorMoves,
  partnerMoves,
  type OperatorMove,
  type TicketStatus,
} from "../../shared/domain/ticketing/status.js";
import { issueSentence } from "../../shared/http/schema-issues.js";
import { endpoint } from "../kit/endpoint.js";

const postCommentEndpoint = endpoint(
  postCommentRoute,
  async ({ database }, { params, body, caller, ok, refuse }) => {
    const commented = await addComment(database, caller, params.casenumber, body.text);
    return commented.ok ? ok({ response: "The comment was added." }) : refuse(commented);
  },
);

interface StatusUpdate {
  readonly caseNumber: string;
  readonly to: TicketStatus;
  readonly closingResponse: string | null | undefined;
}

const updateStatus = async (
  database: Database,
  caller: TicketActor,
  { caseNumber, to, closingResponse }: StatusUpdate,
): Promise<
  Outcome<TicketDetail, "TicketNotFound" | "TicketTransitionInvalid" | "ValidationFailed">
> => {
  const move = { from: partnerMoves[to], to };
  if (to !== "Closed") return updateTicketStatus(database, caller, caseNumber, move);
  if (closingResponse == null || closingResponse.trim() === "")
    return refusal("ValidationFailed", {
      closingResponse: "is required where a ticket is closed.",
    });
  const closureResponse = closingResponse;
  return updateTicketStatus(database, caller, caseNumber, { ...move, closureResponse });
};

const answerOf = ({ status }: TicketDetail) => ({ Response: `The ticket is now ${status}.` });

const updateStatusPathEndpoint = endpoint(
  updateStatusPathRoute,
  async ({ database }, { params, body, caller, ok, refuse }) => {
    // Not in the route's schema: what is wrong with this parameter is 422 here, and not 400.
    const to = UrlStatus.safeParse(params.newStatus);
    if (!to.success)
      return refuse(refusal("TicketStatusUnknown", { newStatus: issueSentence(to.error.issues) }));
    const updated = await updateStatus(database, caller, {
      caseNumber: params.casenumber,
      to: to.data,
      closingResponse: body?.closingResponse,
    });
    return updated.ok ? ok(answerOf(updated.value)) : refuse(updated);
  },
);

const updateStatusBodyEndpoint = endpoint(
  updateStatusBodyRoute,
  async ({ database }, { params, body, caller, ok, refuse }) => {
    const updated = await updateStatus(database, caller, {
      caseNumber: params.casenumber,
      to: body.status,
      closingResponse: body.closingResponse,
    });
    return updated.ok ? ok(answerOf(updated.value)) : refuse(updated);
  },
);

/** The operators' routes differ in nothing but their move. */
const operatorEndpoint = (
  route:
    | typeof takeInChargeRoute
    | typeof askCustomerRoute
    | typeof resolveTicketRoute
    | typeof rejectTicketRoute,
  action: OperatorMove,
) =>
  endpoint(route, async ({ database }, { params, body, caller, ok, refuse }) => {
    const move = { ...operatorMoves[action], action, text: body.text };
    const moved = await operateTicket(database, caller, params.casenumber, move);
    return moved.ok ? ok({ response: moved.value }) : refuse(moved);
  });

export const ticketChangeEndpoints = [
  postCommentEndpoint,
  updateStatusPathEndpoint,
  updateStatusBodyEndpoint,
  operatorEndpoint(takeInChargeRoute, "takeInCharge"),
  operatorEndpoint(askCustomerRoute, "askCustomer"),
  operatorEndpoint(resolveTicketRoute, "resolve"),
  operatorEndpoint(rejectTicketRoute, "reject"),
];
