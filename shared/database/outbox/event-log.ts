/** A partner's event log: what has a number, in order, as long as it is kept. */
import { z } from "zod";
import type { MomentRange } from "../../domain/date-range.js";
import { refusal, success, type Outcome, type Refusal } from "../../domain/outcome.js";
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

/** How much of the log is gone; null: nothing. */
const Gone = z.object({
  goneThrough: z.bigint().nullable(),
  gonePublishedThrough: z.string().nullable(),
  isFromGone: z.boolean(),
});

const goneColumns = `gone.through as "goneThrough",
  borsello.iso(borsello.platform_time(gone.created_through)) as "gonePublishedThrough",
  coalesce(gone.created_through >= borsello.server_time($2), false) as "isFromGone"`;

const goneOf = `(values (1)) as always (there)
  left join borsello.forgotten_events as gone on gone.partner_key = $1`;

/**
 * Whoever knows the number after which to go on has all before it, and who knows neither number nor date asks
 * for what there is.
 */
const refusalOf = (
  { goneThrough, gonePublishedThrough, isFromGone }: z.output<typeof Gone>,
  after: number,
): Refusal<"EventsForgotten"> | undefined => {
  if (after > 0 && goneThrough !== null && goneThrough > after)
    return refusal("EventsForgotten", { after: `must be at least ${goneThrough}.` });
  if (after === 0 && isFromGone)
    return refusal("EventsForgotten", { from: `must be later than ${gonePublishedThrough}.` });
  return undefined;
};

const nothingRead = "an outer join without conditions gave no row";

/** Where events that are asked for are no longer kept. */
export const forgottenRefusal = async (
  database: Queryable,
  partnerKey: string,
  { after, from }: Pick<EventFilter, "after" | "from">,
): Promise<Refusal<"EventsForgotten"> | undefined> => {
  const gone = await database.row(Gone, `select ${goneColumns} from ${goneOf}`, [partnerKey, from]);
  if (gone === undefined) throw new Error(nothingRead);
  return refusalOf(gone, after);
};

const Read = Gone.extend({ page: z.string() });

/**
 * A page as the text of its answer. All of it in one statement, so that nothing is forgotten between a look and
 * the next.
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
    `select borsello.event_page($1, $3, borsello.server_time($2), borsello.server_time_after($4),
         $5, $6, $7, ${bytesMax})::text as page,
       ${goneColumns} from ${goneOf}`,
    [partnerKey, from, after, to, types, limit, isWhole ? limit : lookedAtMax],
  );
  if (read === undefined) throw new Error(nothingRead);
  return refusalOf(read, after) ?? success(read.page);
};
