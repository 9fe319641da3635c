/** Removes instances with all that belongs to them. */
import type { Pool } from "pg";

/** Small enough that no other transaction waits long for it. */
const batchSize = 1_000;

const removal = `
  with gone as (delete from durable.instance i where i.key = any($1) returning i.key, i.hub, i.id),
    history_out as (delete from durable.history h using gone g where h.key = g.key),
    activity_out as (delete from durable.activity a using gone g where a.key = g.key),
    message_out as (delete from durable.message m using gone g
      where m.hub = g.hub and m.instance_id = g.id)
  select count(*) as count from gone`;

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

/** Removes messages that a host stored just after their instance had ended, and then died over. */
export const removeStrayMessages = async (pool: Pool, hub: string): Promise<void> => {
  await pool.query(
    `delete from durable.message m where m.hub = $1 and not exists (
       select from durable.instance i
       where i.hub = m.hub and i.id = m.instance_id and i.completed_at is null)`,
    [hub],
  );
};

/** Removes what ended longer than `keepMs` ago, batch by batch. */
export const purgeFinished = async (pool: Pool, keepMs: number): Promise<number> => {
  for (let removed = 0; ;) {
    const { rows } = await pool.query<{ key: string }>(
      `select key from durable.instance where completed_at is not null
         and completed_at < now() - $1 * interval '1 ms' order by completed_at limit $2`,
      [keepMs, batchSize],
    );
    if (rows.length === 0) return removed;
    removed += await removeInstances(
      pool,
      rows.map(({ key }) => key),
    );
  }
};
