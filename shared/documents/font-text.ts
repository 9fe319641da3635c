/** A text as an embedded font writes it. */
import type { EmbeddedFont } from "@libpdf/core";

/** A value that the font cannot write shows a question mark, and is still the wallet's own. */
export const writable = (text: string, font: EmbeddedFont): string => {
  if (font.canEncode(text)) return text;
  const missing = new Set(font.getUnencodableCharacters(text));
  return Array.from(text, (character) => (missing.has(character) ? "?" : character)).join("");
};

/** The glyphs of a text, two bytes each, as a font of type 0 is shown. */
export const glyphsOf = (text: string, font: EmbeddedFont): Uint8Array => {
  const glyphs = font.encodeTextToGids(text);
  const bytes = Buffer.alloc(glyphs.length * 2);
  for (const [index, glyph] of glyphs.entries()) bytes.writeUInt16BE(glyph, index * 2);
  return bytes;
};
