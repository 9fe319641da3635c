/** Sweeps the outbox every ten seconds: sends what a crashed or sleeping instance left behind. */
import { app } from "@azure/functions";
import type { Services } from "../kit/services.js";

export const registerOutboxRelay = ({ relay, bus }: Services): void => {
  app.timer("outboxRelay", {
    schedule: "*/10 * * * * *",
    handler: () => relay.sweep(),
  });
  app.hook.appTerminate(async () => {
    await relay.close();
    await bus.close();
  });
};
