/** Bookmarks and their incoming and outgoing clearings, as callers list them. */
import {
  ClearingBookmark,
  IncomingClearing,
  OutgoingClearing,
} from "../../contracts/clearing/clearings.js";
import type { Page, Paginated } from "../../contracts/pages.js";
import type { DateRange } from "../../domain/date-range.js";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import type { Queryable } from "../platform/database.js";
import { readPage } from "../platform/pages.js";
import { z } from "zod";

/** Moments stand for their days in Rome, both included; a date is its midnight in UTC, which is on the same day there. */
export const listBookmarks = (
  database: Queryable,
  issuerKey: string,
  { fromDate, toDate }: DateRange,
  page: Page,
): Promise<Paginated<ClearingBookmark>> =>
  readPage(
    database,
    {
      item: ClearingBookmark,
      record: "borsello.clearing_bookmark_record(b)",
      from: `borsello.clearing_bookmark as b where issuer_key = $1
        and ($2::timestamptz is null or clearing_date >= borsello.rome_date($2))
        and ($3::timestamptz is null or clearing_date <= borsello.rome_date($3))`,
      order: "clearing_date, clearing_bookmark_id",
      values: [issuerKey, fromDate, toDate],
    },
    page,
  );

/** Undefined: there is no such bookmark. */
const listOf = async <Item>(
  database: Queryable,
  item: z.ZodType<Item>,
  records: string,
  values: readonly unknown[],
): Promise<Item[] | undefined> =>
  (
    await database.row(
      z.object({ items: z.array(item) }),
      `select array(${records}) as items
       from borsello.clearing_bookmark as b where clearing_bookmark_id = $1`,
      values,
    )
  )?.items;

type Listed<Item> = Outcome<Item[], "ClearingBookmarkNotFound">;

const listed = <Item>(items: Item[] | undefined, clearingBookmarkId: string): Listed<Item> =>
  items === undefined
    ? refusal("ClearingBookmarkNotFound", { bookmarkId: clearingBookmarkId })
    : success(items);

export const listIncoming = async (
  database: Queryable,
  clearingBookmarkId: string,
): Promise<Listed<IncomingClearing>> =>
  listed(
    await listOf(
      database,
      IncomingClearing,
      `select borsello.incoming_clearing_record(i, b) from borsello.incoming_clearing as i
       where i.clearing_bookmark_id = b.clearing_bookmark_id and i.deletion_date is null
       order by i.type`,
      [clearingBookmarkId],
    ),
    clearingBookmarkId,
  );

/** Null: every affiliate's. */
export const listOutgoing = async (
  database: Queryable,
  clearingBookmarkId: string,
  partnerKey: string | null,
): Promise<Listed<OutgoingClearing>> =>
  listed(
    await listOf(
      database,
      OutgoingClearing,
      `select borsello.outgoing_clearing_record(o, b) from borsello.outgoing_clearing as o
       where o.clearing_bookmark_id = b.clearing_bookmark_id
         and ($2::text is null or o.partner_key = $2)
       order by o.partner_key, o.type`,
      [clearingBookmarkId, partnerKey],
    ),
    clearingBookmarkId,
  );
