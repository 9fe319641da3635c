/** Where the local parts say what went wrong with work that nobody waits for: once a kind. */
import { inspect } from "node:util";
import { failureNotes } from "../shared/platform/outage.js";

const textOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : inspect(error);

export const noteFailure = failureNotes(({ work, isOutage, error }) => {
  if (isOutage) console.warn(`${work}: waits for an outage to pass. ${textOf(error)}`);
  else console.error(`${work} failed: ${textOf(error)}`);
});
