/** Every ten minutes: forgets the first answers of Idempotency-Keys whose time is over. */
import { app } from "@azure/functions";
import { forgetExpiredAnswers } from "../../shared/database/platform/kept-answers.js";
import type { Services } from "../kit/services.js";
import { untilNone } from "./pieces.js";

const answersPerRound = 1_000;

/** The number of answers forgotten. */
export const sweepKeptAnswers = ({ database }: Pick<Services, "database">): Promise<number> =>
  untilNone(() => forgetExpiredAnswers(database, answersPerRound));

export const registerKeptAnswerSweep = (services: Services): void => {
  app.timer("keptAnswerSweep", {
    schedule: "0 */10 * * * *",
    handler: async () => {
      await sweepKeptAnswers(services);
    },
  });
};
