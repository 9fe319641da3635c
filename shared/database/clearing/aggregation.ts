/** Sums a day by affiliate, kind and zone, and holds the sums against those of the processor's files. */
import { z } from "zod";
import { clearingFileName, clearingFileTypes } from "../../domain/clearing/file-names.js";
import { recordKinds } from "../../domain/clearing/record-kinds.js";
import { difference, totalsOf } from "../../domain/clearing/totals.js";
import type { Database, Queryable } from "../platform/database.js";
import {
  failForGood,
  lockBookmark,
  moveBookmark,
  type LockedBookmark,
} from "./bookmark-changes.js";
import { writeSums } from "./sums.js";

const Sum = z.object({
  kind: z.enum(recordKinds),
  isEuroZone: z.boolean(),
  records: z.bigint(),
  interchangeCents: z.bigint(),
  feeCents: z.bigint(),
});
const OfIncoming = Sum.extend({ type: z.enum(clearingFileTypes) });
const OfAffiliate = OfIncoming.extend({
  partnerKey: z.string(),
  interchangeDeductionCents: z.bigint(),
  feeDeductionCents: z.bigint(),
});
type OfAffiliate = z.output<typeof OfAffiliate>;

/** One pass over the day's records; as many rows as affiliates, times sixteen at most. */
const sumByAffiliate = `
  select type, partner_key as "partnerKey", kind, is_euro_zone as "isEuroZone", count(*) as records,
    sum(amount_cents)::bigint as "interchangeCents", sum(fee_cents)::bigint as "feeCents",
    sum(interchange_deduction_cents)::bigint as "interchangeDeductionCents",
    sum(fee_deduction_cents)::bigint as "feeDeductionCents"
  from borsello.clearing_record where clearing_bookmark_id = $1
  group by type, partner_key, kind, is_euro_zone
  order by type, partner_key, kind, is_euro_zone`;

const sumOfFiles = `
  select i.type, s.kind, s.is_euro_zone as "isEuroZone", s.records,
    s.interchange_cents as "interchangeCents", s.fee_cents as "feeCents"
  from borsello.incoming_clearing as i
    join borsello.clearing_sum as s on s.clearing_id = i.incoming_clearing_id
  where i.clearing_bookmark_id = $1 and i.deletion_date is null`;

const Made = z.object({ outgoingClearingId: z.string() });

/** One that is there was made of the same records. */
const makeOutgoing = `
  insert into borsello.outgoing_clearing
    (clearing_bookmark_id, partner_key, type, file_name, available_records)
  values ($1, $2, $3, $4, $5) on conflict do nothing
  returning outgoing_clearing_id as "outgoingClearingId"`;

const writeOutgoing = async (
  tx: Queryable,
  { clearingBookmarkId, issuerKey, clearingDate }: LockedBookmark,
  sums: readonly OfAffiliate[],
): Promise<void> => {
  const byFile = new Map<string, OfAffiliate[]>();
  for (const sum of sums) {
    const file = `${sum.type} ${sum.partnerKey}`;
    byFile.set(file, [...(byFile.get(file) ?? []), sum]);
  }
  for (const ofFile of byFile.values()) {
    const [first] = ofFile;
    if (first === undefined) continue;
    const { type, partnerKey } = first;
    const fileName = clearingFileName({ issuerKey, clearingDate, type, affiliateKey: partnerKey });
    const records = ofFile.reduce((sum, part) => sum + part.records, 0n);
    const made = await tx.row(Made, makeOutgoing, [
      ...[clearingBookmarkId, partnerKey, type, fileName, records],
    ]);
    if (made !== undefined) await writeSums(tx, made.outgoingClearingId, ofFile);
  }
};

/** Aggregating → Exporting, where a clearing that was only to be imported rests; Failed where sums differ. */
export const aggregateClearing = (database: Database, clearingBookmarkId: string): Promise<void> =>
  database.transaction(async (tx) => {
    const bookmark = await lockBookmark(tx, clearingBookmarkId);
    if (bookmark?.status !== "Aggregating") return;
    const sums = await tx.rows(OfAffiliate, sumByAffiliate, [clearingBookmarkId]);
    const declared = await tx.rows(OfIncoming, sumOfFiles, [clearingBookmarkId]);
    for (const type of clearingFileTypes) {
      const ofType = (sum: { readonly type: string }) => sum.type === type;
      const differs = difference(totalsOf(declared.filter(ofType)), totalsOf(sums.filter(ofType)));
      if (differs !== undefined) {
        await failForGood(
          tx,
          bookmark,
          `The affiliates' sums are not the file's: ${type} ${differs}.`,
        );
        return;
      }
    }
    await writeOutgoing(tx, bookmark, sums);
    await moveBookmark(tx, bookmark, "Exporting", "export", {
      isResting: bookmark.mode === "ImportOnly",
    });
  });
