/** Removes instances with all that belongs to them. */
import type { Pool } from "pg";
import { withTimeout } from "./time-limit.js";
import { keptCondition } from "./unread-messages.js";

/** Small enough that no other transaction waits long for it. */
const batchSize = 1_000;

/** A batch takes milliseconds, finding it seconds among millions; a database that takes longer is away. */
const batchTimeoutMs = 30_000;

/**
 * An orchestration that was rewound since it was found, and so is open again, stays. So does an entity that
 * is locked, or for which something waits: it loses its state alone, and neither its holder nor its callers.
 */
const isWanted = `(i.entity_lock is not null or exists (select from durable.message m
  where m.hub = i.hub and m.instance_id = i.id))`;
const removal = `
  with gone as (delete from durable.instance i
      where i.key = any($1)
        and case i.kind when 'entity' then not ${isWanted} else i.completed_at is not null end
      returning i.key, i.hub, i.id),
    emptied as (update durable.instance i
      set entity_state = null, custom_status = '{}', epoch = epoch + 1
      where i.key = any($1) and i.kind = 'entity' and ${isWanted} returning i.key),
    history_out as (delete from durable.history h using gone g where h.key = g.key),
    activity_out as (delete from durable.activity a using gone g where a.key = g.key),
    aside_out as (delete from durable.set_aside a using gone g
      where a.hub = g.hub and a.instance_id = g.id),
    message_out as (delete from durable.message m using gone g
      where m.hub = g.hub and m.instance_id = g.id)
  select (select count(*) from gone) + (select count(*) from emptied) as count`;

/** Resolves to how many there were. */
export const removeInstances = async (pool: Pool, keys: readonly string[]): Promise<number> => {
  let removed = 0;
  for (let index = 0; index < keys.length; index += batchSize) {
    const batch = keys.slice(index, index + batchSize);
    const { rows } = await pool.query<{ count: string }>(removal, [batch]);
    removed += Number(rows[0]?.count);
  }
  return removed;
};

/** Removes what processes of long ago left of their writes: none of these is tried again. */
export const removeOldWriters = async (pool: Pool): Promise<void> => {
  await pool.query("delete from durable.writer where at < now() - interval '1 day'");
};

/** Removes messages that a host stored just after their instance had ended, and then died over. */
export const removeStrayMessages = async (pool: Pool, hub: string): Promise<void> => {
  await pool.query(
    `delete from durable.message m where m.hub = $1 and not exists (
       select from durable.instance i
       where i.hub = m.hub and i.id = m.instance_id
         and (i.completed_at is null or ${keptCondition("i.status", "m.type")}))`,
    [hub],
  );
};

/**
 * Removes what has ended and meets the condition, whose values are $4 and on. Batch by batch, so
 * that memory holds few keys, however many there are.
 */
const removeFinished = async (
  pool: Pool,
  condition: string,
  values: readonly unknown[],
): Promise<number> => {
  let removed = 0;
  for (let after = { ended: "-infinity", key: "0" }; ;) {
    // As text, because a Date would cut the microseconds off.
    const found = pool.query<{ key: string; ended: string }>(
      `select key, completed_at::text as ended from durable.instance
       where completed_at is not null and (completed_at, key) > ($1::timestamptz, $2::bigint)
         and ${condition} order by completed_at, key limit $3`,
      [after.ended, after.key, batchSize, ...values],
    );
    const { rows } = await withTimeout(batchTimeoutMs, found);
    const last = rows.at(-1);
    if (last === undefined) return removed;
    after = last;
    const keys = rows.map(({ key }) => key);
    removed += await withTimeout(batchTimeoutMs, removeInstances(pool, keys));
  }
};

/** Removes what ended longer than `keepMs` ago. */
export const purgeFinished = async (pool: Pool, keepMs: number): Promise<number> =>
  removeFinished(pool, "completed_at < now() - $4 * interval '1 ms'", [keepMs]);

export interface PurgeFilter {
  readonly hub: string;
  readonly statuses: readonly string[];
  /** Of their creation, both included; PostgreSQL's text forms count, such as infinity. */
  readonly from: Date | string;
  readonly to: Date | string;
}

export const purgeMatching = async (
  pool: Pool,
  { hub, statuses, from, to }: PurgeFilter,
): Promise<number> =>
  removeFinished(pool, "hub = $4 and status = any($5) and created_at >= $6 and created_at <= $7", [
    hub,
    statuses,
    from,
    to,
  ]);
