/** What names a call in its answer and in log lines: the request id, and the caller's trace. */
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

const traceParent = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}/;
const noTrace = "0".repeat(32);

const traceIdOf = (header: string | null): string | undefined => {
  const traceId = header === null ? undefined : traceParent.exec(header)?.[1];
  return traceId === noTrace ? undefined : traceId;
};

export const traceOf = (headers: { get(name: string): string | null }): RequestTrace => {
  const given = headers.get(requestIdHeader);
  const requestId = given !== null && soundId.test(given) ? given : uuidv7();
  const traceId = traceIdOf(headers.get("traceparent"));
  return traceId === undefined ? { requestId } : { requestId, traceId };
};
