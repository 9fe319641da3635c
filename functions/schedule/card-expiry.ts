/** Every hour: lets the cards expire whose month is over, so soon after it as midnight in Rome is passed. */
import { app } from "@azure/functions";
import { expireCards } from "../../shared/database/card/expiry.js";
import type { Services } from "../kit/services.js";
import { untilNone } from "./pieces.js";

const atOnce = 500;

/** Page by page, each a transaction of its own; resolves to how many expired. */
export const expireAllCards = (
  { database }: Pick<Services, "database">,
  pageSize = atOnce,
): Promise<number> => untilNone(() => expireCards(database, pageSize));

export const registerCardExpiry = (services: Services): void => {
  app.timer("cardExpiry", {
    schedule: "0 5 * * * *",
    handler: async () => {
      await expireAllCards(services);
    },
  });
};
