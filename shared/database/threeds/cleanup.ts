/** The end of records that are past their retention; those of open challenges wait for their results. */
import { z } from "zod";
import type { Queryable } from "../platform/database.js";

/** Removes at most so many that were begun before then; resolves to how many. */
export const forgetThreeDs = (
  tx: Queryable,
  partnerKey: string,
  before: Date,
  recordsMax: number,
): Promise<number> =>
  tx.execute(
    `delete from borsello.threeds_transaction where threeds_id = any(array(
       select threeds_id from borsello.threeds_transaction
       where partner_key = $1 and creation_date < $2 and status <> 'OobRaised'
       order by creation_date limit $3 for update skip locked))`,
    [partnerKey, before, recordsMax],
  );

const Due = z.object({ isDue: z.boolean() });

/** Whether there is anything to remove. */
export const isThreeDsToForget = async (
  database: Queryable,
  partnerKey: string,
  retentionDays: number,
): Promise<boolean> => {
  const due = await database.row(
    Due,
    `select exists (
       select from borsello.threeds_transaction
       where partner_key = $1 and status <> 'OobRaised'
         and creation_date < borsello.platform_now() - make_interval(days => $2)) as "isDue"`,
    [partnerKey, retentionDays],
  );
  return due?.isDue === true;
};
