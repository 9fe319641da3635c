/** Lines of CSV (RFC 4180) that no spreadsheet takes for formulas. */

/** Numbers are written as they are; texts are somebody's. */
export type Cell = string | bigint | { readonly cents: bigint } | null;

/**
 * Where a spreadsheet would begin a formula: at the text's start, and behind what some of them take
 * for the end of a cell (those of Italy a semicolon).
 */
const formulaStarts = /((?:^|[;\t\r\n])[^\S;\t\r\n]*)(?=[=+\-@])/g;
const needsQuotes = /[",\r\n]|^\s|\s$/;

/** Cents as a decimal number: -5 is -0.05. */
export const decimal = (cents: bigint): string => {
  const digits = (cents < 0n ? -cents : cents).toString().padStart(3, "0");
  return `${cents < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
};

const cellText = (cell: Cell): string => {
  if (cell === null) return "";
  if (typeof cell === "bigint") return cell.toString();
  if (typeof cell === "object") return decimal(cell.cents);
  // An apostrophe makes it a text; who reads it as data takes one away.
  const text = cell.replace(formulaStarts, "$1'");
  return needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export const csvLine = (cells: readonly Cell[]): string => `${cells.map(cellText).join(",")}\r\n`;
