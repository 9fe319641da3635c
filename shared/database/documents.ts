/** Documents in PostgreSQL: written once by key, the same bytes ever after. */
import { createHash } from "node:crypto";
import { z } from "zod";
import type { Queryable } from "./database.js";

export interface StoredDocument {
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

const Row = z.object({ contentType: z.string(), bytes: z.instanceof(Buffer) });

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

export const findDocument = (
  database: Queryable,
  documentKey: string,
): Promise<StoredDocument | undefined> =>
  database.row(
    Row,
    `select content_type as "contentType", bytes from borsello.document where document_key = $1`,
    [documentKey],
  );
