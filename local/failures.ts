/** Where the local parts say what went wrong with work that nobody waits for: once a kind. */
import { inspect } from "node:util";
import { failureNotes } from "../shared/platform/outage.js";

/** The text of whatever was thrown, with its stack where there is one; of values without a text form, too. */
export const errorText = (thrown: unknown): string => {
  if (typeof thrown === "string") return thrown;
  if (thrown instanceof Error) return thrown.stack ?? thrown.message;
  return inspect(thrown, { customInspect: false });
};

export const noteFailure = failureNotes(({ work, isOutage, error }) => {
  if (isOutage) console.warn(`${work}: waits for an outage to pass. ${errorText(error)}`);
  else console.error(`${work} failed: ${errorText(error)}`);
});
