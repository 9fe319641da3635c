/** Attachments of tickets: found by ticket, and added together with all that tells of them. */
import { z } from "zod";
import { AttachmentSummary } from "../../contracts/ticketing/attachments.js";
import { finalStatuses } from "../../domain/ticketing/status.js";
import { refusal, success, type Outcome } from "../../domain/outcome.js";
import type { Database, Queryable } from "../platform/database.js";
import { scopeOf, ticketNotFound } from "./tickets.js";
import type { Reader } from "../access/wallet-access.js";

const Listed = z.object({ attachments: z.array(AttachmentSummary) });

const listAttachments = `
  select coalesce(json_agg(borsello.attachment_record(a) order by a.attachment_id)
    filter (where a.attachment_id is not null), '[]') as attachments
  from borsello.ticket as t left join borsello.attachment as a using (case_number)
  where t.case_number = $1 and ($2::text is null or t.partner_key = $2)
  group by t.case_number`;

/** In the order in which they came. */
export const findAttachments = async (
  database: Queryable,
  reader: Reader,
  caseNumber: string,
): Promise<Outcome<readonly AttachmentSummary[], "TicketNotFound">> => {
  const found = await database.row(Listed, listAttachments, [caseNumber, scopeOf(reader)]);
  return found === undefined ? ticketNotFound(caseNumber) : success(found.attachments);
};

const Found = z.object({
  attachment: AttachmentSummary.nullable(),
  documentKey: z.string().nullable(),
});

const selectAttachment = `
  select a.document_key as "documentKey",
    case when a.attachment_id is not null then borsello.attachment_record(a) end as attachment
  from borsello.ticket as t
    left join borsello.attachment as a on a.case_number = t.case_number and a.attachment_id = $3::bigint
  where t.case_number = $1 and ($2::text is null or t.partner_key = $2)`;

export interface FoundAttachment {
  readonly attachment: AttachmentSummary;
  readonly documentKey: string;
}

export const findAttachment = async (
  database: Queryable,
  reader: Reader,
  caseNumber: string,
  attachmentId: number,
): Promise<Outcome<FoundAttachment, "TicketNotFound" | "AttachmentNotFound">> => {
  const values = [caseNumber, scopeOf(reader), attachmentId];
  const found = await database.row(Found, selectAttachment, values);
  if (found === undefined) return ticketNotFound(caseNumber);
  const { attachment, documentKey } = found;
  return attachment === null || documentKey === null
    ? refusal("AttachmentNotFound", { attachmentid: `${attachmentId} is not known.` })
    : success({ attachment, documentKey });
};

export interface AttachmentLimits {
  readonly bytesMax: number;
  readonly countMax: number;
  readonly totalBytesMax: number;
}

const TicketRoom = z.object({ status: z.string(), count: z.bigint(), bytes: z.bigint() });
type TicketRoom = z.infer<typeof TicketRoom>;

const selectRoom = `
  select t.status, (select count(*) from borsello.attachment where case_number = $1) as count,
    (select coalesce(sum(byte_count), 0)::bigint from borsello.attachment where case_number = $1)
      as bytes
  from borsello.ticket as t where t.case_number = $1 and ($2::text is null or t.partner_key = $2)`;

export type RoomRefusal = "TicketOver" | "AttachmentsTooMany" | "AttachmentTooLarge";

/** Whether a ticket takes so many bytes more. */
const roomFor = (
  { status, count, bytes }: TicketRoom,
  added: number,
  { countMax, totalBytesMax }: AttachmentLimits,
): Outcome<null, RoomRefusal> => {
  if (finalStatuses.some((final) => final === status)) return refusal("TicketOver");
  if (count >= countMax) return refusal("AttachmentsTooMany", { "": `has ${countMax} already.` });
  if (bytes + BigInt(added) > totalBytesMax)
    return refusal("AttachmentTooLarge", {
      "": `does not fit: the ticket's attachments may have ${totalBytesMax} bytes together, and have ${bytes}.`,
    });
  return success(null);
};

