/** Every five minutes: starts or wakes the flows of tickets whose date has passed without their deed. */
import { overdueTickets, type OverdueTicket } from "../../shared/database/ticketing/flow.js";
import { raise } from "../../shared/durable/flow-client.js";
import { ticketChanged, ticketSla, ticketSlaId } from "../../orchestrations/ticket-sla.flow.js";
import type { Services } from "../kit/services.js";
import { registerSweep, type FlowSweep } from "./sweep.js";

/** Tickets that the platform should have acted on; those whose flow is there only look again. */
export const ticketSweep = ({
  database,
}: Pick<Services, "database">): FlowSweep<OverdueTicket> => ({
  name: "ticketSweep",
  page: (after, ticketsMax) => overdueTickets(database, after, ticketsMax),
  placeOf: ({ place }) => place,
  startOf: ({ caseNumber }) => ({
    flow: ticketSla,
    instanceId: ticketSlaId(caseNumber),
    input: { caseNumber },
    restartAfter: ["completed", "failed"],
  }),
  wake: (client, { caseNumber }) => raise(client, ticketSlaId(caseNumber), ticketChanged, null),
});

export const registerTicketSweep = (services: Services): void => {
  registerSweep(services, { schedule: "30 */5 * * * *", sweep: ticketSweep(services) });
};
