/** Bounds a wait of the host, and names in the error what was waited for. */
import { withinLimit } from "../../time-limit.js";

/** The wait took too long. What was waited for may still happen. */
export class TimeLimitError extends Error {
  override readonly name = "TimeLimitError";
}

/** Rejects with `TimeLimitError` after `limitMs`; what becomes of `work` later is nobody's concern. */
export const withTimeLimit = <Result>(
  limitMs: number,
  what: string,
  work: Promise<Result>,
): Promise<Result> =>
  withinLimit(
    work,
    limitMs,
    () => new TimeLimitError(`${what} took longer than ${limitMs / 1000} s.`),
  );
