/** Clearings that are asked for: by the timer, by a force queue, by a force export. */
import { z } from "zod";
import { RequestedRun } from "../../contracts/settlement/flows.js";
import {
  effectOf,
  joinedWish,
  placeName,
  type ClearingMode,
  type Wish,
} from "../../domain/clearing/bookmark-states.js";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import type { Actor } from "../access/wallet-access.js";
import type { Database, Queryable } from "../platform/database.js";
import { lockBookmark, type LockedBookmark } from "./bookmark-changes.js";

/** One day of an issuer. */
export interface ClearingDay {
  readonly issuerKey: string;
  /** `2026-11-22`, of Europe/Rome. */
  readonly clearingDate: string;
}

const Made = z.object({ clearingBookmarkId: z.string() });

/** Nothing where there is one: two who ask at the same moment make one. */
const makeBookmark = `
  with made as (
    insert into borsello.clearing_bookmark (issuer_key, clearing_date, mode)
    values ($1, $2, $3) on conflict do nothing returning *
  ), noted as (
    select count(borsello.record_clearing_change(made, $4, 'queue', null)) as changes from made
  )
  select clearing_bookmark_id as "clearingBookmarkId" from made, noted`;

const findBookmark = `
  select clearing_bookmark_id as "clearingBookmarkId" from borsello.clearing_bookmark
  where issuer_key = $1 and clearing_date = $2`;

/** Each time it begins it has a flow of its own: the one before may be just about to end. */
const begin = `
  with begun as (
    update borsello.clearing_bookmark set status = 'Queued', mode = $2, affiliate_keys = $3,
      is_resting = false, round = round + 1, attempts = 0, feedback = null, end_date = null,
      due_at = borsello.platform_now(), last_update_date = borsello.platform_now(),
      version = version + 1
    where clearing_bookmark_id = $1 returning *
  )
  select borsello.record_clearing_change(begun, $4, 'queue', $5) from begun`;

/** What waits for its next try does not wait any longer. */
const join = `
  update borsello.clearing_bookmark set mode = $2, affiliate_keys = $3,
    due_at = case when status = 'Queued' then borsello.platform_now() else due_at end,
    last_update_date = borsello.platform_now(), version = version + 1
  where clearing_bookmark_id = $1`;

const tell = `
  select borsello.tell_flows('ClearingQueued', clearing_bookmark_id::text, json_build_object(
    'clearingBookmarkId', clearing_bookmark_id, 'round', round))
  from borsello.clearing_bookmark where clearing_bookmark_id = $1`;

export const tellClearing = (tx: Queryable, clearingBookmarkId: string): Promise<number> =>
  tx.execute(tell, [clearingBookmarkId]);

/** Resolves to whether it has any effect. */
const ask = async (
  tx: Queryable,
  bookmark: LockedBookmark,
  wish: Wish,
  actor: string,
): Promise<boolean> => {
  const { clearingBookmarkId, status } = bookmark;
  const effect = effectOf(bookmark, wish.mode);
  if (effect === "nothing") return false;
  if (effect === "begins")
    await tx.execute(begin, [clearingBookmarkId, wish.mode, wish.affiliateKeys, actor, status]);
  else {
    const both = joinedWish(bookmark, wish);
    await tx.execute(join, [clearingBookmarkId, both.mode, both.affiliateKeys]);
  }
  // One that is under way looks at what it is to do at each of its steps.
  if (effect === "begins" || placeName(bookmark) === "Queued")
    await tellClearing(tx, clearingBookmarkId);
  return true;
};

const insertRun = `
  insert into borsello.flow_run
    (partner_key, flow, actor, type, subject_id, up_to, status, started_at, ended_at)
  select $1, $2, $3, $4, $5, now, case when $6 then b.run_status else 'Ignored' end,
    case when $6 and b.run_status = 'Running' then now end, case when not $6 then now end
  from borsello.platform_now() as now, (
    select case when status = 'Queued' then 'Queued' else 'Running' end as run_status
    from borsello.clearing_bookmark where clearing_bookmark_id = $5) as b
  returning run_id as "runId", flow, case status when 'Ignored' then status else 'Queued' end as status,
    borsello.iso(requested_at) as "requestedAt"`;

