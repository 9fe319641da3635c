/** Where documents lie: each is written once under its key and never changes. */

export interface StoredDocument {
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** For documents that fit into the memory. */
export interface Documents {
  /** False: there is a document under this key, and it stays as it is. */
  putOnce(documentKey: string, document: StoredDocument): Promise<boolean>;
  get(documentKey: string): Promise<StoredDocument | undefined>;
}

/** What was written of a stream. */
export interface WrittenDocument {
  readonly bytes: number;
  readonly sha256: Buffer;
}

/** A document to be read once, at the reader's pace. */
export interface OpenedDocument {
  readonly contentType: string;
  readonly bytes: number;
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** For documents of any size: a few hundred kilobytes of each are in the memory at a time. */
export interface DocumentStore extends Documents {
  /**
   * Writes the pieces as they come; the document is there when the last one is, and not before.
   * Undefined: the key is taken. Where `pieces` throws nothing stays, and its error is thrown on.
   * A crash may leave pieces that nobody sees: whoever writes notes the key first, so that `remove`
   * can take them away later.
   */
  write(
    documentKey: string,
    contentType: string,
    pieces: AsyncIterable<Uint8Array>,
  ): Promise<WrittenDocument | undefined>;
  open(documentKey: string): Promise<OpenedDocument | undefined>;
  /** The document and all that unfinished writes left under its key; no matter if there is nothing. */
  remove(documentKey: string): Promise<void>;
}

export const pdfContentType = "application/pdf";
