/** Tells which orchestrations that ask for a lock, or hold one, are still there to give it back. */
import type { Pool } from "pg";

/** One execution of an orchestration, after so many rewinds. */
export interface LockHolder {
  readonly parent: string;
  readonly parentExecution: string;
  readonly rewinds: number;
}

/** One boolean for each: false where it has ended, or has started over or been rewound since. */
export const areOpen = async (
  pool: Pool,
  hub: string,
  holders: readonly LockHolder[],
): Promise<boolean[]> => {
  const { rows } = await pool.query<{ number: string }>(
    `select h.number from unnest($2::text[], $3::text[], $4::int[])
         with ordinality as h(id, execution_id, rewinds, number)
       join durable.instance i on i.hub = $1 and i.id = h.id
         and i.execution_id = h.execution_id and i.rewinds = h.rewinds
     where i.completed_at is null`,
    [
      hub,
      holders.map(({ parent }) => parent),
      holders.map(({ parentExecution }) => parentExecution),
      holders.map(({ rewinds }) => rewinds),
    ],
  );
  const open = new Set(rows.map(({ number }) => Number(number)));
  return holders.map((_holder, index) => open.has(index + 1));
};
