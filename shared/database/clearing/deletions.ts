/** Deletes what a day's clearing was made of or has made, as long as none of it was delivered. */
import { z } from "zod";
import { OutgoingClearing } from "../../contracts/clearing/clearings.js";
import { whyKept } from "../../domain/clearing/bookmark-states.js";
import { refusal, success, type Outcome, type Refusal } from "../../domain/outcome.js";
import type { Actor } from "../access/wallet-access.js";
import type { Database, Queryable } from "../platform/database.js";
import { lockBookmark } from "./bookmark-changes.js";
import { doomClearingFile } from "./files.js";
import type { IncomingSource } from "./incoming-source.js";
import { tellClearing } from "./requests.js";
import { dropSums } from "./sums.js";

type Guarded =
  | "ClearingBookmarkNotFound"
  | "ClearingFileNotFound"
  | "ClearingBookmarkStatusInvalid"
  | "ClearingFileAlreadyDelivered";

const whyNot = async (tx: Queryable, bookmarkId: string): Promise<Refusal<Guarded> | undefined> => {
  const bookmark = await lockBookmark(tx, bookmarkId);
  if (bookmark === undefined) return refusal("ClearingBookmarkNotFound", { bookmarkId });
  const code = whyKept(bookmark);
  return code === undefined ? undefined : refusal(code, { status: bookmark.status });
};

const Owned = z.object({ partnerKey: z.string(), isDelivered: z.boolean() });
const Deleted = z.object({ record: OutgoingClearing });

const ofBookmark = "borsello.clearing_bookmark as b using (clearing_bookmark_id)";

/** The record as it was. */
const dropOutgoing = async (
  tx: Queryable,
  outgoingClearingId: string,
): Promise<OutgoingClearing | undefined> => {
  const found = await tx.row(
    Deleted,
    `select borsello.outgoing_clearing_record(o, b) as record
     from borsello.outgoing_clearing as o join ${ofBookmark} where outgoing_clearing_id = $1`,
    [outgoingClearingId],
  );
  await doomClearingFile(tx, outgoingClearingId);
  await dropSums(tx, outgoingClearingId);
  await tx.execute("delete from borsello.outgoing_clearing where outgoing_clearing_id = $1", [
    outgoingClearingId,
  ]);
  return found?.record;
};

const audit = `
  insert into borsello.audit (actor, partner_key, entity, entity_id, action, detail)
  values ($1, $2, 'ClearingBookmark', $3, $4, json_build_object('clearingId', $5::uuid))`;

/** `mayAll`: the platform's own operators may delete every affiliate's. */
export const deleteOutgoing = (
  database: Database,
  { partnerKey, clientId, mayAll }: Actor & { readonly mayAll: boolean },
  bookmarkId: string,
  outgoingClearingId: string,
): Promise<Outcome<OutgoingClearing, Guarded | "AccountOfAnotherAffiliate">> =>
  database.transaction(async (tx) => {
    const refused = await whyNot(tx, bookmarkId);
    if (refused?.code === "ClearingBookmarkNotFound") return refused;
    const found = await tx.row(
      Owned,
      `select partner_key as "partnerKey", delivered_at is not null as "isDelivered"
       from borsello.outgoing_clearing
       where outgoing_clearing_id = $1 and clearing_bookmark_id = $2`,
      [outgoingClearingId, bookmarkId],
    );
    if (found === undefined) return refusal("ClearingFileNotFound", { outgoingClearingId });
    if (!mayAll && found.partnerKey !== partnerKey)
      return refusal("AccountOfAnotherAffiliate", { outgoingClearingId });
    if (refused !== undefined) return refused;
    if (found.isDelivered) return refusal("ClearingFileAlreadyDelivered", { outgoingClearingId });
    const record = await dropOutgoing(tx, outgoingClearingId);
    if (record === undefined) throw new Error("An outgoing clearing that is locked has gone.");
    const detail = [bookmarkId, "deleteOutgoing", outgoingClearingId];
    await tx.execute(audit, [clientId, partnerKey, ...detail]);
    return success(record);
  });

/** As an outgoing clearing shows it, of nobody and without deductions (card seed, 4.2). */
const incomingAsOutgoing = `
  select borsello.json_joined(borsello.json_joined(json_build_object(
    'outgoingClearingId', i.incoming_clearing_id, 'clearingBookmarkId', i.clearing_bookmark_id,
    'issuerKey', b.issuer_key, 'affiliateKey', null, 'clearingDate', b.clearing_date, 'type', i.type,
    'fileName', i.file_name, 'creationDate', borsello.iso(i.creation_date),
    'lastUpdateDate', borsello.iso(i.last_update_date), 'availableRecords', i.available_records),
    borsello.clearing_figures(i.incoming_clearing_id)),
    borsello.clearing_deductions(i.incoming_clearing_id)) as record
  from borsello.incoming_clearing as i join ${ofBookmark}
  where i.incoming_clearing_id = $1 and i.clearing_bookmark_id = $2 and i.deletion_date is null`;

