/** Each morning: clears the day; every five minutes: clearings whose flow was lost go on. */
import { app } from "@azure/functions";
import { openClearings, type OpenClearing } from "../../shared/database/clearing/flow-state.js";
import { queueDaily } from "../../shared/database/clearing/requests.js";
import { romeToday } from "../../shared/database/platform/platform-time.js";
import { clearingStart } from "../../orchestrations/clearing.flow.js";
import type { Services } from "../kit/services.js";
import { registerSweep, type FlowSweep } from "./sweep.js";

export const clearDaily = async ({
  database,
  config,
}: Pick<Services, "database" | "config">): Promise<void> => {
  const { issuer: issuerKey } = config.card;
  await queueDaily(database, { issuerKey, clearingDate: await romeToday(database) });
};

export const clearingSweep = ({
  database,
}: Pick<Services, "database">): FlowSweep<OpenClearing> => ({
  name: "clearingSweep",
  page: (after, limit) => openClearings(database, after, limit),
  placeOf: ({ clearingBookmarkId }) => clearingBookmarkId,
  startOf: clearingStart,
});

export const registerClearing = (services: Services): void => {
  app.timer("clearingTimer", {
    schedule: "0 0 6 * * *",
    handler: () => clearDaily(services),
  });
  registerSweep(services, { schedule: "15 */5 * * * *", sweep: clearingSweep(services) });
};
