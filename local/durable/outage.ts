/** Tells a database that is away from one that has refused. */
import { DatabaseError } from "pg";

/** Lost connections, too many of them, a server that stops or a transaction that may be repeated. */
const passing = /^(?:08|53|57|40)/u;

/** A server's answer is final; anything else may be tried again. */
export const isOutage = (error: unknown): boolean => {
  if (error instanceof DatabaseError) return passing.test(error.code ?? "");
  if (!(error instanceof Error)) return false;
  return "syscall" in error || /connection|timeout/iu.test(error.message);
};
