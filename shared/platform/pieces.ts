/** Cuts a stream of bytes anew, into pieces of one size. */

/** The last piece may be shorter; of each stream one piece is in the memory. */
export async function* piecesOf(
  bytesPerPiece: number,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer, void, undefined> {
  let piece = Buffer.allocUnsafe(bytesPerPiece);
  let filled = 0;
  for await (const chunk of source) {
    let taken = 0;
    while (taken < chunk.byteLength) {
      const part = chunk.subarray(taken, taken + bytesPerPiece - filled);
      piece.set(part, filled);
      filled += part.byteLength;
      taken += part.byteLength;
      if (filled < bytesPerPiece) continue;
      yield piece;
      // The reader may still be sending the one that it has.
      piece = Buffer.allocUnsafe(bytesPerPiece);
      filled = 0;
    }
  }
  if (filled > 0) yield piece.subarray(0, filled);
}
