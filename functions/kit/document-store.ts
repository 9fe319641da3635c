/** Where the documents lie, by the settings: in the database or in Blob Storage. */
import type { Database } from "../../shared/database/platform/database.js";
import {
  openDocument,
  removeDocument,
  writeDocument,
} from "../../shared/database/documents/pieces.js";
import { findDocument, putDocumentOnce } from "../../shared/database/documents/documents.js";
import { blobDocuments, openContainer } from "../../shared/documents/blob-documents.js";
import type { DocumentStore } from "../../shared/documents/documents.js";
import type { DocumentsConnection } from "../../shared/platform/settings/document-settings.js";

export const databaseDocuments = (database: Database): DocumentStore => ({
  putOnce: (documentKey, document) => putDocumentOnce(database, documentKey, document),
  get: (documentKey) => findDocument(database, documentKey),
  write: (documentKey, contentType, pieces) =>
    writeDocument(database, documentKey, contentType, pieces),
  open: (documentKey) => openDocument(database, documentKey),
  remove: (documentKey) => removeDocument(database, documentKey),
});

export const documentStore = (
  connection: DocumentsConnection,
  database: Database,
): DocumentStore =>
  connection.kind === "database"
    ? databaseDocuments(database)
    : blobDocuments(() => openContainer(connection));
