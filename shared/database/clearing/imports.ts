/** Imports a day: opens the processor's files, reads them to their end, then takes over their records page by page. */
import { z } from "zod";
import type { ClearingFileType } from "../../domain/clearing/file-names.js";
import { clearingFileTypes } from "../../domain/clearing/file-names.js";
import { countingTotals, type Totals } from "../../domain/clearing/totals.js";
import type { Database, Queryable } from "../platform/database.js";
import { failForGood, lockBookmark, moveBookmark } from "./bookmark-changes.js";
import {
  lineHash,
  linesOf,
  type IncomingHeader,
  type IncomingLine,
  type IncomingSource,
} from "./incoming-source.js";
import { readRecord, type ReadRecord } from "./read-record.js";
import { keepSums } from "./sums.js";

const linesPerPage = 1_000;
/** So many pages one call takes over, so that none of its activities is long. */
const pagesPerCall = 100;

const Incoming = z.object({
  incomingClearingId: z.string(),
  type: z.enum(clearingFileTypes),
  records: z.bigint().nullable(),
  isVerified: z.boolean(),
  imported: z.bigint(),
});
type Incoming = z.output<typeof Incoming>;

const incomingColumns = `incoming_clearing_id as "incomingClearingId", type, records_in_file as records,
  is_verified as "isVerified", imported_records as imported`;

/** A file that replaces a deleted one has the next number. */
const makeIncoming = `
  insert into borsello.incoming_clearing
    (clearing_bookmark_id, type, file_sequence_number, file_name)
  select b.clearing_bookmark_id, $2, next.number, concat_ws('_', b.issuer_key,
    to_char(b.clearing_date, 'YYYYMMDD'), $2::text, next.number) || '.jsonl'
  from borsello.clearing_bookmark as b cross join lateral (
    select count(*)::integer + 1 as number from borsello.incoming_clearing
    where clearing_bookmark_id = b.clearing_bookmark_id and type = $2) as next
  where b.clearing_bookmark_id = $1
  on conflict do nothing`;

const incomingOf = async (
  database: Database,
  clearingBookmarkId: string,
  type: ClearingFileType,
): Promise<Incoming> => {
  await database.execute(makeIncoming, [clearingBookmarkId, type]);
  const found = await database.row(
    Incoming,
    `select ${incomingColumns} from borsello.incoming_clearing
     where clearing_bookmark_id = $1 and type = $2 and deletion_date is null`,
    [clearingBookmarkId, type],
  );
  if (found === undefined) throw new Error("A day's incoming clearing was not written.");
  return found;
};

interface ReadFile {
  readonly available: bigint;
  readonly readable: bigint;
  readonly totals: Totals;
  /** What is wrong with it; null: nothing. */
  readonly feedback: string | null;
}

const wordsOf = (
  header: IncomingHeader,
  { available, readable }: Omit<ReadFile, "feedback">,
  sha256: Buffer,
  firstUnreadable: bigint | undefined,
): string | null => {
  if (available !== header.records)
    return `The header declares ${header.records} records, the file has ${available}.`;
  if (!sha256.equals(header.sha256))
    return "The file's SHA-256 is not the one that its header declares.";
  if (readable !== available)
    return `${available - readable} records can't be read, the first of them is number ${firstUnreadable ?? 0n}.`;
  return null;
};

/** To its end, before anything of it counts. */
const readFile = async (
  source: IncomingSource,
  file: Incoming,
  header: IncomingHeader,
): Promise<ReadFile> => {
  const hash = lineHash();
  const counting = countingTotals();
  let available = 0n;
  let readable = 0n;
  let firstUnreadable: bigint | undefined;
  for await (const lines of linesOf(source, file, linesPerPage))
    for (const { ordinal, record } of lines) {
      hash.add(record);
      available += 1n;
      const read = readRecord(file.type, record);
      if (read === undefined) firstUnreadable ??= ordinal;
      else {
        readable += 1n;
        counting.count(read);
      }
    }
  const found = { available, readable, totals: counting.totals };
  return { ...found, feedback: wordsOf(header, found, hash.digest(), firstUnreadable) };
};

