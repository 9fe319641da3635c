/** Documents in PostgreSQL: written once by key, the same bytes ever after. */
import { createHash } from "node:crypto";
import type { Queryable } from "../platform/database.js";
import { openDocument } from "./pieces.js";

export interface StoredDocument {
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** Keeps the first document of this key; true when it was this one. */
export const putDocumentOnce = async (
  database: Queryable,
  documentKey: string,
  { contentType, bytes }: StoredDocument,
): Promise<boolean> => {
  const written = await database.execute(
    `insert into borsello.document (document_key, content_type, sha256, bytes)
     values ($1, $2, $3, $4) on conflict (document_key) do nothing`,
    [documentKey, contentType, createHash("sha256").update(bytes).digest(), bytes],
  );
  return written === 1;
};

export const findDocument = async (
  database: Queryable,
  documentKey: string,
): Promise<StoredDocument | undefined> => {
  const opened = await openDocument(database, documentKey);
  if (opened === undefined) return undefined;
  const pieces: Uint8Array[] = [];
  for await (const piece of opened.pieces) pieces.push(piece);
  return { contentType: opened.contentType, bytes: Buffer.concat(pieces) };
};
