/** Seals a PDF: a PAdES signature that covers the whole document. */
import { createHash } from "node:crypto";
import { digestSigner, type DigestSigner } from "./cades.js";
import { pdfLibrary } from "./pdf-library.js";
import type { SealKey } from "./seal-key.js";

/** What a signature takes beside its certificates, and then some: keys up to 4096 bits. */
const signatureBytesMax = 2048;

const signatureRoom = ({ certificate, chain }: SealKey): number =>
  [certificate, ...chain].reduce((sum, { length }) => sum + length, signatureBytesMax);

/** The two parts of a sealed PDF around its signature: [start, length, start, length]. */
type SignedRange = readonly [number, number, number, number];

const byteRangeShape = /^\/ByteRange\s*\[\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s*\]/;
const byteRangeCharactersMax = 100;

export const signedRange = (pdf: Buffer): SignedRange => {
  const at = pdf.lastIndexOf("/ByteRange");
  const text = at < 0 ? "" : pdf.toString("latin1", at, at + byteRangeCharactersMax);
  const [, ...numbers] = byteRangeShape.exec(text) ?? [];
  const [start, length, restStart, restLength] = numbers.map(Number);
  if (
    start === undefined ||
    length === undefined ||
    restStart === undefined ||
    restLength === undefined
  )
    throw new Error("This PDF has no signature.");
  return [start, length, restStart, restLength];
};

/** Digest of everything but the signature's own bytes. */
export const signedDigest = (pdf: Buffer): Buffer => {
  const [start, length, restStart, restLength] = signedRange(pdf);
  return createHash("sha256")
    .update(pdf.subarray(start, start + length))
    .update(pdf.subarray(restStart, restStart + restLength))
    .digest();
};

const pdfDate = (at: Date): string => `D:${at.toISOString().slice(0, 19).replace(/[-T:]/g, "")}Z`;

/** Holds the place of a number in the byte range, as long as the longest that may come there. */
const unknownOffset = 9_999_999_999;

/** A PDF with an empty place for the signature, in an invisible field of its first page. */
const withPlace = async (pdf: Uint8Array, room: number, at: Date): Promise<Buffer> => {
  const { PDF, PdfArray, PdfDict, PdfName, PdfNumber, PdfString } = await pdfLibrary();
  const document = await PDF.load(pdf);
  const page = document.context.pages.getPage(0);
  if (page === null) throw new Error("This PDF has no page to be sealed.");
  const numbers = (...values: readonly number[]) =>
    new PdfArray(values.map((it) => PdfNumber.of(it)));
  const signature = document.register(
    PdfDict.of({
      Type: PdfName.of("Sig"),
      Filter: PdfName.of("Adobe.PPKLite"),
      SubFilter: PdfName.of("ETSI.CAdES.detached"),
      ByteRange: numbers(0, unknownOffset, unknownOffset, unknownOffset),
      Contents: PdfString.fromBytes(new Uint8Array(room)),
      M: PdfString.fromString(pdfDate(at)),
      Reason: PdfString.fromString("Sealed by Borsello"),
    }),
  );
  const field = document.getOrCreateForm().createSignatureField("Signature_1").getDict();
  // Field and widget in one, so that it needs no kids.
  field.delete("Kids");
  field.set("V", signature);
  field.set("Type", PdfName.of("Annot"));
  field.set("Subtype", PdfName.of("Widget"));
  field.set("F", PdfNumber.of(132)); // printed, locked
  field.set("P", page);
  field.set("Rect", numbers(0, 0, 0, 0));
  return Buffer.from(await document.save({ incremental: true }));
};

/** Writes the byte range: everything but the signature's place, which lies between "<" and ">". */
const writeRange = (pdf: Buffer): void => {
  const at = pdf.lastIndexOf("/ByteRange");
  const [open, close] = [pdf.indexOf("[", at), pdf.indexOf("]", at)];
  const placeStart = pdf.indexOf("<", pdf.indexOf("/Contents", at));
  const placeEnd = pdf.indexOf(">", placeStart) + 1;
  const range = `[0 ${placeStart} ${placeEnd} ${pdf.length - placeEnd}`;
  pdf.write(range.padEnd(close - open, " "), open, "latin1");
};

/** Seals a PDF; `at` is the time of the seal. */
export type PdfSealer = (pdf: Uint8Array, at: Date) => Promise<Uint8Array>;

/**
 * Seals with the given key. The library's own signing is not used: its signature holds the
 * signing-time attribute that PAdES forbids.
 */
export const pdfSealer = async (key: SealKey): Promise<PdfSealer> => {
  const sign: DigestSigner = await digestSigner(key);
  const room = signatureRoom(key);
  return async (pdf, at) => {
    const sealed = await withPlace(pdf, room, at);
    writeRange(sealed);
    const [, length] = signedRange(sealed);
    const signature = await sign(signedDigest(sealed));
    if (signature.length > room)
      throw new Error("The seal's certificates do not fit into the PDF.");
    sealed.write(signature.toString("hex"), length + 1, "latin1");
    return sealed;
  };
};
