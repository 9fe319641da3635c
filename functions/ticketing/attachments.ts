/** A ticket's attachments: raw bytes in, their list, and each of them with its content in Base64. */
import {
  getAttachmentRoute,
  listAttachmentsRoute,
  postAttachmentRoute,
} from "../../shared/contracts/ticketing/attachments.js";
import {
  checkRoom,
  findAttachment,
  findAttachments,
} from "../../shared/database/ticketing/attachments.js";
import { refusal, success, type Outcome } from "../../shared/domain/outcome.js";
import {
  attachmentExtensions,
  attachmentTypeOf,
  mayDeclare,
  type AttachmentType,
} from "../../shared/domain/ticketing/attachment-types.js";
import { base64Content } from "../../shared/http/base64-answer.js";
import { endpoint } from "../kit/endpoint.js";
import { storeAttachment, tooLarge } from "./attachment-upload.js";

const listEndpoint = endpoint(
  listAttachmentsRoute,
  async ({ database }, { params: { casenumber }, caller, ok, refuse }) => {
    const found = await findAttachments(database, caller, casenumber);
    return found.ok ? ok({ response: [...found.value] }) : refuse(found);
  },
);

const typeOf = (
  fileName: string,
  declared: string | undefined,
): Outcome<AttachmentType, "AttachmentTypeUnsupported"> => {
  const type = attachmentTypeOf(fileName);
  if (type === undefined)
    return refusal("AttachmentTypeUnsupported", {
      filename: `must end in one of ${attachmentExtensions.join(", ")}.`,
    });
  return mayDeclare(type, declared)
    ? success(type)
    : refusal("AttachmentTypeUnsupported", {
        "content-type": `must be application/octet-stream or ${type.contentType}.`,
      });
};

const postEndpoint = endpoint(
  postAttachmentRoute,
  async (services, { params: { casenumber }, query, body, caller, ok, refuse }) => {
    const limits = caller.settings.ticketing.attachments;
    const announced = body.bytesAnnounced ?? 0;
    const room = await checkRoom(services.database, caller, casenumber, announced, limits);
    if (!room.ok) return refuse(room);
    const type = typeOf(query.filename, body.contentType);
    if (!type.ok) return refuse(type);
    if (body.bytesAnnounced === 0) return refuse(refusal("AttachmentEmpty"));
    if (announced > limits.bytesMax) return refuse(tooLarge(limits.bytesMax));
    const upload = {
      caseNumber: casenumber,
      fileName: query.filename,
      type: type.value,
      pieces: body.pieces,
    };
    const stored = await storeAttachment(services, caller, upload, limits);
    if (!stored.ok) return refuse(stored);
    return ok({
      message: `The attachment was added to the ticket ${casenumber}.`,
      id: stored.value,
      caseNumber: casenumber,
      filename: query.filename,
    });
  },
);

const getEndpoint = endpoint(
  getAttachmentRoute,
  async ({ database, documents }, { params, caller, ok, refuse }) => {
    const { casenumber, attachmentid } = params;
    const found = await findAttachment(database, caller, casenumber, attachmentid);
    if (!found.ok) return refuse(found);
    const { attachment, documentKey } = found.value;
    const document = await documents.open(documentKey);
    if (document === undefined) throw new Error(`the document ${documentKey} is not there`);
    const content = base64Content(document.bytes, document.pieces);
    return ok({ response: { ...attachment, filecontent: content.place } }, content);
  },
);

export const attachmentEndpoints = [listEndpoint, postEndpoint, getEndpoint];
