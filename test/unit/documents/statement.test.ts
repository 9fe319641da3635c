/** Statements as documents: CSV that reads back and is no formula, PDFs whose pages go on from each other. */
import { PDF } from "@libpdf/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { csvLine } from "../../../shared/documents/csv.js";
import { statementCsv } from "../../../shared/documents/statement-csv.js";
import { linesPerPage, statementPdf } from "../../../shared/documents/statement-pdf.js";
import {
  withBalances,
  type Movement,
  type StatementHead,
} from "../../../shared/domain/ledger/statement.js";
import { centsOfText, readCsv } from "../../support/accounting/read-csv.js";

const movement = (index: number, changeCents: bigint, more: Partial<Movement> = {}): Movement => ({
  transactionId: String(index + 1),
  date: new Date(Date.UTC(2026, 2, 28, 23, 30) + index * 60_000),
  kind: "Payment",
  operationId: "01890a5d-ac96-774b-bcce-b302099a8057",
  type: "Payment",
  description: null,
  store: "Caffè Nicolò",
  changeCents,
  feeCents: 0n,
  ...more,
});

const headOf = (openingCents: bigint, movements: readonly Movement[]): StatementHead => ({
  walletId: "01890a5d-ac96-774b-bcce-b302099a8057",
  holder: "Zoë D'Àngelo 王",
  fromDate: new Date("2026-03-01T00:00:00Z"),
  toDate: new Date("2026-03-31T21:59:59Z"),
  openingCents,
  closingCents: movements.reduce((sum, { changeCents }) => sum + changeCents, openingCents),
  movements: movements.length,
});

async function* pagesOf(openingCents: bigint, movements: readonly Movement[], size = 7) {
  const lines = withBalances(openingCents, movements);
  for (let from = 0; from < lines.length; from += size) yield lines.slice(from, from + size);
}

const csvOf = async (openingCents: bigint, movements: readonly Movement[]): Promise<string> => {
  let text = "";
  const head = headOf(openingCents, movements);
  for await (const piece of statementCsv(head, pagesOf(openingCents, movements)))
    text += Buffer.from(piece).toString("utf8");
  return text;
};