/** A look before the body is read; what counts is the same check when the attachment is added. */
export const checkRoom = async (
  database: Queryable,
  reader: Reader,
  caseNumber: string,
  bytes: number,
  limits: AttachmentLimits,
): Promise<Outcome<null, RoomRefusal | "TicketNotFound">> => {
  const room = await database.row(TicketRoom, selectRoom, [caseNumber, scopeOf(reader)]);
  return room === undefined ? ticketNotFound(caseNumber) : roomFor(room, bytes, limits);
};

export interface NewAttachment {
  readonly uploadId: string;
  readonly caseNumber: string;
  readonly fileName: string;
  readonly contentType: string;
  readonly bytes: number;
  readonly sha256: Buffer;
}

const Added = z.object({ attachmentId: z.int() });

/**
 * The upload's note becomes the attachment; where a sweep has given the upload up, nothing does. It
 * breaks the silence of a ticket that waits or is resolved: its days begin again.
 */
const insertAttachment = `
  with upload as (
    delete from borsello.attachment_upload where upload_id = $1 and given_up_at is null
    returning case_number, document_key
  ), added as (
    insert into borsello.attachment as a (case_number, attachment_id, document_key, file_name,
      content_type, byte_count, sha256, uploaded_by)
    select case_number, 1 + (select count(*) from borsello.attachment where case_number = $2),
      document_key, $3, $4, $5, $6, $7
    from upload
    returning a
  ), changed as (
    update borsello.ticket as t
    set entered_on = greatest(entered_on, borsello.platform_now()), version = version + 1,
      resolves_on = case when status = 'WaitingForCustomer'
        then borsello.platform_now() + patience end,
      closes_on = case when status = 'Resolved' then borsello.platform_now() + silence end
    from added where t.case_number = (a).case_number
    returning t, (a).attachment_id, (a).created_on
  ), audited as (
    insert into borsello.audit (actor, partner_key, entity, entity_id, action, detail)
    select $7, (t).partner_key, 'Ticket', (t).case_number, 'attach', json_build_object(
      'attachmentId', attachment_id, 'filename', $3::text, 'contentType', $4::text,
      'bytes', $5::bigint, 'sha256', encode($6::bytea, 'hex'))
    from changed
  )
  select attachment_id as "attachmentId",
    borsello.enter_timeline(t, $7, $7::text || ' added the attachment [' || $3::text || ']'),
    borsello.publish_event('TicketAttachmentAdded', (t).partner_key, (t).case_number, (t).version,
      json_build_object(
        'casenumber', (t).case_number, 'partnerKey', (t).partner_key,
        'externalID', (t).external_id, 'attachmentId', attachment_id, 'filename', $3::text,
        'contentType', $4::text, 'bytes', $5::bigint, 'sha256', encode($6::bytea, 'hex'),
        'createdOn', borsello.iso(created_on), 'createdBy', $7::text))
  from changed`;

/**
 * Adds what an upload has stored. The ticket's lock comes first, in a statement of its own, so that
 * the room is counted after all that the lock made this one wait for. Undefined: the upload was given
 * up meanwhile.
 */
export const addAttachment = (
  database: Database,
  actor: { readonly userName: string },
  { uploadId, caseNumber, fileName, contentType, bytes, sha256 }: NewAttachment,
  limits: AttachmentLimits,
): Promise<Outcome<number | undefined, RoomRefusal | "TicketNotFound">> =>
  database.transaction(async (tx) => {
    await tx.execute("select from borsello.ticket where case_number = $1 for no key update", [
      caseNumber,
    ]);
    const room = await tx.row(TicketRoom, selectRoom, [caseNumber, null]);
    if (room === undefined) return ticketNotFound(caseNumber);
    const fits = roomFor(room, bytes, limits);
    if (!fits.ok) return fits;
    const values = [uploadId, caseNumber, fileName, contentType, bytes, sha256, actor.userName];
    return success((await tx.row(Added, insertAttachment, values))?.attachmentId);
  });
