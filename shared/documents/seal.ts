/** Seals a PDF: a PAdES signature that covers the whole document. */
import { createHash } from "node:crypto";
import { signDigest } from "./cades.js";
import { pdfLibrary } from "./pdf-library.js";
import type { SealKey } from "./seal-key.js";

/** What a signature takes beside its certificates, and then some: keys up to 4096 bits. */
const signatureBytesMax = 2048;

const signatureRoom = ({ certificate, chain }: SealKey): number =>
  [certificate, ...chain].reduce((sum, { length }) => sum + length, signatureBytesMax);

const byteRangeShape = /\/ByteRange\s*\[\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s*\]/g;

/** The two parts of a sealed PDF around its signature: [start, length, start, length]. */
export const signedRange = (pdf: Buffer): readonly [number, number, number, number] => {
  const [, ...numbers] = [...pdf.toString("latin1").matchAll(byteRangeShape)].at(-1) ?? [];
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

/** A PDF with an empty place for the signature: the library's own one would break PAdES (see below). */
const withPlace = async (pdf: Uint8Array, key: SealKey, at: Date): Promise<Buffer> => {
  const { PDF } = await pdfLibrary();
  const document = await PDF.load(pdf);
  const { bytes } = await document.sign({
    signer: {
      certificate: key.certificate,
      keyType: key.keyType,
      signatureAlgorithm: key.keyType === "EC" ? "ECDSA" : "RSASSA-PKCS1-v1_5",
      sign: async () => Buffer.alloc(1),
    },
    reason: "Sealed by Borsello",
    signingTime: at,
    subFilter: "ETSI.CAdES.detached",
    estimatedSize: signatureRoom(key),
  });
  return Buffer.from(bytes);
};

/**
 * Seals with the given key. The library lays out the signature's place and byte range; what it would
 * write there holds the signing-time attribute that PAdES forbids, so our own signature goes there.
 */
export const sealPdf = async (pdf: Uint8Array, key: SealKey, at: Date): Promise<Uint8Array> => {
  const sealed = await withPlace(pdf, key, at);
  const [, length, restStart] = signedRange(sealed);
  const signature = await signDigest(signedDigest(sealed), key);
  // The place lies between "<" and ">".
  const digits = restStart - length - 2;
  const hex = signature.toString("hex").padEnd(digits, "0");
  if (hex.length !== digits) throw new Error("The seal's certificates do not fit into the PDF.");
  sealed.write(hex, length + 1, "latin1");
  return sealed;
};
