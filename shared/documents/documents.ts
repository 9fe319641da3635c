/** Where documents lie: each is written once under its key and never changes. */

export interface StoredDocument {
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

export interface Documents {
  /** False: there is a document under this key, and it stays as it is. */
  putOnce(documentKey: string, document: StoredDocument): Promise<boolean>;
  get(documentKey: string): Promise<StoredDocument | undefined>;
}

export const pdfContentType = "application/pdf";
