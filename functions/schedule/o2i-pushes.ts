/** Every ten seconds: affiliates are told what they must still be told, such as reversals of late approvals. */
import { app } from "@azure/functions";
import type { Services } from "../kit/services.js";

export const registerO2iPushes = ({ affiliates }: Services): void => {
  app.timer("o2iPushes", {
    schedule: "*/10 * * * * *",
    handler: () => affiliates.tellDue(),
  });
};
