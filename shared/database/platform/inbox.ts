/** Messages that the broker's triggers have handled, by entity and message id: what comes again is known by it. */
import { z } from "zod";
import type { Queryable } from "./database.js";

export interface InboxEntry {
  /** The queue, or the topic with its subscription, as a path. */
  readonly entity: string;
  readonly messageId: string;
  /** SHA-256 of the body. */
  readonly bodyHash: Buffer;
}

const Kept = z.object({ isSame: z.boolean() });

/** `reused`: what was handled under this id had another body. */
export type InboxState = "unknown" | "handled" | "reused";

export const inboxState = async (
  database: Queryable,
  { entity, messageId, bodyHash }: InboxEntry,
): Promise<InboxState> => {
  const kept = await database.row(
    Kept,
    `select body_hash = $3 as "isSame" from borsello.inbox where entity = $1 and message_id = $2`,
    [entity, messageId, bodyHash],
  );
  if (kept === undefined) return "unknown";
  return kept.isSame ? "handled" : "reused";
};

/** False: meanwhile a message with another body was handled under the same id. */
export const noteHandled = async (
  database: Queryable,
  { entity, messageId, bodyHash }: InboxEntry,
): Promise<boolean> => {
  const noted = await database.row(Kept, `select borsello.note_handled($1, $2, $3) as "isSame"`, [
    entity,
    messageId,
    bodyHash,
  ]);
  if (noted === undefined) throw new Error("A function without a set gave no row.");
  return noted.isSame;
};

/** The number of entries removed that are so many days old: not more than `entriesMax` at once. */
export const forgetHandled = (
  database: Queryable,
  days: number,
  entriesMax: number,
): Promise<number> =>
  database.execute(
    `delete from borsello.inbox where ctid in (
       select ctid from borsello.inbox where handled_at < now() - make_interval(days => $1)
       order by handled_at limit $2 for update skip locked)`,
    [days, entriesMax],
  );
