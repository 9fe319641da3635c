/** Whether the database takes a change and keeps it, and why not where it does not. */
import pg from "pg";
import type { Queryable } from "./database.js";

/** One small change, committed. */
export const probeWriting = async (database: Queryable): Promise<void> => {
  await database.execute("select borsello.probe_writing()");
};

/** By SQLSTATE (PostgreSQL, appendix A). */
const reasons: Readonly<Record<string, string>> = {
  "25006": "The database takes no changes: it is read-only.",
  "53100": "The database takes no changes: its disk is full.",
  "53200": "The database takes no changes: it is out of memory.",
  "53300": "The database takes no more connections.",
  "57P03": "The database is starting, or shutting down.",
};

/** Undefined: it did not say. */
export const databaseProblem = (error: unknown): string | undefined => {
  if (error instanceof pg.DatabaseError) return reasons[error.code ?? ""];
  return error instanceof Error && error.cause !== undefined
    ? databaseProblem(error.cause)
    : undefined;
};
