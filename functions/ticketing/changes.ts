/** Partners' comments on their tickets, and their changes of status. */
import {
  postCommentRoute,
  updateStatusBodyRoute,
  updateStatusPathRoute,
} from "../../shared/contracts/ticketing/changes.js";
import { UrlStatus } from "../../shared/contracts/ticketing/fields.js";
import type { TicketDetail } from "../../shared/contracts/ticketing/tickets.js";
import {
  addComment,
  updateTicketStatus,
  type TicketActor,
} from "../../shared/database/ticketing/changes.js";
import type { Database } from "../../shared/database/platform/database.js";
import { refusal, type Outcome } from "../../shared/domain/outcome.js";
import { partnerMoves, type TicketStatus } from "../../shared/domain/ticketing/status.js";
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
  Outcome<
    Pick<TicketDetail, "status">,
    "TicketNotFound" | "TicketTransitionInvalid" | "ValidationFailed"
  >
> => {
  const isSaid = closingResponse != null && closingResponse.trim() !== "";
  if (to === "Closed" && !isSaid)
    return refusal("ValidationFailed", {
      closingResponse: "is required where a ticket is closed.",
    });
  const text = isSaid ? closingResponse : null;
  return updateTicketStatus(database, caller, caseNumber, { from: partnerMoves[to], to, text });
};

const answerOf = ({ status }: Pick<TicketDetail, "status">) => ({
  Response: `The ticket is now ${status}.`,
});

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

export const ticketChangeEndpoints = [
  postCommentEndpoint,
  updateStatusPathEndpoint,
  updateStatusBodyEndpoint,
];
