/** A form prepared once, its page laid out and its font embedded, so that filling it is one small update. */
import type { EmbeddedFont, PDF } from "@libpdf/core";
import { lazy } from "../platform/lazy.js";
import { fitText } from "./fit-text.js";
import { glyphsOf, writable } from "./font-text.js";
import { drawForm, withoutLots, type FieldBox, type FormDeclaration } from "./pdf-form.js";
import { embedFont, pdfLibrary } from "./pdf-library.js";

type FieldValues = Readonly<Record<string, string | null>>;

/**
 * First and last code point of each run of letters that every filled form embeds: those that nearly
 * all of a partner's wallets need, since each letter makes each document longer.
 */
const letterRuns = [
  [0x20, 0x7e], // ASCII
  [0xa0, 0xff], // Latin-1
  [0x2010, 0x2026], // dashes, quotation marks, ellipsis
  [0x20ac, 0x20ac], // euro
] as const;

const lettersOf = (font: EmbeddedFont): ReadonlySet<string> =>
  new Set(
    letterRuns
      .flatMap(([first, last]) =>
        Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index)),
      )
      .filter((letter) => font.canEncode(letter)),
  );

interface PreparedForm {
  /** The form without its fields: each filled one is these bytes and an update behind them. */
  readonly bytes: Uint8Array;
  readonly boxes: ReadonlyMap<string, FieldBox>;
  readonly font: EmbeddedFont;
  /** The font's name among the page's resources. */
  readonly fontName: string;
  /** What the embedded part of the font can write. */
  readonly letters: ReadonlySet<string>;
}

const prepare = async (declaration: FormDeclaration): Promise<PreparedForm> => {
  const { PDF } = await pdfLibrary();
  const pdf = PDF.create();
  const boxes = new Map<string, FieldBox>();
  const { page, regular: font } = await drawForm(pdf, declaration, (_page, name, box) => {
    boxes.set(name, box);
  });
  const letters = lettersOf(font);
  // What the font has encoded is what its subset holds.
  font.encodeText([...letters].join(""));
  const fontName = page.registerFont(font);
  const bytes = withoutLots(await pdf.save({ subsetFonts: true }));
  return { bytes, boxes, font, fontName, letters };
};

interface Line {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly size: number;
}

const padding = 3;

/** Below it, compressing takes as long as all the rest and saves a kilobyte: the values' own text. */
const compressedBytesMin = 4096;

/** A value as lines in the middle of its box; a line's letters rest 0.3 em above its foot. */
const linesOf = (value: string, box: FieldBox, font: EmbeddedFont): Line[] => {
  const room = { width: box.width - 2 * padding, height: box.height };
  const measure = (text: string, size: number): number => font.getTextWidth(text, size);
  const { size, lineHeight, lines } = fitText(writable(value, font), room, measure);
  const first = box.y + (box.height + lines.length * lineHeight) / 2 - lineHeight + size * 0.3;
  return lines.map((text, index) => ({
    text,
    x: box.x + padding,
    y: first - index * lineHeight,
    size,
  }));
};

const writeLines = async (
  pdf: PDF,
  lines: readonly Line[],
  { font, fontName, letters }: PreparedForm,
): Promise<void> => {
  const { ops, PdfString } = await pdfLibrary();
  const page = pdf.getPage(0);
  if (page === null) throw new Error("A prepared form has no page.");
  const isEmbedded = ({ text }: Line): boolean => Array.from(text).every((it) => letters.has(it));
  const rare = lines.filter((line) => !isEmbedded(line));
  page.drawOperators([
    ops.beginText(),
    ...lines
      .filter(isEmbedded)
      .flatMap(({ text, x, y, size }) => [
        ops.setFont(fontName, size),
        ops.setTextMatrix(1, 0, 0, 1, x, y),
        ops.showText(PdfString.fromBytes(glyphsOf(text, font))),
      ]),
    ops.endText(),
  ]);
  if (rare.length === 0) return;
  // The letters that few names have come with a font of their own.
  const ownFont = await embedFont(pdf, "regular");
  for (const { text, ...place } of rare) page.drawText(text, { ...place, font: ownFont });
};

/**
 * Fills a form: the values stand where its fields were, nothing is left to be typed into. The first
 * call prepares the form.
 */
export const formFiller = (
  declaration: FormDeclaration,
): ((values: FieldValues) => Promise<Uint8Array>) => {
  const prepared = lazy(() => prepare(declaration));
  return async (values) => {
    const form = await prepared();
    const { PDF } = await pdfLibrary();
    const pdf = await PDF.load(form.bytes);
    const lines = [...form.boxes].flatMap(([name, box]) =>
      linesOf(values[name] ?? "", box, form.font),
    );
    await writeLines(pdf, lines, form);
    return pdf.save({
      incremental: true,
      subsetFonts: true,
      compressionThreshold: compressedBytesMin,
    });
  };
};
