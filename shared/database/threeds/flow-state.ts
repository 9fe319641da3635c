/** What the flow of a challenge looks up and does, and which challenges should have one. */
import { z } from "zod";
import { threeDsStatuses } from "../../domain/threeds/statuses.js";
import type { Database, Queryable } from "../platform/database.js";
import { resolveChallenge } from "./transactions.js";

const Clock = z.object({ status: z.enum(threeDsStatuses), expiresAt: z.string().nullable() });
export type ChallengeClock = z.output<typeof Clock>;

/** Undefined: its record was removed. */
export const readChallengeClock = (
  database: Queryable,
  threeDsId: string,
): Promise<ChallengeClock | undefined> =>
  database.row(
    Clock,
    `select status, borsello.iso(expires_at) as "expiresAt"
     from borsello.threeds_transaction where threeds_id = $1`,
    [threeDsId],
  );

/** Does nothing where the challenge is over, or has time left. */
export const timeOutChallenge = (database: Database, threeDsId: string): Promise<boolean> =>
  database.transaction((tx) => resolveChallenge(tx, threeDsId, "TimedOut", null, "platform"));

const Open = z.object({ threeDsId: z.string(), place: z.string() });
export type OpenChallenge = z.output<typeof Open>;

/** A flow starts with its challenge: who is without one after this time has lost it. */
const graceMinutes = 1;

/** Challenges that should have a flow, in order of their raises. */
export const openChallenges = (
  database: Queryable,
  after: string | null,
  challengesMax: number,
): Promise<OpenChallenge[]> =>
  database.rows(
    Open,
    `select threeds_id as "threeDsId", json_build_array(raised_at, threeds_id)::text as place
     from borsello.threeds_transaction
     where status = 'OobRaised' and raised_at < borsello.platform_now() - $1::interval
       and ($2::json is null or (raised_at, threeds_id)
         > (($2::json ->> 0)::timestamptz, ($2::json ->> 1)::uuid))
     order by raised_at, threeds_id limit $3`,
    [`${graceMinutes} minutes`, after, challengesMax],
  );
