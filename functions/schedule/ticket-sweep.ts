/** Every five minutes: starts or wakes the flows of tickets whose date has passed without their deed. */
import type { Timer } from "@azure/functions";
import { app, type DurableClient } from "durable-functions";
import { overdueTickets } from "../../shared/database/ticketing/flow.js";
import { raise, startOnce, type FlowClient } from "../../shared/durable/flow-client.js";
import { ticketChanged, ticketSla, ticketSlaId } from "../../orchestrations/ticket-sla.flow.js";
import type { Services } from "../kit/services.js";

const ticketsPerSweep = 500;

/** Resolves to the instances that were started; the others are there and only look again. */
export const sweepTickets = async (
  { database }: Pick<Services, "database">,
  client: FlowClient,
): Promise<readonly string[]> => {
  const started: string[] = [];
  for (const caseNumber of await overdueTickets(database, ticketsPerSweep)) {
    const instanceId = ticketSlaId(caseNumber);
    const restartAfter = ["completed", "failed"] as const;
    const start = { flow: ticketSla, instanceId, input: { caseNumber }, restartAfter };
    if (await startOnce(client, start)) started.push(instanceId);
    else await raise(client, instanceId, ticketChanged, null);
  }
  return started;
};

export const registerTicketSweep = (services: Services): void => {
  app.client.timer("ticketSweep", {
    schedule: "30 */5 * * * *",
    handler: async (_timer: Timer, client: DurableClient) => {
      const started = await sweepTickets(services, client);
      if (started.length > 0)
        services.logger.warn("Flows of tickets were started anew.", { started });
    },
  });
};
