/** A wallet's statement as CSV, written while its lines are read. */
import type { StatementHead, StatementLine } from "../domain/ledger/statement.js";
import { csvLine } from "./csv.js";

const columns = [
  "date",
  "movement",
  "type",
  "description",
  "store",
  "operationId",
  "transactionId",
  "amount",
  "fee",
  "balance",
] as const;

const balanceLine = (date: Date, movement: string, cents: bigint): string =>
  csvLine([date.toISOString(), movement, null, null, null, null, null, null, null, { cents }]);

const lineOf = (line: StatementLine): string =>
  csvLine([
    line.date.toISOString(),
    line.kind,
    line.type,
    line.description,
    line.store,
    line.operationId,
    line.transactionId,
    { cents: line.amountCents },
    { cents: line.feeCents },
    { cents: line.balanceCents },
  ]);

/** The last line is the closing balance: a statement without it was cut. */
export async function* statementCsv(
  { fromDate, toDate, openingCents, closingCents }: StatementHead,
  pages: AsyncIterable<readonly StatementLine[]>,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from(csvLine(columns) + balanceLine(fromDate, "OpeningBalance", openingCents));
  for await (const lines of pages) yield Buffer.from(lines.map(lineOf).join(""));
  yield Buffer.from(balanceLine(toDate, "ClosingBalance", closingCents));
}
