/** The kinds of files that a ticket takes: by extension, each with its media type and its check. */
import { officeDocument, wordDocument, zip } from "./archive-checks.js";
import { gif, heic, jpeg, pdf, png, webp, type ContentCheck } from "./content-checks.js";
import { extensionOf } from "./file-names.js";
import { jsonText, mailMessage, plainText } from "./text-checks.js";

/** More than this no partner may be allowed: its Base64 must fit into an answer. */
export const attachmentBytesMax = 10 * 1024 * 1024;

export interface AttachmentType {
  readonly contentType: string;
  readonly check: () => ContentCheck;
}

const office = "application/vnd.openxmlformats-officedocument";
const jpegType: AttachmentType = { contentType: "image/jpeg", check: jpeg };

const byExtension: ReadonlyMap<string, AttachmentType> = new Map([
  ["pdf", { contentType: "application/pdf", check: pdf }],
  ["png", { contentType: "image/png", check: png }],
  ["jpg", jpegType],
  ["jpeg", jpegType],
  ["gif", { contentType: "image/gif", check: gif }],
  ["heic", { contentType: "image/heic", check: heic }],
  ["webp", { contentType: "image/webp", check: webp }],
  ["txt", { contentType: "text/plain", check: plainText }],
  ["csv", { contentType: "text/csv", check: plainText }],
  ["json", { contentType: "application/json", check: jsonText }],
  ["eml", { contentType: "message/rfc822", check: mailMessage }],
  ["zip", { contentType: "application/zip", check: zip }],
  ["doc", { contentType: "application/msword", check: wordDocument }],
  [
    "docx",
    {
      contentType: `${office}.wordprocessingml.document`,
      check: () => officeDocument("word/"),
    },
  ],
  ["xlsx", { contentType: `${office}.spreadsheetml.sheet`, check: () => officeDocument("xl/") }],
]);

export const attachmentExtensions: readonly string[] = [...byExtension.keys()];

/** What callers declare for bytes of any kind. */
export const anyBytes = "application/octet-stream";

export const attachmentContentTypes: readonly string[] = [
  ...new Set([...byExtension.values()].map(({ contentType }) => contentType)),
];

/** Undefined: no ticket takes files with such a name. */
export const attachmentTypeOf = (fileName: string): AttachmentType | undefined =>
  byExtension.get(extensionOf(fileName));

/** Whether a caller may declare this type for such a file. */
export const mayDeclare = (
  { contentType }: AttachmentType,
  declared: string | undefined,
): boolean => declared === undefined || declared === anyBytes || declared === contentType;
