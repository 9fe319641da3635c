/** Every minute: expires operations and groups that nobody confirmed in time. */
import { app } from "@azure/functions";
import { expireDue } from "../../shared/database/operations/expiry.js";
import type { Services } from "../kit/services.js";

const atOnce = 500;

/** Page by page, each a transaction of its own, until nothing is due; resolves to how many ended. */
export const expireAllDue = async (
  { database }: Pick<Services, "database">,
  pageSize = atOnce,
): Promise<number> => {
  let expired = 0;
  for (;;) {
    const ended = await expireDue(database, pageSize);
    if (ended === 0) return expired;
    expired += ended;
  }
};

export const registerOperationExpiry = (services: Services): void => {
  app.timer("operationExpiry", {
    schedule: "30 * * * * *",
    handler: async () => {
      await expireAllDue(services);
    },
  });
};
