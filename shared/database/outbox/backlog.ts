/** How far the relay is behind: what still waits in the outbox, and since when. */
import { z } from "zod";
import type { Queryable } from "../platform/database.js";

const backlogRow = z.object({
  waiting: z.int(),
  oldestSeconds: z.number().nullable(),
});
export type OutboxBacklog = z.output<typeof backlogRow>;

/** Counted up to ten thousand, so that a large backlog does not make the question slow. */
const selectBacklog = `
  select count(*)::int as waiting,
    greatest(round(extract(epoch from clock_timestamp() - min(created_at)), 1), 0)::float8
      as "oldestSeconds"
  from (select created_at from borsello.outbox where sent_at is null
        order by outbox_id limit 10000) as first`;

export const outboxBacklog = async (database: Queryable): Promise<OutboxBacklog> => {
  const found = await database.row(backlogRow, selectBacklog);
  if (found === undefined) throw new Error("an aggregate without groups gave no row");
  return found;
};