const Made = z.object({ outgoingClearingId: z.string(), isDelivered: z.boolean() });

const madeOfIt = `
  select outgoing_clearing_id as "outgoingClearingId", delivered_at is not null as "isDelivered"
  from borsello.outgoing_clearing where clearing_bookmark_id = $1 and type = (
    select type from borsello.incoming_clearing where incoming_clearing_id = $2)`;

/** What it took over is given back by its flow, page by page: it may be millions. */
export const deleteIncoming = (
  database: Database,
  { partnerKey, clientId }: Actor,
  bookmarkId: string,
  incomingClearingId: string,
): Promise<Outcome<OutgoingClearing, Guarded>> =>
  database.transaction(async (tx) => {
    const refused = await whyNot(tx, bookmarkId);
    if (refused?.code === "ClearingBookmarkNotFound") return refused;
    const found = await tx.row(Deleted, incomingAsOutgoing, [incomingClearingId, bookmarkId]);
    if (found === undefined) return refusal("ClearingFileNotFound", { incomingClearingId });
    if (refused !== undefined) return refused;
    const made = await tx.rows(Made, madeOfIt, [bookmarkId, incomingClearingId]);
    // An affiliate that has settled by its file would get the same records once more, with another day.
    if (made.some(({ isDelivered }) => isDelivered))
      return refusal("ClearingFileAlreadyDelivered", { incomingClearingId });
    for (const { outgoingClearingId } of made) await dropOutgoing(tx, outgoingClearingId);
    await tx.execute(
      `update borsello.incoming_clearing set deletion_date = borsello.platform_now()
       where incoming_clearing_id = $1`,
      [incomingClearingId],
    );
    await tx.execute(
      `update borsello.clearing_bookmark set round = round + 1, version = version + 1,
         last_update_date = borsello.platform_now() where clearing_bookmark_id = $1`,
      [bookmarkId],
    );
    const detail = [bookmarkId, "deleteIncoming", incomingClearingId];
    await tx.execute(audit, [clientId, partnerKey, ...detail]);
    await tellClearing(tx, bookmarkId);
    return success(found.record);
  });

const linesPerPage = 5_000;
/** So many pages one call gives back. */
const pagesPerCall = 20;

/** Presented again, and cleared by nobody. */
const forgetRecords = `
  with page as (
    delete from borsello.clearing_record where (incoming_clearing_id, ordinal) in (
      select incoming_clearing_id, ordinal from borsello.clearing_record
      where incoming_clearing_id = $1 order by ordinal limit $2)
    returning partner_key, transaction_id
  ), presented as (
    update borsello.card_transaction as t set status = 'Presented' from page
    where t.partner_key = page.partner_key and t.transaction_id = page.transaction_id
      and t.status = 'Cleared'
  )
  select from page`;

const ToEmpty = z.object({
  incomingClearingId: z.string(),
  type: z.enum(["CLEARINGMULTISCHEME", "FEEMULTISCHEME"]),
});

/** The records first: what waits for a clearing again must not be cleared still. */
const emptyPage = async (
  database: Database,
  source: IncomingSource,
  file: z.output<typeof ToEmpty>,
): Promise<void> => {
  const { incomingClearingId } = file;
  const forgotten = await database.execute(forgetRecords, [incomingClearingId, linesPerPage]);
  if (forgotten > 0 || !(await source.giveBack(file, linesPerPage))) return;
  await database.quietTransaction(async (tx) => {
    await dropSums(tx, incomingClearingId);
    await tx.execute(
      "update borsello.incoming_clearing set is_emptied = true where incoming_clearing_id = $1",
      [incomingClearingId],
    );
  });
};

/** Gives back what deleted files of the day had taken; whoever drives it calls again while there is more. */
export const emptyDeleted = async (
  database: Database,
  source: IncomingSource,
  clearingBookmarkId: string,
): Promise<void> => {
  for (let page = 0; page < pagesPerCall; page += 1) {
    const file = await database.row(
      ToEmpty,
      `select incoming_clearing_id as "incomingClearingId", type from borsello.incoming_clearing
       where clearing_bookmark_id = $1 and deletion_date is not null and not is_emptied
       order by incoming_clearing_id limit 1`,
      [clearingBookmarkId],
    );
    if (file === undefined) return;
    await emptyPage(database, source, file);
  }
};
