/** Keeps the statements of a file, each with all of its bookings or not at all. */
import type { BankFileItem } from "../../shared/bank/iso20022/read-bank-file.js";
import {
  keepStatement,
  keepStatementEntries,
  type KeptEntry,
} from "../../shared/database/accounting/bank-statements.js";
import type { Database } from "../../shared/database/platform/database.js";

const pageOf = 1_000;

export const keepStatements = (
  database: Database,
  lots: AsyncIterable<BankFileItem[]>,
  requestIdOf: (endToEndId: string | null) => string | undefined,
): Promise<void> =>
  database.transaction(async (tx) => {
    /** Undefined: the present statement was kept before. */
    let statementId: string | undefined;
    let waiting: KeptEntry[] = [];
    const flush = async (): Promise<void> => {
      if (statementId !== undefined && waiting.length > 0)
        await keepStatementEntries(tx, statementId, waiting);
      waiting = [];
    };
    for await (const lot of lots)
      for (const item of lot) {
        if (item.is === "statement") {
          await flush();
          statementId = await keepStatement(tx, { ...item.head, reference: item.head.id });
        } else if (item.is === "booked" && statementId !== undefined) {
          const { entry } = item;
          const isCredit = entry.cents > 0n;
          waiting.push({
            line: entry.line,
            cents: entry.cents.toString(),
            bookingDate: entry.bookingDate,
            requestId: requestIdOf(entry.endToEndId) ?? null,
            gatewayReference: entry.gatewayReference,
            reference: entry.reference,
            name: isCredit ? entry.debtorName : entry.creditorName,
            iban: isCredit ? entry.debtorIban : entry.creditorIban,
            reason: entry.remittance,
          });
          if (waiting.length === pageOf) await flush();
        }
      }
    await flush();
  });
