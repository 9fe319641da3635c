/** Tells a database that is away from one that has refused. */
import { DatabaseError } from "pg";

/** Lost connections, too many of them, a server that stops or a transaction that may be repeated. */
const passing = /^(?:08|53|57|40)/u;

/** So long whoever asks from outside waits for the database before hearing that it is away. */
export const patienceMs = 5_000;

/** The database has not answered in time. What it was asked for may have happened, or may yet. */
export class DatabaseAway extends Error {
  override readonly name = "DatabaseAway";

  constructor() {
    super("The database does not answer.");
  }
}

/** Rejects after `timeoutMs`, whatever becomes of the work. */
export const within = async <Result>(timeoutMs: number, work: Promise<Result>): Promise<Result> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new DatabaseAway());
    }, timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};

/** A server's answer is final; anything else may be tried again. */
export const isOutage = (error: unknown): boolean => {
  if (error instanceof DatabaseError) return passing.test(error.code ?? "");
  if (error instanceof DatabaseAway) return true;
  if (!(error instanceof Error)) return false;
  return "syscall" in error || /connection|timeout/iu.test(error.message);
};
