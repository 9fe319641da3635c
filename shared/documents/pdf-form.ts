/** Lays out a PDF form from its declaration, and makes the empty one to be typed into. */
import { createHash } from "node:crypto";
import type { EmbeddedFont, PDF, PDFPage } from "@libpdf/core";
import { wrapText } from "./fit-text.js";
import { embedFont, pdfLibrary } from "./pdf-library.js";

export interface FormField {
  readonly name: string;
  readonly label: string;
}

/** One page: title, introduction, labelled fields, clauses, closing line. */
export interface FormDeclaration {
  readonly title: string;
  readonly subtitle: string;
  readonly introduction: string;
  readonly fields: readonly FormField[];
  readonly clauses: readonly string[];
  readonly closing: string;
  /** The date of this edition: the same declaration gives the same bytes at all times. */
  readonly edition: Date;
}

/** What the library draws by lot: the tag of each font's subset, and the file's identifier. */
const subsetTag = /\/[A-Z]{6}\+DejaVu/g;
const fileIdentifier = /\/ID \[<[0-9A-F]{32}> <[0-9A-F]{32}>\]/;

/** The same bytes for the same content; each replacement keeps its length, and so every offset. */
export const withoutLots = (pdf: Uint8Array): Uint8Array => {
  const text = Buffer.from(pdf).toString("latin1").replace(subsetTag, "/BORSEL+DejaVu");
  const content = text.replace(fileIdentifier, "");
  const id = createHash("sha256").update(content).digest("hex").slice(0, 32).toUpperCase();
  return Buffer.from(text.replace(fileIdentifier, `/ID [<${id}> <${id}>]`), "latin1");
};

/** Points; a sheet of A4. */
const sheet = { width: 595.28, height: 841.89, margin: 56 };
const textWidth = sheet.width - 2 * sheet.margin;
const fieldBox = { x: 216, height: 20, gap: 6 };

/** Where a field lies on the page, from the left lower corner. */
export interface FieldBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Pen {
  readonly page: PDFPage;
  y: number;
}

const writeParagraph = (pen: Pen, text: string, font: EmbeddedFont, size: number): void => {
  const lineHeight = size * 1.35;
  const measure = (part: string, at: number): number => font.getTextWidth(part, at);
  for (const line of wrapText(text, textWidth, size, measure)) {
    pen.y -= lineHeight;
    pen.page.drawText(line, { x: sheet.margin, y: pen.y, size, font });
  }
  pen.y -= size * 0.6;
};

type PlaceField = (page: PDFPage, name: string, box: FieldBox) => void;

const drawFields = (
  pen: Pen,
  fields: readonly FormField[],
  font: EmbeddedFont,
  frame: ReturnType<typeof import("@libpdf/core").grayscale>,
  placeField: PlaceField,
): void => {
  for (const { name, label } of fields) {
    pen.y -= fieldBox.height + fieldBox.gap;
    const box = {
      x: fieldBox.x,
      y: pen.y,
      width: sheet.width - sheet.margin - fieldBox.x,
      height: fieldBox.height,
    };
    pen.page.drawText(label, { x: sheet.margin, y: pen.y + 6, size: 9, font });
    pen.page.drawRectangle({ ...box, borderColor: frame, borderWidth: 0.5 });
    placeField(pen.page, name, box);
  }
  pen.y -= fieldBox.gap * 2;
};

const describe = (pdf: PDF, { title, edition }: FormDeclaration): void => {
  pdf.setTitle(title);
  pdf.setAuthor("Borsello");
  pdf.setCreator("Borsello");
  pdf.setLanguage("it-IT");
  pdf.setCreationDate(edition);
  pdf.setModificationDate(edition);
};

/** Lays the form out on the document's first page; `placeField` makes of each field what it likes. */
export const drawForm = async (
  pdf: PDF,
  declaration: FormDeclaration,
  placeField: PlaceField,
): Promise<{ readonly page: PDFPage; readonly regular: EmbeddedFont }> => {
  const { grayscale } = await pdfLibrary();
  describe(pdf, declaration);
  const page = pdf.addPage({ width: sheet.width, height: sheet.height });
  const regular = await embedFont(pdf, "regular");
  const bold = await embedFont(pdf, "bold");
  const pen = { page, y: sheet.height - sheet.margin };
  writeParagraph(pen, declaration.title, bold, 16);
  writeParagraph(pen, declaration.subtitle, regular, 11);
  writeParagraph(pen, declaration.introduction, regular, 9);
  drawFields(pen, declaration.fields, regular, grayscale(0.55), placeField);
  for (const clause of declaration.clauses) writeParagraph(pen, clause, regular, 8.5);
  writeParagraph(pen, declaration.closing, bold, 9);
  return { page, regular };
};

/** The empty form, with its fields to be typed into. */
export const makeForm = async (declaration: FormDeclaration): Promise<Uint8Array> => {
  const { PDF } = await pdfLibrary();
  const pdf = PDF.create();
  await drawForm(pdf, declaration, (page, name, box) => {
    // Empty fields are typed into with the viewer's own font: ours is drawn when the form is filled.
    page.drawField(pdf.getOrCreateForm().createTextField(name, { fontSize: 10 }), box);
  });
  return withoutLots(await pdf.save({ subsetFonts: true }));
};
