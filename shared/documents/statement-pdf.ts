/** A wallet's statement as a PDF: numbered pages, each with the balance that it goes on from. */
import { setImmediate as turn } from "node:timers/promises";
import type { EmbeddedFont, PDF, PDFPage } from "@libpdf/core";
import type { StatementHead, StatementLine } from "../domain/ledger/statement.js";
import { decimal } from "./csv.js";
import { glyphsOf, writable } from "./font-text.js";
import { embedFont, pdfLibrary } from "./pdf-library.js";

/** Points; a sheet of A4. */
const sheet = { width: 595.28, height: 841.89, margin: 42 };
const right = sheet.width - sheet.margin;
const rowHeight = 23;
const sizes = { title: 15, text: 8.5, small: 7 } as const;
/** Left edges of texts; right edges of figures. */
const columns = { date: sheet.margin, what: 128, amount: 418, fee: 472, balance: right } as const;
const whatWidth = 226;
const tableTop = { first: 662, later: 770 } as const;
const tableEnd = 70;

const rowsOn = (top: number): number => Math.floor((top - tableEnd) / rowHeight) - 2;
/** Two rows of each page are the balances that it begins and ends with. */
export const linesPerPage = { first: rowsOn(tableTop.first), later: rowsOn(tableTop.later) };

/** Beyond it a person wants a shorter period, or CSV: some 330 pages. */
export const pdfLinesMax = 10_000;

const pagesFor = (lines: number): number =>
  1 + Math.ceil(Math.max(0, lines - linesPerPage.first) / linesPerPage.later);

const labels: Readonly<Record<string, string>> = {
  CashDeposit: "Versamento in contanti / Cash deposit",
  CashWithdrawal: "Prelievo in contanti / Cash withdrawal",
  LoyaltyDeposit: "Accredito fedeltà / Loyalty deposit",
  WelfareDeposit: "Accredito welfare / Welfare deposit",
  Payment: "Pagamento / Payment",
  SctWithdrawal: "Bonifico in uscita / Outgoing transfer",
  SctStandardDeposit: "Bonifico ricevuto / Incoming transfer",
  SctInstantDeposit: "Bonifico istantaneo ricevuto / Incoming instant transfer",
  SddDeposit: "Addebito diretto / Direct debit deposit",
};
const labelOf = ({ type, kind }: StatementLine): string => {
  const label = labels[type ?? ""] ?? "Movimento / Movement";
  if (kind === "Reversal") return `Storno / Reversal: ${label}`;
  return kind === "Fee" ? `Commissione / Fee: ${label}` : label;
};

const italian = new Intl.DateTimeFormat("it-IT", {
  timeZone: "Europe/Rome",
  dateStyle: "short",
  timeStyle: "short",
});

interface Fonts {
  readonly regular: EmbeddedFont;
  readonly bold: EmbeddedFont;
}

interface Text {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly bold?: boolean;
  /** x is its right end. */
  readonly toRight?: boolean;
  /** What does not fit is left out, and shown to be. */
  readonly width?: number;
}

type Library = typeof import("@libpdf/core");
type Operator = Parameters<PDFPage["drawOperators"]>[0][number];

/** Cut where it does not fit; texts of a bounded length, so that cutting is. */
const fitted = (text: string, font: EmbeddedFont, size: number, width: number): string => {
  if (font.getTextWidth(text, size) <= width) return text;
  const characters = Array.from(text.slice(0, 400));
  let [fits, tooLong] = [0, characters.length];
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1;
    const part = `${characters.slice(0, middle).join("")}…`;
    if (font.getTextWidth(part, size) <= width) fits = middle;
    else tooLong = middle;
  }
  return `${characters.slice(0, fits).join("")}…`;
};

/** Collects a page's texts, which are drawn in one go. */
const penOn = (page: PDFPage, { regular, bold }: Fonts, { ops, PdfString, grayscale }: Library) => {
  const names = { regular: page.registerFont(regular), bold: page.registerFont(bold) };
  const operators: Operator[] = [ops.beginText()];
  const write = (text: string, { x, y, size, bold: isBold, toRight, width }: Text): void => {
    const font = isBold === true ? bold : regular;
    const clean = writable(text, font);
    const shown = width === undefined ? clean : fitted(clean, font, size, width);
    const left = toRight === true ? x - font.getTextWidth(shown, size) : x;
    operators.push(
      ops.setFont(isBold === true ? names.bold : names.regular, size),
      ops.setTextMatrix(1, 0, 0, 1, left, y),
      ops.showText(PdfString.fromBytes(glyphsOf(shown, font))),
    );
  };
  const rule = (y: number): void =>
    page.drawLine({
      start: { x: sheet.margin, y },
      end: { x: right, y },
      color: grayscale(0.75),
      thickness: 0.5,
    });
  const end = (): void => page.drawOperators([...operators, ops.endText()]);
  return { write, rule, end };
};
type Pen = ReturnType<typeof penOn>;

const writeHead = (pen: Pen, head: StatementHead): void => {
  const { text: size } = sizes;
  const line = (y: number, label: string, value: string): void => {
    pen.write(label, { x: sheet.margin, y, size });
    pen.write(value, { x: 190, y, size, width: right - 190 });
  };
  pen.write("Estratto conto / Account statement", {
    x: sheet.margin,
    y: 785,
    size: sizes.title,
    bold: true,
  });
  line(758, "Titolare / Holder", head.holder);
  line(744, "Portafoglio / Wallet", head.walletId);
  line(
    730,
    "Periodo / Period",
    [head.fromDate, head.toDate].map((at) => italian.format(at)).join(" – "),
  );
  line(716, "Movimenti / Movements", String(head.movements));
  line(702, "Importi / Amounts", "EUR");
};

