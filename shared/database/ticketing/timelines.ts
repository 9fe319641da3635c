/** Timelines as they were read last: entries never change, so only those that came since are read. */
import { z } from "zod";
import { success, type Outcome } from "../../domain/outcome.js";
import type { Queryable } from "../platform/database.js";
import { scopeOf, ticketNotFound } from "./tickets.js";
import type { Reader } from "../access/wallet-access.js";

export interface Timelines {
  /** The timeline's items as a JSON array, already written. */
  read(
    database: Queryable,
    reader: Reader,
    caseNumber: string,
  ): Promise<Outcome<string, "TicketNotFound">>;
}

const Newer = z.object({ items: z.string().nullable(), last: z.bigint().nullable() });

/** The ticket is looked up, and found to be the reader's, before its entries. */
const selectNewer = `
  select newer.items, newer.last from borsello.ticket as t, lateral (
    select string_agg(item, ',' order by entry_id) as items, max(entry_id) as last
    from borsello.ticket_timeline as e where e.case_number = t.case_number and e.entry_id > $3
  ) as newer
  where t.case_number = $1 and ($2::text is null or t.partner_key = $2)`;

interface Known {
  readonly items: string;
  readonly last: bigint;
}

const nothing: Known = { items: "", last: 0n };
const charactersMaxByDefault = 16 * 1024 * 1024;

/** Keeps the timelines that were asked for last, as many as have room. */
export const rememberedTimelines = (charactersMax = charactersMaxByDefault): Timelines => {
  const known = new Map<string, Known>();
  let characters = 0;

  const forget = (caseNumber: string): void => {
    characters -= known.get(caseNumber)?.items.length ?? 0;
    known.delete(caseNumber);
  };

  const remember = (caseNumber: string, timeline: Known): void => {
    forget(caseNumber);
    known.set(caseNumber, timeline);
    characters += timeline.items.length;
    // A Map lists its keys in the order in which they were set: the first was not asked for longest.
    for (const oldest of known.keys()) {
      if (characters <= charactersMax) break;
      forget(oldest);
    }
  };

  return {
    read: async (database, reader, caseNumber) => {
      const before = known.get(caseNumber) ?? nothing;
      const newer = await database.row(Newer, selectNewer, [
        caseNumber,
        scopeOf(reader),
        before.last,
      ]);
      if (newer === undefined) return ticketNotFound(caseNumber);
      const items = [before.items, newer.items ?? ""].filter((text) => text !== "").join(",");
      remember(caseNumber, { items, last: newer.last ?? before.last });
      return success(`[${items}]`);
    },
  };
};
