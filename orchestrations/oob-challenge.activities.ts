/** What oobChallenge does: reads the challenge's clock, times it out. */
import type { Database } from "../shared/database/platform/database.js";
import {
  readChallengeClock,
  timeOutChallenge as timeOut,
} from "../shared/database/threeds/flow-state.js";
import { activity, type Activity } from "../shared/durable/register.js";
import { readChallenge, timeOutChallenge } from "./oob-challenge.flow.js";

const unknown = { status: "Unknown", expiresAt: null } as const;

export const oobChallengeActivities = (database: Database): readonly Activity[] => [
  activity(
    readChallenge,
    async ({ threeDsId }) => (await readChallengeClock(database, threeDsId)) ?? unknown,
  ),
  activity(timeOutChallenge, async ({ threeDsId }) => {
    await timeOut(database, threeDsId);
    return null;
  }),
];
