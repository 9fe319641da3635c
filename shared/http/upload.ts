/** A body of raw bytes as a handler gets it: its declared type, and the pieces as they come. */
import type { BinaryBody } from "../contracts/route.js";
import { refusal, success, type Outcome } from "../domain/outcome.js";
import { announcedBytes, boundedPieces, type BodySource } from "./bounded-body.js";

export interface Upload {
  /** As the caller declares it: lower case, without parameters; undefined where it says nothing. */
  readonly contentType: string | undefined;
  /** Undefined where the caller does not say before it sends. */
  readonly bytesAnnounced: number | undefined;
  /**
   * To be read once, at the reader's pace. Throws BodyTooLargeError beyond the route's limit and
   * BodyCutError where the caller goes away; the kit answers for both.
   */
  readonly pieces: AsyncIterable<Uint8Array>;
}

export const tooLargeRefusal = (bytesMax: number) =>
  refusal("PayloadTooLarge", { "": `must have at most ${bytesMax} bytes.` });

const mediaTypeOf = (source: Pick<BodySource, "headers">): string | undefined => {
  const [type = ""] = (source.headers.get("content-type") ?? "").split(";");
  return type.trim() === "" ? undefined : type.trim().toLowerCase();
};

/** The upload, not a byte of it read, or why it is refused by its headers alone. */
export const openUpload = (
  source: BodySource,
  { contentTypes, bytesMax }: BinaryBody,
): Outcome<Upload, "PayloadTooLarge" | "UnsupportedMediaType"> => {
  const contentType = mediaTypeOf(source);
  if (contentType !== undefined && !contentTypes.includes(contentType))
    return refusal("UnsupportedMediaType", {
      "content-type": `must be ${contentTypes[0] ?? "absent"}.`,
    });
  const bytesAnnounced = announcedBytes(source);
  if (bytesAnnounced !== undefined && bytesAnnounced > bytesMax) return tooLargeRefusal(bytesMax);
  return success({ contentType, bytesAnnounced, pieces: boundedPieces(source, bytesMax) });
};
