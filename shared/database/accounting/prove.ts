/** Proves a whole book from outside the app: every check over one snapshot, in bounded memory. */
import type { DatabaseConnection } from "../../platform/config.js";
import { readBook, type Book, type Finding, type Report } from "./book.js";
import { checkBuckets } from "./check-buckets.js";
import { checkChain } from "./check-chain.js";
import { checkCounters } from "./check-counters.js";
import { checkGroups } from "./check-groups.js";
import { checkNotifications } from "./check-notifications.js";
import { checkOperations } from "./check-operations.js";
import { checkTransactions } from "./check-transactions.js";

export interface CheckResult {
  readonly name: string;
  /** What was looked at, counted. */
  readonly rows: number;
  readonly milliseconds: number;
  /** How much is wrong, also beyond the findings that are kept. */
  readonly findings: number;
}

export interface BookProof {
  readonly checks: readonly CheckResult[];
  /** Of each check the first ones. */
  readonly findings: readonly Finding[];
  /** What is worth knowing and nothing wrong. */
  readonly notes: readonly (readonly [name: string, value: string])[];
}

export interface ProveOptions {
  /** A hash of the chain that was kept elsewhere, 64 hexadecimal digits. */
  readonly head?: string | undefined;
  /** Called while a check goes on, and when it has ended. */
  readonly onProgress?: (check: Omit<CheckResult, "milliseconds">) => void;
}

/** More of one check are counted, not kept: whoever has so many begins with the first. */
const findingsPerCheck = 100;

type Check = readonly [name: string, run: (book: Book, report: Report) => Promise<void>];

const checksOf = (head: string | undefined): readonly Check[] => [
  ["transactions", checkTransactions],
  ["buckets", checkBuckets],
  ["operations", checkOperations],
  ["notifications", checkNotifications],
  ["groups", checkGroups],
  ["counters", checkCounters],
  ["hash chain", checkChain(head)],
];

export const proveBook = (
  connection: DatabaseConnection,
  { head, onProgress = () => undefined }: ProveOptions = {},
): Promise<BookProof> =>
  readBook(connection, async (book) => {
    const checks: CheckResult[] = [];
    const kept: Finding[] = [];
    const notes: [name: string, value: string][] = [];
    for (const [name, run] of checksOf(head)) {
      const began = performance.now();
      let rows = 0;
      let findings = 0;
      await run(book, {
        find: (subject, detail) => {
          findings += 1;
          if (findings <= findingsPerCheck) kept.push({ check: name, subject, detail });
        },
        advance: (more) => {
          rows += more;
          onProgress({ name, rows, findings });
        },
        note: (about, value) => void notes.push([about, value]),
      });
      checks.push({ name, rows, findings, milliseconds: performance.now() - began });
    }
    return { checks, findings: kept, notes };
  });
