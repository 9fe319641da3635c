/** Documents whose owner was deleted for good: noted in the same transaction, to be removed from their store. */
import { z } from "zod";
import type { Queryable } from "../platform/database.js";

const Doomed = z.object({ documentKey: z.string() });

/** Those that were doomed so long ago; the oldest first, not too many at a time. */
export const doomedDocuments = async (
  database: Queryable,
  minutes: number,
  documentsMax: number,
): Promise<string[]> => {
  const doomed = await database.rows(
    Doomed,
    `select document_key as "documentKey" from borsello.doomed_document
     where doomed_at <= now() - make_interval(mins => $1) order by doomed_at limit $2`,
    [minutes, documentsMax],
  );
  return doomed.map(({ documentKey }) => documentKey);
};

/** Before it is removed: where that fails, the others come first. */
export const doomLater = async (database: Queryable, documentKey: string): Promise<void> => {
  await database.execute(
    "update borsello.doomed_document set doomed_at = now() where document_key = $1",
    [documentKey],
  );
};

/** Once nothing is left of it. */
export const forgetDoomed = async (database: Queryable, documentKey: string): Promise<void> => {
  await database.execute("delete from borsello.doomed_document where document_key = $1", [
    documentKey,
  ]);
};
