/** Which files of the bank's were read: what they hold counts, not their names. */
import { z } from "zod";
import type { Queryable } from "../platform/database.js";

export const wasRead = async (database: Queryable, contentHash: Buffer): Promise<boolean> => {
  const found = await database.row(
    z.object({ wasRead: z.boolean() }),
    `select exists (
       select from borsello.bank_file_read where content_hash = $1) as "wasRead"`,
    [contentHash],
  );
  return found?.wasRead ?? false;
};

export interface ReadFile {
  readonly contentHash: Buffer;
  readonly name: string;
  readonly message: string | null;
  readonly items: number;
}

export const noteRead = async (
  database: Queryable,
  { contentHash, name, message, items }: ReadFile,
): Promise<void> => {
  await database.execute(
    `insert into borsello.bank_file_read (content_hash, name, message, items)
     values ($1, $2, $3, $4) on conflict do nothing`,
    [contentHash, name, message, items],
  );
};
