/** How far the relay is behind: what still waits in the outbox, since when, and where it cannot go. */
import { z } from "zod";
import type { Queryable } from "../platform/database.js";

const Line = z.object({
  /** Where its messages have yet to go. */
  towards: z.array(z.string()),
  /** Whether one of these is the platform's own, no partner's topic. */
  isOwn: z.boolean(),
  oldestSeconds: z.number(),
});
export type BacklogLine = z.output<typeof Line>;

const Backlog = z.object({
  waiting: z.int(),
  /** Of each place that messages have yet to go to, the oldest first; a hundred at most. */
  lines: z.array(Line),
  /** Messages that a place refuses and that are tried again, or were given up on; a hundred places at most. */
  refused: z.array(z.object({ destination: z.string(), retried: z.int(), givenUp: z.int() })),
});
export type OutboxBacklog = z.output<typeof Backlog>;

/** Counted up to ten thousand, so that a large backlog does not make the question slow. */
const selectBacklog = `
  select (
      select count(*)::int from (
        (select from borsello.outbox where sent_at is null and not held
        order by session_id, outbox_id limit 10000)
        union all
        (select from borsello.outbox where sent_at is null and held
        order by session_id, outbox_id limit 10000)
        limit 10000) as first
    ) as waiting,
    coalesce((
      select json_agg(json_build_object('towards', towards,
          'isOwn', exists (
            select unnest(towards) except select partner_key from borsello.partner),
          'oldestSeconds', greatest(round(extract(epoch from clock_timestamp() - created_at), 1), 0))
        order by outbox_id)
      from (
        select line.towards, outbox.outbox_id, outbox.created_at
        from borsello.outbox_line as line join borsello.outbox on outbox_id = first_id
        order by outbox_id limit 100) as oldest
    ), '[]') as lines,
    coalesce((
      select json_agg(refused)
      from (
        select destination, count(*) filter (where given_up_at is null) as retried,
          count(given_up_at) as "givenUp"
        from borsello.held_message group by destination order by destination limit 100) as refused
    ), '[]') as refused`;

export const outboxBacklog = async (database: Queryable): Promise<OutboxBacklog> => {
  const found = await database.row(Backlog, selectBacklog);
  if (found === undefined) throw new Error("an aggregate without groups gave no row");
  return found;
};
