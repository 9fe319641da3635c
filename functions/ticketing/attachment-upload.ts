/** Stores what a caller uploads, looking at it while it passes, and makes it a ticket's attachment. */
import {
  addAttachment,
  type AttachmentLimits,
  type RoomRefusal,
} from "../../shared/database/ticketing/attachments.js";
import {
  forgetUpload,
  giveUpUpload,
  noteUpload,
  type NotedUpload,
} from "../../shared/database/ticketing/attachment-uploads.js";
import { refusal, success, type Outcome, type Refusal } from "../../shared/domain/outcome.js";
import type { AttachmentType } from "../../shared/domain/ticketing/attachment-types.js";
import type { ContentCheck } from "../../shared/domain/ticketing/content-checks.js";
import { bytesPerPiece } from "../../shared/database/documents/pieces.js";
import { uuidv7 } from "../../shared/platform/ids.js";
import { piecesOf } from "../../shared/platform/pieces.js";
import type { Services } from "../kit/services.js";

type ContentRefusal = "AttachmentEmpty" | "AttachmentTooLarge" | "AttachmentTypeUnsupported";

/** Ends a stream from within; the store drops what it has. */
class ContentRefusedError extends Error {
  override readonly name = "ContentRefusedError";
  readonly refused: Refusal<ContentRefusal>;

  constructor(refused: Refusal<ContentRefusal>) {
    super(refused.code);
    this.refused = refused;
  }
}

const otherKind = (): ContentRefusedError =>
  new ContentRefusedError(
    refusal("AttachmentTypeUnsupported", { "": "must have the content that its extension says." }),
  );

export const tooLarge = (bytesMax: number): Refusal<"AttachmentTooLarge"> =>
  refusal("AttachmentTooLarge", { "": `may have at most ${bytesMax} bytes.` });

/** The pieces as they are; one that may not be stored ends them with its refusal. */
async function* inspected(
  pieces: AsyncIterable<Uint8Array>,
  check: ContentCheck,
  bytesMax: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.byteLength;
    if (bytes > bytesMax) throw new ContentRefusedError(tooLarge(bytesMax));
    if (!check.see(piece)) throw otherKind();
    yield piece;
  }
  if (bytes === 0) throw new ContentRefusedError(refusal("AttachmentEmpty"));
  if (!check.end()) throw otherKind();
}

/** Removes what a given-up upload has stored. */
export const discardUpload = async (
  { database, documents }: Pick<Services, "database" | "documents">,
  { uploadId, documentKey }: NotedUpload,
): Promise<void> => {
  await documents.remove(documentKey);
  await forgetUpload(database, uploadId);
};

/** Whatever cannot be cleared away now is found by the sweep. */
const giveUp = async (services: Services, upload: NotedUpload): Promise<void> => {
  try {
    if (await giveUpUpload(services.database, upload.uploadId))
      await discardUpload(services, upload);
  } catch (error) {
    services.logger.warn("An upload is left to the sweep.", { ...upload, error });
  }
};

export interface AttachmentUpload {
  readonly caseNumber: string;
  readonly fileName: string;
  readonly type: AttachmentType;
  readonly pieces: AsyncIterable<Uint8Array>;
}

type Stored = Outcome<number, ContentRefusal | RoomRefusal | "TicketNotFound">;

const storeAndAdd = async (
  { database, documents, faults }: Services,
  { uploadId, documentKey }: NotedUpload,
  caller: { readonly userName: string },
  { caseNumber, fileName, type, pieces }: AttachmentUpload,
  limits: AttachmentLimits,
): Promise<Stored> => {
  // However small the pieces are that the sender's connection brings.
  const content = inspected(piecesOf(bytesPerPiece, pieces), type.check(), limits.bytesMax);
  const written = await documents.write(documentKey, type.contentType, content);
  if (written === undefined)
    throw new Error(`the key ${documentKey} is taken, or its pieces were removed meanwhile`);
  faults.hit("attachment.stored");
  const file = { caseNumber, fileName, contentType: type.contentType };
  const added = await addAttachment(database, caller, { uploadId, ...file, ...written }, limits);
  if (!added.ok) return added;
  if (added.value === undefined) throw new Error(`the upload ${uploadId} took too long`);
  return success(added.value);
};

/** The new attachment's id. However this ends, there is an attachment with its bytes, or nothing. */
export const storeAttachment = async (
  services: Services,
  caller: { readonly userName: string },
  upload: AttachmentUpload,
  limits: AttachmentLimits,
): Promise<Stored> => {
  const uploadId = uuidv7();
  const noted = { uploadId, documentKey: `attachments/${upload.caseNumber}/${uploadId}` };
  await noteUpload(services.database, upload.caseNumber, noted);
  try {
    const stored = await storeAndAdd(services, noted, caller, upload, limits);
    if (!stored.ok) await giveUp(services, noted);
    return stored;
  } catch (error) {
    await giveUp(services, noted);
    if (error instanceof ContentRefusedError) return error.refused;
    throw error;
  }
};
