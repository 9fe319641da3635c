/** Sweeps outbox and replays every ten seconds: sends what a crashed or sleeping instance left behind. */
import { app } from "@azure/functions";
import { markSequences } from "../../shared/database/outbox/replays.js";
import type { Services } from "../kit/services.js";

export const registerOutboxRelay = ({ database, relay, replayer, bus }: Services): void => {
  app.timer("outboxRelay", {
    schedule: "*/10 * * * * *",
    handler: async () => {
      replayer.nudge();
      await relay.sweep();
      await markSequences(database);
    },
  });
  app.hook.appTerminate(async () => {
    await Promise.all([relay.close(), replayer.close()]);
    await bus.close();
  });
};
