/** What PostgreSQL's and its driver's errors mean: a lost race, an outage. */
import pg from "pg";
import { isIdentityError } from "../../platform/identity-error.js";

const serializationFailure = "40001";
const deadlockDetected = "40P01";

/** The server undid the work because of somebody else's: doing it again is safe and may succeed. */
export const isRetryable = (error: unknown): boolean =>
  error instanceof pg.DatabaseError &&
  (error.code === serializationFailure || error.code === deadlockDetected);

/** Classes 08 (connection), 53 (resources), 57P (shutdown, crash, starting) of the error codes. */
const outageCode = /^(08|53|57P)/;

const outageMessage =
  /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error|connection timeout/i;

const networkCode = /^(ECONN|EPIPE|ENOTFOUND|EAI_|ETIMEDOUT|EHOST|ENET)/;

export const isOutage = (error: unknown): boolean => {
  if (error instanceof pg.DatabaseError) return outageCode.test(error.code ?? "");
  if (error instanceof AggregateError) return error.errors.some(isOutage);
  if (isIdentityError(error)) return true;
  if (!(error instanceof Error)) return false;
  if ("code" in error && typeof error.code === "string" && networkCode.test(error.code))
    return true;
  return outageMessage.test(error.message);
};
