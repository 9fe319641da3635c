/** Documents of any size in PostgreSQL: rows of pieces, which count once the document's row is there. */
import { createHash, randomUUID } from "node:crypto";
import { z } from "zod";
import { passOutage } from "../../platform/outage.js";
import { piecesOf } from "../../platform/pieces.js";
import type { Queryable } from "../platform/database.js";

export interface WrittenDocument {
  readonly bytes: number;
  readonly sha256: Buffer;
}

export interface OpenedDocument {
  readonly contentType: string;
  readonly bytes: number;
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** A multiple of three, so that Base64 needs no carrying over. */
export const bytesPerPiece = 255 * 1024;

/**
 * Does not wait for the disk: a piece counts only once its document's row is there, and the commit of
 * that row, which does wait, brings all before it to the disk as well.
 */
const insertPiece = `
  insert into borsello.document_piece (document_key, write_id, piece_number, bytes)
  select $1, $2, $3, $4 from set_config('synchronous_commit', 'off', true)`;

/** Only if every piece is still there: a sweep may have removed them under a writer that stood still. */
const insertDocument = `
  insert into borsello.document (document_key, content_type, sha256, write_id, byte_count)
  select $1, $2, $3, $4, $5
  where $6 = (select count(*) from borsello.document_piece
    where document_key = $1 and write_id = $4)
  on conflict (document_key) do nothing`;

const deletePieces =
  "delete from borsello.document_piece where document_key = $1 and write_id = $2";

/**
 * Undefined: the key is taken. Each piece is a statement of its own, so that a slow sender holds a
 * piece of memory but no connection.
 */
export const writeDocument = async (
  database: Queryable,
  documentKey: string,
  contentType: string,
  source: AsyncIterable<Uint8Array>,
): Promise<WrittenDocument | undefined> => {
  const writeId = randomUUID();
  const hash = createHash("sha256");
  let bytes = 0;
  let count = 0;
  let isWritten = false;
  try {
    for await (const piece of piecesOf(bytesPerPiece, source)) {
      await database.execute(insertPiece, [documentKey, writeId, count, piece]);
      hash.update(piece);
      bytes += piece.length;
      count += 1;
    }
    const sha256 = hash.digest();
    const values = [documentKey, contentType, sha256, writeId, bytes, count];
    isWritten = (await database.execute(insertDocument, values)) === 1;
    return isWritten ? { bytes, sha256 } : undefined;
  } finally {
    // Where the database is away, the pieces stay unseen until the key is removed.
    if (!isWritten) await database.execute(deletePieces, [documentKey, writeId]).catch(passOutage);
  }
};

const Header = z.object({
  contentType: z.string(),
  bytes: z.instanceof(Buffer).nullable(),
  writeId: z.string().nullable(),
  byteCount: z.bigint(),
});

const findHeader = `
  select content_type as "contentType", bytes, write_id as "writeId",
    coalesce(byte_count, octet_length(bytes)) as "byteCount"
  from borsello.document where document_key = $1`;

const Piece = z.object({ bytes: z.instanceof(Buffer) });

const findPiece = `
  select bytes from borsello.document_piece
  where document_key = $1 and write_id = $2 and piece_number = $3`;

async function* storedPieces(
  readPiece: (number: number) => Promise<Uint8Array>,
  first: Uint8Array,
  count: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield first;
  for (let number = 1; number < count; number += 1) yield await readPiece(number);
}

async function* inlinePieces(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes;
}

/** The first piece is read at once: an outage then can still be answered as one. */
export const openDocument = async (
  database: Queryable,
  documentKey: string,
): Promise<OpenedDocument | undefined> => {
  const header = await database.row(Header, findHeader, [documentKey]);
  if (header === undefined) return undefined;
  const { contentType, writeId } = header;
  const bytes = Number(header.byteCount);
  if (header.bytes !== null) return { contentType, bytes, pieces: inlinePieces(header.bytes) };
  const readPiece = async (number: number): Promise<Uint8Array> => {
    const piece = await database.row(Piece, findPiece, [documentKey, writeId, number]);
    if (piece === undefined) throw new Error(`${documentKey} lacks its piece ${number}`);
    return piece.bytes;
  };
  const count = Math.ceil(bytes / bytesPerPiece);
  const first = count === 0 ? new Uint8Array() : await readPiece(0);
  return { contentType, bytes, pieces: storedPieces(readPiece, first, count) };
};

/** Takes away the document and the pieces of every attempt to write it. */
export const removeDocument = async (database: Queryable, documentKey: string): Promise<void> => {
  await database.execute(
    `with pieces as (delete from borsello.document_piece where document_key = $1)
     delete from borsello.document where document_key = $1`,
    [documentKey],
  );
};
