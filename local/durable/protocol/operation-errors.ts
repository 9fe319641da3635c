/** Why operations of an entity failed: the library keeps their errors as JSON, which leaves out the words. */
import { errorLine, logText } from "../../log-text.js";

interface OperationResult {
  readonly isError: boolean;
  /** JSON text of what was thrown. */
  readonly result?: string | null | undefined;
}

const textOf = (json: string): string | undefined => {
  const value: unknown = JSON.parse(json);
  return typeof value === "string" ? logText(value) : undefined;
};

/** Never rejects what the app's own code may refuse, such as a cycle. */
const jsonOf = (thrown: unknown): string | undefined => {
  try {
    return JSON.stringify(thrown);
  } catch {
    return undefined;
  }
};

/** By the operation's place in its batch; `thrown` holds what the library made JSON of, in order. */
export const operationErrors = (
  results: readonly (OperationResult | null | undefined)[],
  thrown: readonly unknown[],
): Map<number, string> => {
  const left = thrown.map((error) => ({ error, json: jsonOf(error) }));
  const errors = new Map<number, string>();
  for (const [index, result] of results.entries()) {
    if (result?.isError !== true) continue;
    const json = result.result ?? "null";
    const at = left.findIndex((one) => one.json === json);
    const [found] = at < 0 ? [] : left.splice(at, 1);
    // What it has besides its words, such as a request with its headers, is nothing for a log.
    errors.set(index, found ? errorLine(found.error) : (textOf(json) ?? "an error without words"));
  }
  return errors;
};
