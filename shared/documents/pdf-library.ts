/** The PDF library and our fonts, loaded when the first document is asked for: a start needs neither. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { EmbeddedFont, PDF } from "@libpdf/core";
import { lazy } from "../platform/lazy.js";

export const pdfLibrary = lazy(() => import("@libpdf/core"));

const require = createRequire(import.meta.url);
const faces = {
  regular: "dejavu-fonts-ttf/ttf/DejaVuSans.ttf",
  bold: "dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf",
} as const;
type Face = keyof typeof faces;

const fontBytes = {
  regular: lazy(() => readFile(require.resolve(faces.regular))),
  bold: lazy(() => readFile(require.resolve(faces.bold))),
} as const satisfies Record<Face, () => Promise<Uint8Array>>;

const parsed = new Map<Face, EmbeddedFont["program"]>();

/**
 * A font with the letters of all European languages, so that every name can be written.
 *
 * The library reads a font's tables anew for each document, which is half the work of filling a
 * form, and has no way to be given a font that it has read. So the fonts of later documents get the
 * tables of the first one; where a version of the library keeps them elsewhere, it reads them anew.
 */
export const embedFont = async (pdf: PDF, face: Face): Promise<EmbeddedFont> => {
  const font = pdf.embedFont(await fontBytes[face]());
  const known = parsed.get(face);
  if (known === undefined) parsed.set(face, font.program);
  else Reflect.set(font, "fontProgram", known);
  return font;
};
