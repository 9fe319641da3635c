/** The bookmark's row: the one lock of everything that happens to its day, and the steps of its states. */
import { z } from "zod";
import {
  bookmarkStatuses,
  clearingModes,
  trySeconds,
  type BookmarkStatus,
} from "../../domain/clearing/bookmark-states.js";
import type { Queryable } from "../platform/database.js";

const LockedBookmark = z.object({
  clearingBookmarkId: z.string(),
  issuerKey: z.string(),
  clearingDate: z.string(),
  status: z.enum(bookmarkStatuses),
  mode: z.enum(clearingModes),
  affiliateKeys: z.array(z.string()).nullable(),
  isResting: z.boolean(),
  round: z.int(),
  attempts: z.int(),
  /** Queued, and its time has come. */
  isDue: z.boolean(),
  /** Both of the processor's files are there and all of their records taken over. */
  isImported: z.boolean(),
});
export type LockedBookmark = z.output<typeof LockedBookmark>;

export const bookmarkColumns = `clearing_bookmark_id as "clearingBookmarkId", issuer_key as "issuerKey",
  clearing_date::text as "clearingDate", status, mode, affiliate_keys as "affiliateKeys",
  is_resting as "isResting", round, attempts,
  status = 'Queued' and due_at <= borsello.platform_now() as "isDue",
  2 = (select count(*) from borsello.incoming_clearing as i
    where i.clearing_bookmark_id = clearing_bookmark.clearing_bookmark_id and deletion_date is null
      and is_verified and imported_records = records_in_file) as "isImported"`;

const lock = `
  select clearing_bookmark_id from borsello.clearing_bookmark
  where clearing_bookmark_id = $1 for no key update`;

/** What is read of other tables is read after the lock, so as to see what it made this one wait for. */
export const lockBookmark = async (
  tx: Queryable,
  clearingBookmarkId: string,
): Promise<LockedBookmark | undefined> => {
  if ((await tx.execute(lock, [clearingBookmarkId])) === 0) return undefined;
  return tx.row(
    LockedBookmark,
    `select ${bookmarkColumns} from borsello.clearing_bookmark where clearing_bookmark_id = $1`,
    [clearingBookmarkId],
  );
};

/** What a step sets besides the status. */
interface Change {
  readonly actor?: string;
  readonly feedback?: string | null;
  /** Queued: so many seconds it waits. */
  readonly waitSeconds?: number;
  readonly isResting?: boolean;
}

/** `attempts` counts each beginning of the import; a round's ends are kept until the next one begins. */
const step = `
  with moved as (
    update borsello.clearing_bookmark set status = $2, is_resting = $5,
      feedback = case when $3::text is not null then $3 when $2 in ('Completed') then null else feedback end,
      attempts = attempts + ($2 = 'Importing')::integer,
      start_date = case $2 when 'Importing' then borsello.platform_now() else start_date end,
      end_date = case when $2 in ('Completed', 'Failed') then borsello.platform_now() end,
      due_at = borsello.platform_now() + make_interval(secs => $4),
      last_update_date = borsello.platform_now(), version = version + 1
    where clearing_bookmark_id = $1 returning *
  )
  select borsello.record_clearing_change(moved, $6, $7, $8) from moved`;

/** A guarded step: the caller holds the row and has looked at it. */
export const moveBookmark = async (
  tx: Queryable,
  { clearingBookmarkId, status }: LockedBookmark,
  to: BookmarkStatus,
  action: string,
  { actor = "clearing", feedback = null, waitSeconds = 0, isResting = false }: Change = {},
): Promise<void> => {
  await tx.execute(step, [
    ...[clearingBookmarkId, to, feedback, waitSeconds, isResting, actor, action, status],
  ]);
};

/** Of what no other try would mend: it waits for somebody who looks at it. */
export const failForGood = (
  tx: Queryable,
  bookmark: LockedBookmark,
  feedback: string,
): Promise<void> => moveBookmark(tx, bookmark, "Failed", "fail", { feedback });

/** Another try follows after its time, as long as there is one. */
export const failTry = (
  tx: Queryable,
  bookmark: LockedBookmark,
  feedback: string,
): Promise<void> => {
  const waitSeconds = trySeconds[bookmark.attempts];
  return waitSeconds === undefined
    ? failForGood(tx, bookmark, feedback)
    : moveBookmark(tx, bookmark, "Queued", "retry", { feedback, waitSeconds });
};
