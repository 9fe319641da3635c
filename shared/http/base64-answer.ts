/** A JSON answer that holds a document in Base64, written while the document is read. */
import { randomUUID } from "node:crypto";
import type { ReadableStream } from "node:stream/web";
import { byteStream } from "./byte-stream.js";

/** Stands in an answer for the Base64 of a document, which is never in the memory as a whole. */
export interface Base64Content {
  /** What the answer holds in the document's place until it is written. */
  readonly place: string;
  readonly bytes: number;
  readonly pieces: AsyncIterable<Uint8Array>;
}

export const base64Content = (bytes: number, pieces: AsyncIterable<Uint8Array>): Base64Content => ({
  place: randomUUID(),
  bytes,
  pieces,
});

/** Base64 takes three bytes at a time; what is left of a piece goes before the next one. */
async function* base64Pieces(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  for await (const piece of pieces) {
    const bytes =
      rest.length === 0
        ? Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
        : Buffer.concat([rest, piece]);
    const whole = bytes.length - (bytes.length % 3);
    yield Buffer.from(bytes.toString("base64", 0, whole), "latin1");
    rest = Buffer.from(bytes.subarray(whole));
  }
  if (rest.length > 0) yield Buffer.from(rest.toString("base64"), "latin1");
}

async function* around(
  before: string,
  content: Base64Content,
  after: string,
): AsyncGenerator<Buffer> {
  yield Buffer.from(before);
  yield* base64Pieces(content.pieces);
  yield Buffer.from(after);
}

export interface StreamedJson {
  readonly length: number;
  readonly body: ReadableStream<Uint8Array>;
}

/** The JSON of `value`, with the document's Base64 where its place is. */
export const jsonWithBase64 = (value: unknown, content: Base64Content): StreamedJson => {
  const [before = "", after = ""] = JSON.stringify(value).split(content.place);
  const length =
    Buffer.byteLength(before) + Buffer.byteLength(after) + 4 * Math.ceil(content.bytes / 3);
  return { length, body: byteStream(around(before, content, after)) };
};
