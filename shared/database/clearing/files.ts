/** Clearing files on their way into the document store: each attempt has a key of its own, one of them counts. */
import { z } from "zod";
import { clearingFileTypes } from "../../domain/clearing/file-names.js";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import type { Reader } from "../access/wallet-access.js";
import type { Database, Queryable } from "../platform/database.js";

const OpenFile = z.object({
  outgoingClearingId: z.string(),
  bookmarkId: z.string(),
  issuerKey: z.string(),
  affiliateKey: z.string(),
  clearingDate: z.iso.date(),
  type: z.enum(clearingFileTypes),
  fileName: z.string(),
  availableRecords: z.bigint(),
  documentKey: z.string(),
});
export type OpenFile = z.output<typeof OpenFile>;

const keyOf = (id: string, attempt: string): string => `'clearing/' || ${id} || '/' || ${attempt}`;

/** First what nobody has begun: several who write at once take different files as long as there are some. */
const beginFile = `
  with next as (
    select outgoing_clearing_id from borsello.outgoing_clearing
    where clearing_bookmark_id = $1 and delivered_at is null
      and ($2::text[] is null or partner_key = any($2))
    order by attempt, partner_key, type limit 1 for no key update
  )
  update borsello.outgoing_clearing as o set attempt = attempt + 1
  from next, borsello.clearing_bookmark as b
  where o.outgoing_clearing_id = next.outgoing_clearing_id
    and b.clearing_bookmark_id = o.clearing_bookmark_id
  returning o.outgoing_clearing_id as "outgoingClearingId",
    o.clearing_bookmark_id as "bookmarkId", b.issuer_key as "issuerKey",
    o.partner_key as "affiliateKey", b.clearing_date::text as "clearingDate", o.type,
    o.file_name as "fileName", o.available_records as "availableRecords",
    ${keyOf("o.outgoing_clearing_id", "attempt")} as "documentKey"`;

/** The next file of the bookmark that is not there yet; of these affiliates, or of all. */
export const beginNextFile = (
  database: Database,
  bookmarkId: string,
  affiliateKeys: readonly string[] | null,
): Promise<OpenFile | undefined> =>
  database.command(OpenFile, beginFile, [bookmarkId, affiliateKeys]);

/**
 * The first who has written it whole delivers it. What all others wrote of it is removed later, by the sweep
 * of documents: they were killed, or are about to find that they come too late.
 */
const noteFile = `
  with delivered as (
    update borsello.outgoing_clearing
    set document_key = $2, byte_count = $3, sha256 = $4, written_records = available_records,
      delivered_at = borsello.platform_now(), last_update_date = borsello.platform_now()
    where outgoing_clearing_id = $1 and delivered_at is null
    returning outgoing_clearing_id, attempt
  )
  insert into borsello.doomed_document (document_key)
  select ${keyOf("outgoing_clearing_id", "other")}
  from delivered cross join generate_series(1, attempt) as other
  where ${keyOf("outgoing_clearing_id", "other")} <> $2
  union all select $2 where not exists (select from delivered) and not exists (
    select from borsello.outgoing_clearing where outgoing_clearing_id = $1 and document_key = $2)
  on conflict (document_key) do nothing`;

export const noteDelivered = async (
  database: Database,
  { outgoingClearingId, documentKey }: OpenFile,
  { bytes, sha256 }: { readonly bytes: number; readonly sha256: Buffer },
): Promise<void> => {
  await database.execute(noteFile, [outgoingClearingId, documentKey, bytes, sha256]);
};

/** Before its row goes: the bytes of its file are removed by the sweep of documents. */
export const doomClearingFile = async (
  tx: Queryable,
  outgoingClearingId: string,
): Promise<void> => {
  await tx.execute(
    `insert into borsello.doomed_document (document_key)
     select ${keyOf("outgoing_clearing_id", "each")}
     from borsello.outgoing_clearing cross join generate_series(1, attempt) as each
     where outgoing_clearing_id = $1 on conflict (document_key) do nothing`,
    [outgoingClearingId],
  );
};

const DeliveredFile = z.object({
  partnerKey: z.string(),
  fileName: z.string(),
  documentKey: z.string().nullable(),
  bytes: z.bigint().nullable(),
  sha256: z.instanceof(Buffer).nullable(),
});

export interface ClearingFile {
  readonly fileName: string;
  readonly documentKey: string;
  readonly bytes: number;
  readonly sha256: Buffer;
}

export type FileRefusal =
  "ClearingBookmarkNotFound" | "ClearingFileNotFound" | "AccountOfAnotherAffiliate";

/** Where a file lies that was delivered, for its affiliate and for operators. */
export const findClearingFile = async (
  database: Queryable,
  { partnerKey, isOperator }: Reader,
  bookmarkId: string,
  outgoingClearingId: string,
): Promise<Outcome<ClearingFile, FileRefusal>> => {
  const bookmark = await database.execute(
    "select from borsello.clearing_bookmark where clearing_bookmark_id = $1",
    [bookmarkId],
  );
  if (bookmark === 0) return refusal("ClearingBookmarkNotFound", { bookmarkId });
  const found = await database.row(
    DeliveredFile,
    `select partner_key as "partnerKey", file_name as "fileName",
       case when delivered_at is not null then document_key end as "documentKey",
       byte_count as "bytes", sha256
     from borsello.outgoing_clearing
     where clearing_bookmark_id = $1 and outgoing_clearing_id = $2`,
    [bookmarkId, outgoingClearingId],
  );
  if (found === undefined) return refusal("ClearingFileNotFound", { outgoingClearingId });
  if (found.partnerKey !== partnerKey && !isOperator)
    return refusal("AccountOfAnotherAffiliate", { outgoingClearingId });
  const { fileName, documentKey, bytes, sha256 } = found;
  return documentKey === null || bytes === null || sha256 === null
    ? refusal("ClearingFileNotFound", { outgoingClearingId })
    : success({ fileName, documentKey, bytes: Number(bytes), sha256 });
};
