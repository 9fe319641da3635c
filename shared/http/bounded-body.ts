/** Reads a request's body no further than a limit, so that it cannot fill the memory. */

/** What the reader needs of a request; the Functions library's HttpRequest has it. */
export interface BodySource {
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array> | null;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** There is more of the body than its limit. */
export class BodyTooLargeError extends Error {
  override readonly name = "BodyTooLargeError";
}

/** The caller went away, or ended the body before the length that it had announced. */
export class BodyCutError extends Error {
  override readonly name = "BodyCutError";
}

export const announcedBytes = ({ headers }: Pick<BodySource, "headers">): number | undefined => {
  const length = headers.get("content-length");
  return length === null || length === "" ? undefined : Number(length);
};

const orCut = async <Value>(read: Promise<Value>): Promise<Value> => {
  try {
    return await read;
  } catch (error) {
    throw new BodyCutError("the body broke off", { cause: error });
  }
};

/**
 * The body as it comes. Whoever stops early leaves the rest unread: `for await` over the body itself
 * would cancel it, and with it the connection that is to carry the answer.
 */
export async function* boundedPieces(
  source: Pick<BodySource, "headers" | "body">,
  bytesMax: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const announced = announcedBytes(source);
  if (announced !== undefined && announced > bytesMax)
    throw new BodyTooLargeError(`more than ${bytesMax} bytes are announced`);
  let bytes = 0;
  if (source.body !== null) {
    const pieces = source.body[Symbol.asyncIterator]();
    for (;;) {
      const next = await orCut(pieces.next());
      if (next.done === true) break;
      bytes += next.value.byteLength;
      if (bytes > bytesMax) throw new BodyTooLargeError(`more than ${bytesMax} bytes`);
      yield next.value;
    }
  }
  if (announced !== undefined && bytes !== announced)
    throw new BodyCutError(`${bytes} of ${announced} bytes came`);
}

/** Undefined where the body is larger. */
export const readBounded = async (
  source: BodySource,
  bytesMax: number,
): Promise<Uint8Array | undefined> => {
  const announced = announcedBytes(source);
  if (announced !== undefined)
    return announced > bytesMax ? undefined : new Uint8Array(await orCut(source.arrayBuffer()));
  const pieces: Uint8Array[] = [];
  try {
    for await (const piece of boundedPieces(source, bytesMax)) pieces.push(piece);
  } catch (error) {
    if (error instanceof BodyTooLargeError) return undefined;
    throw error;
  }
  return Buffer.concat(pieces);
};
