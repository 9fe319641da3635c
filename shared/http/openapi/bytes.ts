/** Bodies that are no JSON: text as it is read, or bytes. */
import type { Json } from "../json-schemas.js";

const isText = (mediaType: string): boolean =>
  mediaType.startsWith("text/") || mediaType === "application/x-ndjson";

export const bytesIn = (mediaType: string): Json => ({
  schema: isText(mediaType) ? { type: "string" } : { type: "string", format: "binary" },
});
