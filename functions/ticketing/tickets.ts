/** Create tickets, and read them: one, a page, a wallet's, a timeline. */
import {
  createTicketRoute,
  getTicketRoute,
  getTimelineRoute,
  getWalletTicketsRoute,
  listTicketsRoute,
} from "../../shared/contracts/ticketing/tickets.js";
import {
  createTicket,
  findTicket,
  listTickets,
  listWalletTickets,
} from "../../shared/database/ticketing/tickets.js";
import { priorityOf } from "../../shared/domain/ticketing/priority.js";
import { refusal } from "../../shared/domain/outcome.js";
import { newCaseNumber } from "../../shared/platform/readable-codes.js";
import { endpoint } from "../kit/endpoint.js";

const createTicketEndpoint = endpoint(
  createTicketRoute,
  async ({ database }, { body, caller, ok, refuse }) => {
    const { ticketing } = caller.settings;
    if (!ticketing.enabled) return refuse(refusal("PartnerNotRegistered"));
    const { walletid, externalid, title = null, impact = null, ...rest } = body;
    const priority = priorityOf({ ...rest, impact });
    const created = await createTicket(database, caller, {
      ...rest,
      caseNumber: newCaseNumber(),
      walletId: walletid ?? null,
      externalId: externalid ?? null,
      title,
      impact,
      priority,
      slaHours: ticketing.slaHours[priority],
      silentDays: ticketing.silentDays,
      answerDays: ticketing.answerDays,
    });
    return created.ok
      ? ok({ Response: { message: "The ticket was created.", ...created.value } })
      : refuse(created);
  },
);

const listTicketsEndpoint = endpoint(
  listTicketsRoute,
  async ({ database }, { params, query, caller, ok, refuse }) => {
    if (!caller.settings.ticketing.enabled) return refuse(refusal("PartnerNotRegistered"));
    const { externalid: externalId, type, page } = query;
    const wanted = { status: params.status, type, externalId, page };
    return ok({ response: await listTickets(database, caller.partnerKey, wanted) });
  },
);

const getTicketEndpoint = endpoint(
  getTicketRoute,
  async ({ database }, { params, caller, ok, refuse }) => {
    const found = await findTicket(database, caller, params.casenumber);
    return found.ok ? ok({ response: found.value }) : refuse(found);
  },
);

const getWalletTicketsEndpoint = endpoint(
  getWalletTicketsRoute,
  async ({ database }, { params, caller, ok, refuse }) => {
    const found = await listWalletTickets(database, caller, params.walletid);
    return found.ok ? ok({ response: found.value }) : refuse(found);
  },
);

const getTimelineEndpoint = endpoint(
  getTimelineRoute,
  async ({ database, timelines }, { params, caller, okWritten, refuse }) => {
    const found = await timelines.read(database, caller, params.casenumber);
    return found.ok ? okWritten(`{"response":${found.value}}`) : refuse(found);
  },
);

export const ticketEndpoints = [
  createTicketEndpoint,
  listTicketsEndpoint,
  getTicketEndpoint,
  getWalletTicketsEndpoint,
  getTimelineEndpoint,
];
