/** GET …/file: an outgoing clearing's file, piece by piece as it lies in the document store. */
import { getClearingFileRoute } from "../../shared/contracts/clearing/files.js";
import { findClearingFile } from "../../shared/database/clearing/files.js";
import { endpoint } from "../kit/endpoint.js";

async function* each(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

export const getClearingFileEndpoint = endpoint(
  getClearingFileRoute,
  async ({ database, documents }, { params, caller, ok, refuse }) => {
    const { bookmarkId, outgoingClearingId } = params;
    const found = await findClearingFile(database, caller, bookmarkId, outgoingClearingId);
    if (!found.ok) return refuse(found);
    const { fileName, documentKey, bytes, sha256 } = found.value;
    const document = await documents.open(documentKey);
    if (document === undefined) throw new Error(`the document ${documentKey} is not there`);
    return ok({ bytes: each(document.pieces), filename: fileName, written: { bytes, sha256 } });
  },
);
