/** Every minute: gives up requests of the card network whose asker was killed. */
import { app } from "@azure/functions";
import { endLost } from "../../shared/database/authorisations/lost.js";
import type { Services } from "../kit/services.js";
import { untilNone } from "./pieces.js";

const atOnce = 200;

export const registerLostAuthorisations = ({ database }: Services): void => {
  app.timer("lostAuthorisations", {
    schedule: "15 * * * * *",
    handler: async () => {
      await untilNone(() => endLost(database, atOnce));
    },
  });
};
