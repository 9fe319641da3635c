/** A partner's event log: what has a number, in order, as long as it is kept. */
import { z } from "zod";
import type { MomentRange } from "../../domain/date-range.js";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import type { Queryable } from "../platform/database.js";

/** Which events of a log. */
export interface EventFilter extends MomentRange {
  /** After this number; 0: with the first event that is kept. */
  readonly after: number;
  /** Null: of whichever. */
  readonly types: readonly string[] | null;
}

/** With a filter a page may find nothing in all of these; of each the index alone is read. */
const lookedAtMax = 10_000;
/** Of bodies: a page holds more only where its first event alone has more. */
const bytesMax = 4_000_000;

const Read = z.object({
  page: z.string(),
  /** How much of the log is gone; null: nothing. */
  goneThrough: z.bigint().nullable(),
  gonePublishedThrough: z.string().nullable(),
  isFromGone: z.boolean(),
});

/**
 * A page as the text of its answer. Refuses where events that are asked for are no longer kept: whoever knows the
 * number after which to go on has all before it, and who knows neither number nor date asks for what there is. All of it in
 * one statement, so that nothing is forgotten between a look and the next.
 */
export const eventPage = async (
  database: Queryable,
  partnerKey: string,
  { after, from, to, types }: EventFilter,
  limit: number,
): Promise<Outcome<string, "EventsForgotten">> => {
  const isWhole = from === null && to === null && types === null;
  const read = await database.row(
    Read,
    `select borsello.event_page($1, $2, borsello.server_time($3), borsello.server_time_after($4),
         $5, $6, $7, ${bytesMax})::text as page,
       gone.through as "goneThrough",
       borsello.iso(borsello.platform_time(gone.created_through)) as "gonePublishedThrough",
       coalesce(gone.created_through >= borsello.server_time($3), false) as "isFromGone"
     from (values (1)) as always (there)
       left join borsello.forgotten_events as gone on gone.partner_key = $1`,
    [partnerKey, after, from, to, types, limit, isWhole ? limit : lookedAtMax],
  );
  if (read === undefined) throw new Error("an outer join without conditions gave no row");
  const { page, goneThrough, gonePublishedThrough, isFromGone } = read;
  if (after > 0 && goneThrough !== null && goneThrough > after)
    return refusal("EventsForgotten", { after: `must be at least ${goneThrough}.` });
  if (after === 0 && isFromGone)
    return refusal("EventsForgotten", { from: `must be later than ${gonePublishedThrough}.` });
  return success(page);
};