const writeColumns = (pen: Pen, top: number): void => {
  const y = top + 8;
  const figures = { y, size: sizes.small, bold: true, toRight: true } as const;
  pen.write("Data / Date", { x: columns.date, y, size: sizes.small, bold: true });
  pen.write("Movimento / Movement", { x: columns.what, y, size: sizes.small, bold: true });
  pen.write("Importo / Amount", { x: columns.amount, ...figures });
  pen.write("Comm. / Fee", { x: columns.fee, ...figures });
  pen.write("Saldo / Balance", { x: columns.balance, ...figures });
  pen.rule(top + 3);
};

const writeBalance = (pen: Pen, y: number, label: string, cents: bigint): void => {
  pen.write(label, { x: columns.what, y, size: sizes.text, bold: true });
  pen.write(decimal(cents), { x: columns.balance, y, size: sizes.text, bold: true, toRight: true });
};

const writeLine = (pen: Pen, y: number, line: StatementLine): void => {
  const figure = { y, size: sizes.text, toRight: true } as const;
  const more = [line.description, line.store].filter((text) => text !== null).join(" – ");
  pen.write(italian.format(line.date), { x: columns.date, y, size: sizes.text });
  pen.write(labelOf(line), { x: columns.what, y, size: sizes.text, width: whatWidth });
  if (more !== "")
    pen.write(more, { x: columns.what, y: y - 9, size: sizes.small, width: whatWidth });
  pen.write(decimal(line.amountCents), { x: columns.amount, ...figure });
  if (line.feeCents !== 0n) pen.write(decimal(line.feeCents), { x: columns.fee, ...figure });
  pen.write(decimal(line.balanceCents), { x: columns.balance, ...figure });
};

interface Sheet {
  readonly number: number;
  readonly count: number;
  readonly balanceBefore: bigint;
  readonly lines: readonly StatementLine[];
}

const writeSheet = (pen: Pen, head: StatementHead, sheetOf: Sheet): void => {
  const { number, count, balanceBefore, lines } = sheetOf;
  const top = number === 1 ? tableTop.first : tableTop.later;
  if (number === 1) writeHead(pen, head);
  writeColumns(pen, top);
  const before = number === 1 ? "Saldo iniziale / Opening balance" : "Riporto / Brought forward";
  const after =
    number === count ? "Saldo finale / Closing balance" : "A riportare / Carried forward";
  writeBalance(pen, top - 12, before, balanceBefore);
  for (const [index, line] of lines.entries())
    writeLine(pen, top - 12 - (index + 1) * rowHeight, line);
  const end = top - 12 - (lines.length + 1) * rowHeight;
  pen.rule(end + 13);
  writeBalance(pen, end, after, lines.at(-1)?.balanceCents ?? balanceBefore);
  const y = 40;
  pen.write(head.walletId, { x: sheet.margin, y, size: sizes.small });
  pen.write(`Pagina ${number} di ${count} / Page ${number} of ${count}`, {
    x: right,
    y,
    size: sizes.small,
    toRight: true,
  });
  pen.end();
};

/** The lines again, as many at a time as a page takes; one empty page where there are none. */
async function* sheetsOf(
  { movements, openingCents }: StatementHead,
  pages: AsyncIterable<readonly StatementLine[]>,
): AsyncGenerator<Sheet> {
  const count = pagesFor(movements);
  let waiting: StatementLine[] = [];
  let [number, balanceBefore] = [1, openingCents];
  const next = (lines: readonly StatementLine[]): Sheet => {
    const made = { number, count, balanceBefore, lines };
    number += 1;
    balanceBefore = lines.at(-1)?.balanceCents ?? balanceBefore;
    return made;
  };
  for await (const lines of pages) {
    waiting = [...waiting, ...lines];
    for (;;) {
      const room = number === 1 ? linesPerPage.first : linesPerPage.later;
      // The last lines wait for the end: a page that is full need not be the last one.
      if (waiting.length <= room) break;
      yield next(waiting.splice(0, room));
    }
  }
  yield next(waiting);
}

const describe = (pdf: PDF, { toDate }: StatementHead): void => {
  pdf.setTitle("Estratto conto / Account statement");
  pdf.setAuthor("Borsello");
  pdf.setCreator("Borsello");
  pdf.setLanguage("it-IT");
  pdf.setCreationDate(toDate);
  pdf.setModificationDate(toDate);
};

/** At most `pdfLinesMax` movements; other work gets its turn between two pages. */
export const statementPdf = async (
  head: StatementHead,
  pages: AsyncIterable<readonly StatementLine[]>,
): Promise<Uint8Array> => {
  const library = await pdfLibrary();
  const pdf = library.PDF.create();
  describe(pdf, head);
  const fonts = { regular: await embedFont(pdf, "regular"), bold: await embedFont(pdf, "bold") };
  for await (const made of sheetsOf(head, pages)) {
    const page = pdf.addPage({ width: sheet.width, height: sheet.height });
    writeSheet(penOn(page, fonts, library), head, made);
    await turn();
  }
  return pdf.save({ subsetFonts: true });
};
