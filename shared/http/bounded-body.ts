/** Reads a request's body no further than a limit, so that it cannot fill the memory. */

/** What the reader needs of a request; the Functions library's HttpRequest has it. */
export interface BodySource {
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array> | null;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** Undefined where the body is larger. */
export const readBounded = async (
  source: BodySource,
  bytesMax: number,
): Promise<Uint8Array | undefined> => {
  const declared = source.headers.get("content-length");
  if (declared !== null)
    return Number(declared) > bytesMax ? undefined : new Uint8Array(await source.arrayBuffer());
  if (source.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of source.body) {
    size += chunk.byteLength;
    if (size > bytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};