/** False: the file is not what it says, and the clearing is Failed. */
const verify = async (
  database: Database,
  source: IncomingSource,
  clearingBookmarkId: string,
  file: Incoming,
): Promise<boolean> => {
  const header = await source.open(file);
  const found = await readFile(source, file, header);
  const isVerified = found.feedback === null;
  await database.transaction(async (tx) => {
    const bookmark = await lockBookmark(tx, clearingBookmarkId);
    if (bookmark?.status !== "Importing") return;
    await tx.execute(
      `update borsello.incoming_clearing set records_in_file = $2, sha256 = $3,
         available_records = $4, readable_records = $5, is_verified = $6, feedback = $7,
         last_update_date = borsello.platform_now()
       where incoming_clearing_id = $1 and deletion_date is null`,
      [
        ...[file.incomingClearingId, header.records, header.sha256, found.available],
        ...[found.readable, isVerified, found.feedback],
      ],
    );
    await keepSums(tx, file.incomingClearingId, found.totals);
    if (found.feedback !== null) await failForGood(tx, bookmark, found.feedback);
  });
  return isVerified;
};

const Imported = z.object({ imported: z.bigint() });

const lockIncoming = `
  select imported_records as imported from borsello.incoming_clearing
  where incoming_clearing_id = $1 and deletion_date is null for no key update`;

/** The affiliate's percents are frozen here: they may change before its file is written. */
const takeOver = `
  with given as materialized (
    select r.*, c.partner_key, c.account_id, c.customer_id, c.pan_token, i.transaction_id,
      i.authorised_at, i.received_at
    from jsonb_to_recordset($4::jsonb) as r (ordinal bigint, "itemId" text, "cardId" uuid, kind text,
        "isEuroZone" boolean, "amountCents" bigint, "feeCents" bigint, currency text,
        "transactionType" integer, "isReversal" boolean, "transactionDate" timestamptz,
        "merchantName" text, "merchantCountry" text, mcc integer, "feeType" text, "feeCode" text,
        "feeDescription" text)
      join borsello.card as c on c.card_id = r."cardId"
      join borsello.clearing_item as i on i.type = $3 and i.item_id = r."itemId"
  ), share as materialized (
    select partner_key, percents.interchange, percents.fee
    from (select distinct partner_key from given) as named,
      borsello.clearing_percents(named.partner_key) as percents
  )
  insert into borsello.clearing_record (incoming_clearing_id, ordinal, clearing_bookmark_id, type,
    partner_key, item_id, card_id, account_id, customer_id, pan_token, kind, is_euro_zone,
    amount_cents, fee_cents, interchange_deduction_cents, fee_deduction_cents, currency,
    transaction_id, transaction_type, is_reversal, transaction_date, authorised_at, received_at,
    merchant_name, merchant_country, mcc, fee_type, fee_code, fee_description)
  select $1, ordinal, $2, $3, partner_key, "itemId", "cardId", account_id, customer_id, pan_token,
    kind, "isEuroZone", "amountCents", "feeCents",
    borsello.clearing_share("amountCents", share.interchange),
    borsello.clearing_share("feeCents", share.fee), currency, transaction_id, "transactionType",
    "isReversal", "transactionDate", authorised_at, received_at, "merchantName", "merchantCountry",
    mcc, "feeType", "feeCode", "feeDescription"
  from given join share using (partner_key)
  on conflict do nothing`;

const clearTransactions = `
  update borsello.card_transaction as t set status = 'Cleared'
  from borsello.clearing_record as r
  where r.incoming_clearing_id = $1 and r.ordinal > $2 and r.ordinal <= $3
    and t.partner_key = r.partner_key and t.transaction_id = r.transaction_id
    and t.status = 'Presented'`;

const asJson = (ordinal: bigint, { amountCents, feeCents, ...read }: ReadRecord) => ({
  ...{ ...read, ordinal: String(ordinal) },
  ...{ amountCents: String(amountCents), feeCents: String(feeCents) },
});

