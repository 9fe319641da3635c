/** Every night: disables mandates that were not used for thirty-six months. */
import { app } from "@azure/functions";
import { lapseUnusedMandates } from "../../shared/database/mandates/outcomes.js";
import type { Services } from "../kit/services.js";

const atOnce = 500;

export const registerMandateLapse = (services: Services): void => {
  app.timer("mandateLapse", {
    schedule: "0 30 3 * * *",
    handler: async () => {
      // Page by page, each a transaction of its own, until none is left.
      while ((await lapseUnusedMandates(services.database, atOnce)) > 0);
    },
  });
};
