/** GET …/file: a clearing file as it was written, streamed. */
import { Identifier } from "../identifier.js";
import { route } from "../route.js";

/** Lines of JSON. */
export const clearingContentType = "application/x-ndjson";

export const getClearingFileRoute = route({
  id: "getClearingFile",
  api: "card",
  method: "GET",
  path: "clearing/bookmarks/{bookmarkId}/outgoing/{outgoingClearingId}/file",
  params: { bookmarkId: Identifier, outgoingClearingId: Identifier },
  role: "Card.Read",
  ok: { status: 200, contentType: clearingContentType, hasDigest: true },
  errors: ["ClearingBookmarkNotFound", "ClearingFileNotFound", "AccountOfAnotherAffiliate"],
  summary: "An outgoing clearing's file",
  result: "The file's lines, each of them one JSON object.",
  description:
    "Lines of JSON: a header, which declares how many records follow, then the records. `Repr-Digest` " +
    "(RFC 9530) has the SHA-256 over all bytes. The file is there once its clearing is exported; " +
    "until then it is ClearingFileNotFound.",
});