const noteRun = async (
  tx: Queryable,
  { partnerKey, clientId }: Actor,
  flow: "Clearing" | "ClearingExport",
  mode: ClearingMode,
  clearingBookmarkId: string,
  hasEffect: boolean,
): Promise<RequestedRun> => {
  const run = await tx.row(RequestedRun, insertRun, [
    ...[partnerKey, flow, clientId, mode, clearingBookmarkId, hasEffect],
  ]);
  if (run === undefined) throw new Error("A run that was asked for was not written.");
  return run;
};

interface Queued {
  readonly clearingBookmarkId: string;
  readonly hasEffect: boolean;
}

const queue = async (
  tx: Queryable,
  { issuerKey, clearingDate }: ClearingDay,
  mode: ClearingMode,
  actor: string,
): Promise<Outcome<Queued, "ClearingBookmarkNotFound">> => {
  if (mode !== "ExportOnly") {
    const made = await tx.row(Made, makeBookmark, [issuerKey, clearingDate, mode, actor]);
    if (made !== undefined) {
      await tellClearing(tx, made.clearingBookmarkId);
      return success({ ...made, hasEffect: true });
    }
  }
  const found = await tx.row(Made, findBookmark, [issuerKey, clearingDate]);
  const bookmark =
    found === undefined ? undefined : await lockBookmark(tx, found.clearingBookmarkId);
  if (bookmark === undefined)
    return refusal("ClearingBookmarkNotFound", {
      clearingDate: `${clearingDate} is not cleared yet.`,
    });
  const hasEffect = await ask(tx, bookmark, { mode, affiliateKeys: null }, actor);
  return success({ clearingBookmarkId: bookmark.clearingBookmarkId, hasEffect });
};

/** The run ends with the clearing; Ignored where asking has no effect. */
export const forceQueue = (
  database: Database,
  actor: Actor,
  day: ClearingDay,
  mode: ClearingMode,
): Promise<Outcome<RequestedRun, "ClearingBookmarkNotFound">> =>
  database.transaction(async (tx) => {
    const queued = await queue(tx, day, mode, actor.clientId);
    if (!queued.ok) return queued;
    const { clearingBookmarkId, hasEffect } = queued.value;
    return success(await noteRun(tx, actor, "Clearing", mode, clearingBookmarkId, hasEffect));
  });

const Waiting = z.object({ isWaiting: z.boolean() });

const isAnythingWaiting = `
  select exists (select from borsello.clearing_item where incoming_clearing_id is null)
    as "isWaiting"`;

/**
 * A day that somebody has begun, or that has failed, is theirs. One without anything to clear is left open:
 * what is presented later in it can still be cleared that day, by a force queue.
 */
export const queueDaily = (database: Database, { issuerKey, clearingDate }: ClearingDay) =>
  database.transaction(async (tx) => {
    if ((await tx.row(Waiting, isAnythingWaiting))?.isWaiting !== true) return false;
    const made = await tx.row(Made, makeBookmark, [issuerKey, clearingDate, "Full", "timer"]);
    if (made !== undefined) await tellClearing(tx, made.clearingBookmarkId);
    return made !== undefined;
  });

export interface ExportRequest {
  readonly clearingBookmarkId: string;
  readonly issuerKey: string | null;
  readonly clearingDate: string | null;
  readonly affiliateKeys: readonly string[] | null;
}

/** `issuerKey` and `clearingDate` are a second look: they must be the clearing's. */
export const forceExport = (
  database: Database,
  actor: Actor,
  { clearingBookmarkId, issuerKey, clearingDate, affiliateKeys }: ExportRequest,
): Promise<Outcome<RequestedRun, "ClearingBookmarkNotFound">> =>
  database.transaction(async (tx) => {
    const bookmark = await lockBookmark(tx, clearingBookmarkId);
    const fits =
      bookmark?.issuerKey === (issuerKey ?? bookmark?.issuerKey) &&
      bookmark?.clearingDate === (clearingDate ?? bookmark?.clearingDate);
    if (bookmark === undefined || !fits)
      return refusal("ClearingBookmarkNotFound", { clearingBookmarkId });
    const wish: Wish = { mode: "ExportOnly", affiliateKeys };
    const hasEffect = await ask(tx, bookmark, wish, actor.clientId);
    return success(
      await noteRun(tx, actor, "ClearingExport", "ExportOnly", clearingBookmarkId, hasEffect),
    );
  });
