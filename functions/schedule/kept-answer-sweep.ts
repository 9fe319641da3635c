/** Every ten minutes: forgets the first answers of Idempotency-Keys whose time is over. */
import { app } from "@azure/functions";
import { forgetExpiredAnswers } from "../../shared/database/platform/kept-answers.js";
import type { Services } from "../kit/services.js";

const answersPerRound = 1_000;

/** The number of answers forgotten. */
export const sweepKeptAnswers = async ({
  database,
}: Pick<Services, "database">): Promise<number> => {
  let forgotten = 0;
  for (;;) {
    const inRound = await forgetExpiredAnswers(database, answersPerRound);
    forgotten += inRound;
    if (inRound < answersPerRound) return forgotten;
  }
};

export const registerKeptAnswerSweep = (services: Services): void => {
  app.timer("keptAnswerSweep", {
    schedule: "0 */10 * * * *",
    handler: async () => {
      await sweepKeptAnswers(services);
    },
  });
};
