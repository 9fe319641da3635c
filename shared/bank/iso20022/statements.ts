/** Reads camt.053.001.08: what an account held before and after, and every booking in between. */
import { BankFileError } from "./bank-file-error.js";
import { entryReading, signedCents, type BankEntry, type Report } from "./account-entries.js";
import { calendarDay } from "./calendar-day.js";
import { textOfCents } from "./cents.js";
import { elementsAt, textAt, type Element } from "./element.js";
import type { MessagePart } from "./xml-reader.js";

export interface StatementHead extends Report {
  /** `2026-11-20`; the first and the last day that the statement is about. */
  readonly fromDay: string;
  readonly toDay: string;
  readonly openingCents: bigint;
  readonly closingCents: bigint;
}

export type StatementItem =
  | { readonly is: "statement"; readonly head: StatementHead }
  | { readonly is: "booked"; readonly statementId: string; readonly entry: BankEntry };

interface Balance {
  readonly cents: bigint;
  readonly day: string;
}

const balanceOf = (head: Element, place: string, ...codes: readonly string[]): Balance => {
  for (const code of codes)
    for (const balance of elementsAt(head, "Bal"))
      if (textAt(balance, "Tp/CdOrPrtry/Cd") === code) {
        const date = textAt(balance, "Dt/Dt", "Dt/DtTm") ?? "";
        const day = calendarDay(date, `${place}: the date of the balance ${code}`);
        return { cents: signedCents(balance, `${place}, Bal ${code},`), day };
      }
  throw new BankFileError(`${place} lacks the balance ${codes[0] ?? ""}.`);
};

/**
 * A statement is told before its entries. Where the opening balance and the bookings do not give the
 * closing one, the file is refused: something is missing in it.
 */
export const statementReading = () => {
  const reading = entryReading("Stmt");
  let head: StatementHead | undefined;
  let reached = 0n;

  /** Pages of a statement bear its name: the number of the page tells them apart. */
  const named = (): Report => {
    const report = reading.report();
    const page = textAt(reading.head(), "StmtPgntn/PgNb");
    const isWhole =
      page === undefined || (page === "1" && isTrue(reading.head(), "StmtPgntn/LastPgInd"));
    return isWhole ? report : { ...report, id: `${report.id} page ${page}` };
  };

  const begin = (): StatementItem[] => {
    if (head !== undefined) return [];
    const report = named();
    const place = `Stmt ${report.id}`;
    // Pages of a statement that has several begin and end with interim balances.
    const opening = balanceOf(reading.head(), place, "OPBD", "PRCD", "ITBD");
    const closing = balanceOf(reading.head(), place, "CLBD", "ITBD");
    const dayAt = (path: string): string =>
      calendarDay(textAt(reading.head(), path) ?? closing.day, `${place}, ${path},`);
    const [fromDay, toDay] = [dayAt("FrToDt/FrDtTm"), dayAt("FrToDt/ToDtTm")];
    head = {
      ...report,
      fromDay: fromDay < toDay ? fromDay : toDay,
      toDay,
      openingCents: opening.cents,
      closingCents: closing.cents,
    };
    reached = opening.cents;
    return [{ is: "statement", head }];
  };

  const end = (): void => {
    if (head !== undefined && reached !== head.closingCents)
      throw new BankFileError(
        `Stmt ${head.id}: the opening balance and the bookings give ${signedText(reached)},` +
          ` the closing balance is ${signedText(head.closingCents)}.`,
      );
    head = undefined;
  };

  return (part: MessagePart): StatementItem[] => {
    const isEntry = part.path === "Stmt/Ntry" && part.is === "open";
    const isEnd = part.path === "Stmt" && part.is === "close";
    const begun = isEntry || isEnd ? begin() : [];
    const booked = reading.take(part).map((entry): StatementItem => {
      reached += entry.cents;
      return { is: "booked", statementId: head?.id ?? "", entry };
    });
    if (isEnd) end();
    return [...begun, ...booked];
  };
};

const isTrue = (element: Element, path: string): boolean => textAt(element, path) === "true";

const signedText = (cents: bigint): string =>
  cents < 0n ? `-${textOfCents(-cents)}` : textOfCents(cents);
