/** Notes of uploads under way: whatever ends one without an attachment, its bytes are found by its note. */
import { z } from "zod";
import type { Queryable } from "../platform/database.js";

export interface NotedUpload {
  readonly uploadId: string;
  readonly documentKey: string;
}

/** Before the first byte is stored. */
export const noteUpload = async (
  database: Queryable,
  caseNumber: string,
  { uploadId, documentKey }: NotedUpload,
): Promise<void> => {
  await database.execute(
    `insert into borsello.attachment_upload (upload_id, case_number, document_key)
     values ($1, $2, $3)`,
    [uploadId, caseNumber, documentKey],
  );
};

/**
 * False: the upload has become an attachment after all, as one whose commit was not answered may
 * have. From here on it cannot any more, so that its document may be removed.
 */
export const giveUpUpload = async (database: Queryable, uploadId: string): Promise<boolean> =>
  (await database.execute(
    "update borsello.attachment_upload set given_up_at = now() where upload_id = $1",
    [uploadId],
  )) === 1;

const Noted = z.object({ uploadId: z.string(), documentKey: z.string() });

/** Gives up the uploads that began so long ago, those first that never were, then those that were longest ago. */
export const giveUpUploads = (
  database: Queryable,
  minutes: number,
  uploadsMax: number,
): Promise<NotedUpload[]> =>
  database.rows(
    Noted,
    `with page as (
       select upload_id, row_number() over (order by given_up_at nulls first, started_at) as place
       from borsello.attachment_upload
       where started_at < now() - make_interval(mins => $1) order by place limit $2
     ), given_up as (
       update borsello.attachment_upload as u set given_up_at = now() from page
       where u.upload_id = page.upload_id returning page.place, u.upload_id, u.document_key
     )
     select upload_id as "uploadId", document_key as "documentKey" from given_up order by place`,
    [minutes, uploadsMax],
  );

/** Once nothing is left of it. */
export const forgetUpload = async (database: Queryable, uploadId: string): Promise<void> => {
  await database.execute("delete from borsello.attachment_upload where upload_id = $1", [uploadId]);
};