describe("CSV", () => {
  test("any text reads back, and none begins a formula", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.stringMatching(/^[ \t;=+\-@,"\r\n'a]{0,8}$/),
    );
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (texts) => {
        const [cells = []] = readCsv(csvLine(texts));
        expect(cells).toHaveLength(texts.length);
        for (const [index, cell] of cells.entries()) {
          expect(cell).not.toMatch(/(^|[;\t\r\n])\s*[=+\-@]/);
          // Nothing but apostrophes was added.
          expect(cell.replaceAll("'", "")).toBe(texts[index]?.replaceAll("'", ""));
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ["=1+1", "'=1+1\r\n"],
    [`=HYPERLINK("http://x","y")`, `"'=HYPERLINK(""http://x"",""y"")"\r\n`],
    ["+39 333", "'+39 333\r\n"],
    ["-1", "'-1\r\n"],
    ["@SUM(A1)", "'@SUM(A1)\r\n"],
    ["\t=1", `"\t'=1"\r\n`],
    [" =1", `" '=1"\r\n`],
    ["x;=1+1;y", "x;'=1+1;y\r\n"],
    ["a,b", `"a,b"\r\n`],
    ["plain", "plain\r\n"],
  ])("%j is written %j", (text, line) => {
    expect(csvLine([text])).toBe(line);
  });

  test("amounts are numbers, negative ones too", () => {
    expect(csvLine([{ cents: -5n }, { cents: 123_456n }, 7n, null])).toBe("-0.05,1234.56,7,\r\n");
  });

  test("opening balance, lines and closing balance add up to the cent", async () => {
    const moved = fc.record({
      changeCents: fc.bigInt(-(10n ** 12n), 10n ** 12n),
      feeCents: fc.bigInt(-500n, 500n),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.bigInt(0n, 10n ** 12n),
        fc.array(moved, { maxLength: 40 }),
        async (opening, changes) => {
          const movements = changes.map(({ changeCents, feeCents }, index) =>
            movement(index, changeCents, { feeCents }),
          );
          const [columns = [], first = [], ...rest] = readCsv(await csvOf(opening, movements));
          const column = (line: readonly string[], name: string): bigint =>
            centsOfText(line[columns.indexOf(name)] ?? "");
          const last = rest.pop() ?? [];
          expect([first[1], last[1]]).toEqual(["OpeningBalance", "ClosingBalance"]);
          let balance = column(first, "balance");
          expect(balance).toBe(opening);
          for (const line of rest) {
            balance += column(line, "amount") - column(line, "fee");
            expect(column(line, "balance")).toBe(balance);
          }
          expect(column(last, "balance")).toBe(balance);
          expect(rest).toHaveLength(movements.length);
        },
      ),
      { numRuns: 50 },
    );
  });
});

const pageTexts = async (pdf: Uint8Array): Promise<string[]> =>
  (await PDF.load(pdf)).extractText().map(({ text }) => text);

describe("PDF", () => {
  test("a short statement is one page with the holder, the period, each line and both balances", async () => {
    const movements = [
      movement(0, 9_900n, { type: "CashDeposit", kind: "Deposit", feeCents: 100n }),
      movement(1, -3_050n, {
        type: "SctWithdrawal",
        kind: "Withdrawal",
        description: "Mario Rossi IT60",
      }),
      movement(2, 3_050n, { type: "SctWithdrawal", kind: "Reversal" }),
    ];
    const texts = await pageTexts(
      await statementPdf(headOf(50n, movements), pagesOf(50n, movements)),
    );
    expect(texts).toHaveLength(1);
    for (const part of [
      "Zoë D'Àngelo ?",
      "Opening balance",
      "0.50",
      "100.00",
      "1.00",
      "99.50",
      "-30.50",
      "69.00",
      "Mario Rossi IT60",
      "Storno / Reversal",
      "Caffè Nicolò",
      "Closing balance",
      "Page 1 of 1",
    ])
      expect(texts[0]).toContain(part);
    // Half past eleven of the last evening in UTC is a new day, and summer time, in Rome.
    expect(texts[0]).toMatch(/29\/03\/26, 00:30/);
  });

  test.each([
    0,
    linesPerPage.first,
    linesPerPage.first + 1,
    linesPerPage.first + linesPerPage.later,
    linesPerPage.first + linesPerPage.later + 1,
  ])(
    "the pages of %i lines are numbered and each goes on from the balance before",
    async (count) => {
      const movements = Array.from({ length: count }, (_, index) => movement(index, 101n));
      const texts = await pageTexts(
        await statementPdf(headOf(7n, movements), pagesOf(7n, movements)),
      );
      const pages =
        count <= linesPerPage.first
          ? 1
          : 1 + Math.ceil((count - linesPerPage.first) / linesPerPage.later);
      expect(texts).toHaveLength(pages);
      const carried = (text: string | undefined, label: string): string =>
        new RegExp(`${label}\\s+(-?[\\d.]+)`).exec(text ?? "")?.[1] ?? "";
      for (const [index, text] of texts.entries()) {
        expect(text).toContain(`Page ${index + 1} of ${pages}`);
        if (index > 0)
          expect(carried(text, "Brought forward")).toBe(
            carried(texts[index - 1], "Carried forward"),
          );
      }
      expect(carried(texts[0], "Opening balance")).toBe("0.07");
      expect(centsOfText(carried(texts.at(-1), "Closing balance"))).toBe(7n + 101n * BigInt(count));
    },
  );

  test("a description of any length stays in its column", async () => {
    const long = movement(0, 1n, { description: "W".repeat(5_000) });
    const [text = ""] = await pageTexts(
      await statementPdf(headOf(0n, [long]), pagesOf(0n, [long])),
    );
    expect(text).toMatch(/W{20,60}…/);
  });
});
