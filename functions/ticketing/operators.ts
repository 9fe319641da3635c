/** What the platform's operators see and do: the queue, a ticket, comments and moves. */
import * as routes from "../../shared/contracts/ticketing/operators.js";
import { addOperatorComment, operateTicket } from "../../shared/database/ticketing/changes.js";
import { findOperatorTicket, listQueue } from "../../shared/database/ticketing/operators.js";
import { operatorMoves, type OperatorMove } from "../../shared/domain/ticketing/status.js";
import { endpoint } from "../kit/endpoint.js";

const listQueueEndpoint = endpoint(
  routes.listQueueRoute,
  async ({ database }, { query, caller, ok }) => {
    const { partner, status, priority, page } = query;
    // An operator who acts for a partner sees that partner's queue.
    const partnerKey = partner ?? (caller.readsAll ? undefined : caller.partnerKey);
    return ok({ response: await listQueue(database, { status, priority, page, partnerKey }) });
  },
);

const getTicketEndpoint = endpoint(
  routes.getOperatorTicketRoute,
  async ({ database }, { params, ok, refuse }) => {
    const found = await findOperatorTicket(database, params.casenumber);
    return found.ok ? ok({ response: found.value }) : refuse(found);
  },
);

const postCommentEndpoint = endpoint(
  routes.postOperatorCommentRoute,
  async ({ database }, { params, body, caller, ok, refuse }) => {
    const commented = await addOperatorComment(database, caller, params.casenumber, body.text);
    return commented.ok ? ok({ response: "The comment was added." }) : refuse(commented);
  },
);

/** The moves' routes differ in nothing but their move. */
const moveEndpoint = (
  route:
    | typeof routes.takeInChargeRoute
    | typeof routes.askCustomerRoute
    | typeof routes.resumeTicketRoute
    | typeof routes.resolveTicketRoute
    | typeof routes.rejectTicketRoute,
  action: OperatorMove,
) =>
  endpoint(route, async ({ database }, { params, body, caller, ok, refuse }) => {
    const move = { ...operatorMoves[action], action, text: body.text };
    const moved = await operateTicket(database, caller, params.casenumber, move);
    return moved.ok ? ok({ response: moved.value }) : refuse(moved);
  });

export const ticketOperatorEndpoints = [
  listQueueEndpoint,
  getTicketEndpoint,
  postCommentEndpoint,
  moveEndpoint(routes.takeInChargeRoute, "takeInCharge"),
  moveEndpoint(routes.askCustomerRoute, "askCustomer"),
  moveEndpoint(routes.resumeTicketRoute, "resume"),
  moveEndpoint(routes.resolveTicketRoute, "resolve"),
  moveEndpoint(routes.rejectTicketRoute, "reject"),
];
