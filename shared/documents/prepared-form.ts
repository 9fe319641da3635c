/** A form prepared once, its page laid out and its font embedded, so that filling it is one small update. */
import type { EmbeddedFont, PDF, PDFPage } from "@libpdf/core";
import { lazy } from "../platform/lazy.js";
import { fitText } from "./fit-text.js";
import { glyphsOf, writable } from "./font-text.js";
import { drawForm, withoutLots, type FieldBox, type FormDeclaration } from "./pdf-form.js";
import { embedFont, pdfLibrary } from "./pdf-library.js";

export type FieldValues = Readonly<Record<string, string | null>>;

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

/** Where a value is written: a form may show it in several places. */
export interface PlacedBox extends FieldBox {
  readonly name: string;
  /** From 0. */
  readonly page: number;
}

export interface PreparedForm {
  /** The form without its fields: each filled one is these bytes and an update behind them. */
  readonly bytes: Uint8Array;
  readonly boxes: readonly PlacedBox[];
  readonly font: EmbeddedFont;
  /** The font's name among the resources of each page that has boxes. */
  readonly fontNames: ReadonlyMap<number, string>;
  /** What the embedded part of the font can write. */
  readonly letters: ReadonlySet<string>;
}

const pageOf = (pdf: PDF, index: number): PDFPage => {
  const page = pdf.getPage(index);
  if (page === null) throw new Error(`A prepared form has no page ${index + 1}.`);
  return page;
};

/** Embeds the font for the values into a form whose fields are gone, and writes it. */
export const finishForm = async (
  pdf: PDF,
  boxes: readonly PlacedBox[],
  font: EmbeddedFont,
): Promise<PreparedForm> => {
  const letters = lettersOf(font);
  // What the font has encoded is what its subset holds.
  font.encodeText([...letters].join(""));
  const pages = new Set(boxes.map(({ page }) => page));
  const fontNames = new Map(
    Array.from(pages, (page) => [page, pageOf(pdf, page).registerFont(font)]),
  );
  const bytes = withoutLots(await pdf.save({ subsetFonts: true }));
  return { bytes, boxes, font, fontNames, letters };
};

const prepare = async (declaration: FormDeclaration): Promise<PreparedForm> => {
  const { PDF } = await pdfLibrary();
  const pdf = PDF.create();
  const boxes: PlacedBox[] = [];
  const { regular } = await drawForm(pdf, declaration, (_page, name, box) => {
    boxes.push({ ...box, name, page: 0 });
  });
  return finishForm(pdf, boxes, regular);
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
  pageIndex: number,
  lines: readonly Line[],
  { font, fontNames, letters }: PreparedForm,
): Promise<void> => {
  const { ops, PdfString } = await pdfLibrary();
  const page = pageOf(pdf, pageIndex);
  const fontName = fontNames.get(pageIndex) ?? page.registerFont(font);
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

/** The values stand where the form's fields were, nothing is left to be typed into. */
export const fillPrepared = async (
  form: PreparedForm,
  values: FieldValues,
): Promise<Uint8Array> => {
  const { PDF } = await pdfLibrary();
  const pdf = await PDF.load(form.bytes);
  for (const page of form.fontNames.keys()) {
    const lines = form.boxes
      .filter((box) => box.page === page)
      .flatMap((box) => linesOf(values[box.name] ?? "", box, form.font));
    await writeLines(pdf, page, lines, form);
  }
  return pdf.save({
    incremental: true,
    subsetFonts: true,
    compressionThreshold: compressedBytesMin,
  });
};

/** Fills a declared form; the first call prepares it. */
export const formFiller = (
  declaration: FormDeclaration,
): ((values: FieldValues) => Promise<Uint8Array>) => {
  const prepared = lazy(() => prepare(declaration));
  return async (values) => fillPrepared(await prepared(), values);
};
