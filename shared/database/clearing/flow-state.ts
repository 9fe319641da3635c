/** What the flow of a clearing reads and ends: where its day is, what comes next, what went wrong, that it is over. */
import { z } from "zod";
import { bookmarkStatuses } from "../../domain/clearing/bookmark-states.js";
import type { Database, Queryable } from "../platform/database.js";
import { failTry, lockBookmark, moveBookmark } from "./bookmark-changes.js";

export const clearingSteps = ["empty", "import", "aggregate", "export", "wait", "end"] as const;

const State = z.object({
  status: z.enum([...bookmarkStatuses, "Unknown"]),
  next: z.enum(clearingSteps),
  /** When its next try may begin; null: it waits for none. */
  dueAt: z.string().nullable(),
  feedback: z.string().nullable(),
});
export type ClearingState = z.output<typeof State>;

const hasToEmpty = `exists (select from borsello.incoming_clearing as i
  where i.clearing_bookmark_id = b.clearing_bookmark_id and deletion_date is not null
    and not is_emptied)`;

/** A round that another one has followed has nothing more to do. */
const readState = `
  select status, case
      when round <> $2 then 'end'
      when ${hasToEmpty} then 'empty'
      when status = 'Queued' then
        case when due_at <= borsello.platform_now() then 'import' else 'wait' end
      when status = 'Importing' then 'import'
      when status = 'Aggregating' then 'aggregate'
      when status = 'Exporting' and not is_resting then 'export'
      else 'end' end as next,
    case when status = 'Queued' then borsello.iso(due_at) end as "dueAt", feedback
  from borsello.clearing_bookmark as b where clearing_bookmark_id = $1`;

export const readClearing = async (
  database: Queryable,
  clearingBookmarkId: string,
  round: number,
): Promise<ClearingState> =>
  (await database.row(State, readState, [clearingBookmarkId, round])) ?? {
    ...{ status: "Unknown", next: "end", dueAt: null, feedback: null },
  };

/** What is under way is tried again later, or fails; what is over meanwhile stays so. */
export const failClearing = (
  database: Database,
  clearingBookmarkId: string,
  round: number,
  feedback: string,
): Promise<void> =>
  database.transaction(async (tx) => {
    const bookmark = await lockBookmark(tx, clearingBookmarkId);
    if (bookmark?.round !== round || bookmark.isResting) return;
    if (/^(Importing|Aggregating|Exporting)$/.test(bookmark.status))
      await failTry(tx, bookmark, feedback);
  });

const Missing = z.object({ wanted: z.bigint(), all: z.bigint() });

const missingFiles = `
  select count(*) filter (where $2::text[] is null or partner_key = any($2)) as wanted,
    count(*) as all
  from borsello.outgoing_clearing where clearing_bookmark_id = $1 and delivered_at is null`;

/** To each affiliate of the day, with all that there is for it. */
const announce = `
  select borsello.publish_event('ClearingCompleted', partner_key, $1::text, version,
    json_build_object('partnerKey', partner_key, 'clearingBookmarkId', clearing_bookmark_id,
      'clearingDate', clearing_date, 'issuerKey', issuer_key, 'status', status,
      'previousStatus', 'Exporting', 'outgoing', outgoing))
  from (
    select o.partner_key, b.clearing_bookmark_id, b.clearing_date, b.issuer_key, b.status, b.version,
      json_agg(borsello.outgoing_clearing_record(o, b) order by o.type) as outgoing
    from borsello.outgoing_clearing as o
      join borsello.clearing_bookmark as b using (clearing_bookmark_id)
    where clearing_bookmark_id = $1
    group by o.partner_key, b.clearing_bookmark_id
  ) as of_affiliate
  order by partner_key`;

/** Exporting → Completed once every file is there; it rests where only some were asked for. */
export const finishExport = (database: Database, clearingBookmarkId: string): Promise<void> =>
  database.transaction(async (tx) => {
    const bookmark = await lockBookmark(tx, clearingBookmarkId);
    if (bookmark?.status !== "Exporting" || bookmark.isResting) return;
    const missing = await tx.row(Missing, missingFiles, [
      ...[clearingBookmarkId, bookmark.affiliateKeys],
    ]);
    // Somebody may have asked for more while the last file was written.
    if (missing === undefined || missing.wanted > 0n) return;
    if (missing.all > 0n) {
      await moveBookmark(tx, bookmark, "Exporting", "rest", { isResting: true });
      return;
    }
    await moveBookmark(tx, bookmark, "Completed", "complete");
    await tx.execute(announce, [clearingBookmarkId]);
  });

const Wanted = z.object({ affiliateKeys: z.array(z.string()).nullable() });

/** Whose files are wanted; undefined: the clearing does not export. */
export const exportWanted = (database: Queryable, clearingBookmarkId: string) =>
  database.row(
    Wanted,
    `select affiliate_keys as "affiliateKeys" from borsello.clearing_bookmark
     where clearing_bookmark_id = $1 and status = 'Exporting' and not is_resting`,
    [clearingBookmarkId],
  );

const Open = z.object({ clearingBookmarkId: z.string(), round: z.int() });
export type OpenClearing = z.output<typeof Open>;

/** Those that should have a flow, in order; whoever sweeps starts it where it is not there. */
export const openClearings = (
  database: Queryable,
  after: string | null,
  limit: number,
): Promise<OpenClearing[]> =>
  database.rows(
    Open,
    `select clearing_bookmark_id as "clearingBookmarkId", round
     from borsello.clearing_bookmark as b
     where ($1::uuid is null or clearing_bookmark_id > $1)
       and (status in ('Queued', 'Importing', 'Aggregating', 'Exporting') and not is_resting
         or ${hasToEmpty})
     order by clearing_bookmark_id limit $2`,
    [after, limit],
  );
