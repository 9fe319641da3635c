/** Tells by its bytes whether a file is what its extension says, while the bytes pass by. */

/** Looks at a file once, from its first byte to its last. */
export interface ContentCheck {
  /** False: it is another kind of file; nothing more needs to be looked at. */
  see(piece: Uint8Array): boolean;
  /** Whether all that passed by was such a file. */
  end(): boolean;
}

export const bufferOf = (piece: Uint8Array): Buffer =>
  Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);

/** A file whose first bytes, at most so many, are judged as soon as they are all there. */
export const byBeginning = (
  bytesMax: number,
  isRight: (beginning: Buffer) => boolean,
): ContentCheck => {
  let beginning = Buffer.alloc(0);
  let verdict: boolean | undefined;
  return {
    see: (piece) => {
      if (verdict !== undefined) return verdict;
      const missing = bytesMax - beginning.length;
      beginning = Buffer.concat([beginning, bufferOf(piece).subarray(0, missing)]);
      if (beginning.length < bytesMax) return true;
      verdict = isRight(beginning);
      return verdict;
    },
    end: () => verdict ?? isRight(beginning),
  };
};

export const every = (...checks: readonly ContentCheck[]): ContentCheck => ({
  see: (piece) => checks.every((check) => check.see(piece)),
  end: () => checks.every((check) => check.end()),
});

const beginsWith = (pattern: RegExp, length: number): ContentCheck =>
  byBeginning(length, (beginning) => pattern.test(beginning.toString("latin1")));

export const pdf = (): ContentCheck => beginsWith(/^%PDF-/, 5);
export const png = (): ContentCheck => beginsWith(/^\x89PNG\r\n\x1a\n/, 8);
export const jpeg = (): ContentCheck => beginsWith(/^\xff\xd8\xff/, 3);
export const gif = (): ContentCheck => beginsWith(/^GIF8[79]a/, 6);
export const webp = (): ContentCheck => beginsWith(/^RIFF[^]{4}WEBP/, 12);

/** The brands of ISO 23008-12 whose pictures are HEVC, and those that only say "a picture". */
const hevc = /^(hei[cxms]|hev[cxms])$/;
const anyPicture = /^(mif1|msf1)$/;
const fileTypeBytesMax = 256;

/** A box `ftyp`, whose brands say that its pictures are HEVC; AVIF is the same box with other brands. */
export const heic = (): ContentCheck =>
  byBeginning(fileTypeBytesMax, (beginning) => {
    const text = beginning.toString("latin1");
    if (beginning.length < 16 || text.slice(4, 8) !== "ftyp") return false;
    const boxBytes = beginning.readUInt32BE(0);
    if (boxBytes < 16 || boxBytes > beginning.length || boxBytes % 4 !== 0) return false;
    const major = text.slice(8, 12);
    const compatible = text.slice(16, boxBytes).match(/[^]{4}/g) ?? [];
    return hevc.test(major) || (anyPicture.test(major) && compatible.some((one) => hevc.test(one)));
  });
