/** The PDF library and our font, loaded when the first document is asked for: a start needs neither. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

type PdfLibrary = typeof import("@libpdf/core");

let library: Promise<PdfLibrary> | undefined;

export const pdfLibrary = (): Promise<PdfLibrary> => (library ??= import("@libpdf/core"));

const require = createRequire(import.meta.url);
const faces = {
  regular: "dejavu-fonts-ttf/ttf/DejaVuSans.ttf",
  bold: "dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf",
} as const;
const loaded = new Map<keyof typeof faces, Promise<Uint8Array>>();

/** A font with the letters of all European languages, so that every name can be written. */
export const fontBytes = (face: keyof typeof faces): Promise<Uint8Array> => {
  const known = loaded.get(face);
  if (known !== undefined) return known;
  const bytes = readFile(require.resolve(faces[face]));
  loaded.set(face, bytes);
  return bytes;
};
