/** Much work done in pieces, each a transaction of its own, until a piece finds nothing more to do. */

/** Resolves to how much was done. `mayGoOn` is asked before each piece. */
export const untilNone = async (
  piece: () => Promise<number>,
  mayGoOn: () => boolean = () => true,
): Promise<number> => {
  let done = 0;
  while (mayGoOn()) {
    const inPiece = await piece();
    if (inPiece === 0) break;
    done += inPiece;
  }
  return done;
};
