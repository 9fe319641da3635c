/** The end of what nobody confirmed in time: operations and groups, by the timer and by the flow of a group. */
import { z } from "zod";
import { operationGroupStatuses } from "../../contracts/operations/groups.js";
import type { Database, Queryable } from "../platform/database.js";

const Expired = z.object({ expired: z.int() });

/** Ends at most so many groups and so many operations whose time has passed; resolves to how many. */
export const expireDue = async (database: Database, atMost: number): Promise<number> => {
  const done = await database.command(Expired, "select borsello.expire_operations($1) as expired", [
    atMost,
  ]);
  return done?.expired ?? 0;
};

const GroupClock = z.object({ status: z.enum(operationGroupStatuses), expiresAt: z.string() });
export type GroupClock = z.output<typeof GroupClock>;

export const readGroupClock = (
  database: Queryable,
  operationGroupId: string,
): Promise<GroupClock | undefined> =>
  database.row(
    GroupClock,
    `select status, borsello.iso(expiry_date) as "expiresAt"
     from borsello.operation_group where operation_group_id = $1`,
    [operationGroupId],
  );

const GroupExpired = z.object({ expired: z.boolean() });

/** Does nothing where the group is over, or has time left. */
export const expireGroup = async (database: Database, operationGroupId: string): Promise<void> => {
  await database.command(GroupExpired, "select borsello.expire_group($1) as expired", [
    operationGroupId,
  ]);
};

const Pending = z.object({ operationGroupId: z.string(), place: z.string() });
export type PendingGroup = z.output<typeof Pending>;

/** A flow starts with its group: who is without one after this time has lost it. */
const graceMinutes = 1;

/** Groups that should have a flow, in order of their ends. */
export const pendingGroups = (
  database: Queryable,
  after: string | null,
  groupsMax: number,
): Promise<PendingGroup[]> =>
  database.rows(
    Pending,
    `select operation_group_id as "operationGroupId",
       json_build_array(expiry_date, operation_group_id)::text as place
     from borsello.operation_group
     where status = 'Initialized' and creation_date < borsello.platform_now() - $1::interval
       and ($2::json is null or (expiry_date, operation_group_id)
         > (($2::json ->> 0)::timestamptz, ($2::json ->> 1)::uuid))
     order by expiry_date, operation_group_id limit $3`,
    [`${graceMinutes} minutes`, after, groupsMax],
  );
