/** Attachments of a ticket and their routes (ticketing seed, 2.6 and 4). */
import { z } from "zod";
import {
  anyBytes,
  attachmentBytesMax,
  attachmentContentTypes,
  attachmentExtensions,
} from "../../domain/ticketing/attachment-types.js";
import { fileNameCharactersMax, fileNameFault } from "../../domain/ticketing/file-names.js";
import { route } from "../route.js";
import { DateTime, ticketParams } from "./fields.js";

const attachment = {
  id: z.int(),
  filename: z.string(),
  createdOn: DateTime,
  contentType: z.string(),
};

export const AttachmentSummary = z.object(attachment).meta({ id: "AttachmentSummary" });
export type AttachmentSummary = z.output<typeof AttachmentSummary>;

export const Attachment = z
  .object({ ...attachment, filecontent: z.string().meta({ contentEncoding: "base64" }) })
  .meta({ id: "Attachment" });

/** Four for each: so many has a letter of another script with its marks, when they are decomposed. */
const fileNameCodeUnitsMax = 4 * fileNameCharactersMax;

/** Composed letters and decomposed ones look the same, so that they are kept the same. */
const FileName = z
  .string()
  .max(fileNameCodeUnitsMax, {
    error: `must have at most ${fileNameCharactersMax} characters.`,
    abort: true,
  })
  .transform((text, context) => {
    const name = text.normalize("NFC");
    const fault = fileNameFault(name);
    if (fault === undefined) return name;
    context.issues.push({ code: "custom", message: fault, input: text });
    return z.NEVER;
  })
  .describe(
    `At most ${fileNameCharactersMax} characters, no path, nothing invisible, and one of the extensions ` +
      `${attachmentExtensions.join(", ")}.`,
  );

export const listAttachmentsRoute = route({
  id: "getTicketAttachments",
  api: "ticketing",
  method: "GET",
  path: "tickets/{casenumber}/attachments",
  params: ticketParams,
  role: "Ticket.Read",
  ok: { status: 200, schema: z.object({ response: z.array(AttachmentSummary) }) },
  errors: ["TicketNotFound"],
  summary: "A ticket's attachments, without their content",
  result: "The attachments' names, types and sizes.",
});

export const postAttachmentRoute = route({
  id: "postAttachment",
  api: "ticketing",
  method: "POST",
  path: "tickets/{casenumber}/attachments",
  params: ticketParams,
  query: { filename: FileName },
  body: { contentTypes: [anyBytes, ...attachmentContentTypes], bytesMax: attachmentBytesMax },
  role: "Ticket.Write",
  ok: {
    status: 200,
    schema: z.object({
      message: z.string(),
      id: z.int(),
      caseNumber: z.string(),
      filename: z.string(),
    }),
  },
  errors: [
    "AttachmentEmpty",
    "TicketNotFound",
    "TicketOver",
    "AttachmentsTooMany",
    "AttachmentTooLarge",
    "AttachmentTypeUnsupported",
  ],
  summary: "Add an attachment: the file's bytes are the body",
  result: "The file was attached, under this id.",
  description:
    "The file's content must be what its extension says. A ticket takes 20 attachments of together " +
    "50 MiB, unless the partner's settings say otherwise. An upload that breaks off leaves nothing.",
});

const wholeNumber = /^-?\d{1,15}$/;

/** Any whole number may be asked for; only those that were given out are found. */
const AttachmentId = z
  .string()
  .transform((text) => (wholeNumber.test(text) ? Number(text) : Number.NaN))
  .pipe(z.int({ error: "must be a whole number of at most 15 digits" }))
  .meta({ type: "integer", minimum: 1, maximum: 999_999_999_999_999 });

export const getAttachmentRoute = route({
  id: "getAttachment",
  api: "ticketing",
  method: "GET",
  path: "tickets/{casenumber}/attachments/{attachmentid}",
  params: {
    ...ticketParams,
    attachmentid: AttachmentId,
  },
  role: "Ticket.Read",
  ok: { status: 200, schema: z.object({ response: Attachment }) },
  errors: ["TicketNotFound", "AttachmentNotFound"],
  summary: "An attachment with its content",
  result: "The attachment with its bytes in Base64.",
  description: "`filecontent` holds the very bytes that were uploaded, in Base64.",
});