/** What can't be taken over undoes the whole page. */
class Unfit extends Error {}

const readable = (type: ClearingFileType, record: string): ReadRecord => {
  const read = readRecord(type, record);
  if (read === undefined) throw new Unfit("A record can't be read any more.");
  return read;
};

type PageEnd = "more" | "last" | "elsewhere";

/** `imported`: so many were taken over when the page was read. */
const takePage = async (
  tx: Queryable,
  clearingBookmarkId: string,
  { incomingClearingId, type, imported }: Incoming,
  lines: readonly IncomingLine[],
): Promise<boolean> => {
  const bookmark = await lockBookmark(tx, clearingBookmarkId);
  const now = (await tx.row(Imported, lockIncoming, [incomingClearingId]))?.imported;
  if (bookmark?.status !== "Importing" || now !== imported) return false;
  const last = lines.at(-1)?.ordinal;
  if (last === undefined) throw new Unfit(`The file ends after ${imported} records by now.`);
  const page = lines.map(({ ordinal, record }) => asJson(ordinal, readable(type, record)));
  const values = [incomingClearingId, clearingBookmarkId, type, JSON.stringify(page)];
  const taken = await tx.execute(takeOver, values);
  if (taken !== lines.length)
    throw new Unfit(
      `Of the ${lines.length} records after number ${imported}, ${lines.length - taken} are of an unknown card, or were cleared before.`,
    );
  await tx.execute(clearTransactions, [incomingClearingId, imported, last]);
  await tx.execute(
    `update borsello.incoming_clearing set imported_records = $2,
       last_update_date = borsello.platform_now() where incoming_clearing_id = $1`,
    [incomingClearingId, last],
  );
  return true;
};

const importPages = async (
  database: Database,
  source: IncomingSource,
  clearingBookmarkId: string,
  file: Incoming,
): Promise<PageEnd> => {
  let { imported } = file;
  try {
    for (let page = 0; page < pagesPerCall; page += 1) {
      const lines = await source.lines(file, imported, linesPerPage);
      const at = { ...file, imported };
      const isTaken = await database.quietTransaction((tx) =>
        takePage(tx, clearingBookmarkId, at, lines),
      );
      if (!isTaken) return "elsewhere";
      imported = lines.at(-1)?.ordinal ?? imported;
      if (imported === file.records) return "last";
    }
    return "more";
  } catch (error) {
    if (!(error instanceof Unfit)) throw error;
    const { message } = error;
    await database.transaction(async (tx) => {
      const bookmark = await lockBookmark(tx, clearingBookmarkId);
      if (bookmark?.status === "Importing") await failForGood(tx, bookmark, message);
    });
    return "elsewhere";
  }
};

/** A part of the work; whoever drives it reads where the clearing is, and calls again while it is Importing. */
export const importClearing = async (
  database: Database,
  source: IncomingSource,
  clearingBookmarkId: string,
): Promise<void> => {
  const begun = await database.transaction(async (tx) => {
    const bookmark = await lockBookmark(tx, clearingBookmarkId);
    if (bookmark?.status === "Queued" && bookmark.isDue) {
      await moveBookmark(tx, bookmark, "Importing", "import");
      return true;
    }
    return bookmark?.status === "Importing";
  });
  if (!begun) return;
  for (const type of clearingFileTypes) {
    const file = await incomingOf(database, clearingBookmarkId, type);
    if (!file.isVerified) {
      await verify(database, source, clearingBookmarkId, file);
      // Whatever the file was: what comes next is for the next call.
      return;
    }
    if (file.imported < (file.records ?? 0n)) {
      const end = await importPages(database, source, clearingBookmarkId, file);
      if (end !== "last") return;
    }
  }
  await database.transaction(async (tx) => {
    const bookmark = await lockBookmark(tx, clearingBookmarkId);
    if (bookmark?.status === "Importing" && bookmark.isImported)
      await moveBookmark(tx, bookmark, "Aggregating", "aggregate");
  });
};
