/** Writes a clearing's next file, line by line, into the document store: it is there whole, or not at all. */
import { z } from "zod";
import { clearingContentType } from "../../contracts/clearing/files.js";
import { ClearingFileHeader } from "../../contracts/clearing/file-lines.js";
import { clearingFileVersion } from "../../contracts/clearing/structures.js";
import type { FaultPoints } from "../../platform/fault-points.js";
import type { Database } from "../platform/database.js";
import { clearingLines } from "./file-lines.js";
import { beginNextFile, noteDelivered, type OpenFile } from "./files.js";

/** What a document store does with a stream (shared/documents/documents.ts). */
export interface FileStore {
  write(
    documentKey: string,
    contentType: string,
    pieces: AsyncIterable<Uint8Array>,
  ): Promise<{ readonly bytes: number; readonly sha256: Buffer } | undefined>;
}

export interface ExportMeans {
  readonly database: Database;
  readonly documents: FileStore;
  readonly faults: FaultPoints;
}

/** The rows are not those that the sums were made of: nobody may settle by such a file. */
class RecordsDifferError extends Error {
  override readonly name = "RecordsDifferError";
}

const headerOf = (file: OpenFile): z.output<typeof ClearingFileHeader> => ({
  issuerKey: file.issuerKey,
  affiliateKey: file.affiliateKey,
  clearingDate: file.clearingDate,
  type: file.type,
  version: clearingFileVersion,
  fileName: file.fileName,
  declaredRecordsInFile: Number(file.availableRecords),
});

/** The same rows give the same bytes, whoever writes them and however often. */
async function* linesOf(database: Database, file: OpenFile): AsyncGenerator<Uint8Array> {
  yield Buffer.from(`${JSON.stringify(headerOf(file))}\n`);
  let records = 0;
  for await (const page of clearingLines(database, file)) {
    yield Buffer.from(page.lines);
    records += page.records;
  }
  if (BigInt(records) !== file.availableRecords)
    throw new RecordsDifferError(
      `${file.fileName} would have ${records} records instead of ${file.availableRecords}.`,
    );
}

export interface Exported {
  /** Every file is there; else there may be more to write. */
  readonly isOver: boolean;
  /** For people: the clearing fails by it, and a repeat does not help. */
  readonly fault?: string;
}

/** One file a call, so that no call is long; safe to be done twice, even at once. */
export const exportNextFile = async (
  { database, documents, faults }: ExportMeans,
  bookmarkId: string,
  affiliateKeys: readonly string[] | null,
): Promise<Exported> => {
  const file = await beginNextFile(database, bookmarkId, affiliateKeys);
  if (file === undefined) return { isOver: true };
  try {
    const pieces = linesOf(database, file);
    const written = await documents.write(file.documentKey, clearingContentType, pieces);
    if (written === undefined)
      throw new Error(`the key ${file.documentKey} is taken, or its pieces were removed meanwhile`);
    faults.hit("clearing.stored");
    await noteDelivered(database, file, written);
    return { isOver: false };
  } catch (error) {
    if (error instanceof RecordsDifferError) return { isOver: false, fault: error.message };
    throw error;
  }
};
