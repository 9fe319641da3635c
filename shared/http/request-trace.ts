/** What names a call in its answer and in log lines: the request id, and the trace. */
import { uuidv7 } from "../platform/ids.js";

export const requestIdHeader = "X-Request-Id";

export interface RequestTrace {
  /** The caller's own, or a new one. */
  readonly requestId: string;
  /** W3C Trace Context: 32 hexadecimal digits; absent where the call belongs to no trace. */
  readonly traceId?: string;
}

/** Printable ASCII; anything else could not be told apart in a header and in a log. */
const soundId = /^[\x20-\x7e]{1,128}$/;

export const requestIdOf = (headers: { get(name: string): string | null }): string => {
  const given = headers.get(requestIdHeader);
  return given !== null && soundId.test(given) ? given : uuidv7();
};
