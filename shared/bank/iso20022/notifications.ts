/** Reads camt.054.001.08: what was credited to and debited from an account, as it happens. */
import { entryReading, type BankEntry, type Report } from "./account-entries.js";
import type { MessagePart } from "./xml-reader.js";

export interface NotifiedEntry {
  readonly is: "notified";
  readonly report: Report;
  readonly entry: BankEntry;
}

/** A copy of an earlier notification says nothing new. */
export const notificationReading = () => {
  const reading = entryReading("Ntfctn");
  return (part: MessagePart): NotifiedEntry[] =>
    reading.take(part).flatMap((entry) => {
      const report = reading.report();
      return report.isCopy ? [] : [{ is: "notified", report, entry }];
    });
};
