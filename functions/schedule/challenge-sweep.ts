/** Every five minutes: starts the flows anew of open challenges that have lost theirs. */
import { openChallenges, type OpenChallenge } from "../../shared/database/threeds/flow-state.js";
import { oobChallengeStart } from "../../orchestrations/oob-challenge.flow.js";
import type { Services } from "../kit/services.js";
import { registerSweep, type FlowSweep } from "./sweep.js";

/** Challenges that nobody has answered. */
export const challengeSweep = ({
  database,
}: Pick<Services, "database">): FlowSweep<OpenChallenge> => ({
  name: "challengeSweep",
  page: (after, challengesMax) => openChallenges(database, after, challengesMax),
  placeOf: ({ place }) => place,
  startOf: oobChallengeStart,
});

export const registerChallengeSweep = (services: Services): void => {
  registerSweep(services, { schedule: "50 */5 * * * *", sweep: challengeSweep(services) });
};
