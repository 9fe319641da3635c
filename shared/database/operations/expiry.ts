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

const Pending = z.object({ operationGroupId: z.string() });

/** A flow starts with its group: who is without one after this time has lost it. */
const graceMinutes = 1;

/** Groups that should have a flow, in order of their ends; the latest of them last. */
export const pendingGroups = async (database: Queryable, groupsMax: number): Promise<string[]> => {
  const pending = await database.rows(
    Pending,
    `select operation_group_id as "operationGroupId" from borsello.operation_group
     where status = 'Initialized' and creation_date < borsello.platform_now() - $1::interval
     order by expiry_date limit $2`,
    [`${graceMinutes} minutes`, groupsMax],
  );
  return pending.map(({ operationGroupId }) => operationGroupId);
};
