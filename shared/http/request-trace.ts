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

/** Version 00 ends here, later ones may go on; ids of zeros and version ff are invalid. */
const traceParent =
  /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:$|(?<!^00.*)-)/;

const traceIdOf = (header: string | null): string | undefined =>
  header === null ? undefined : traceParent.exec(header)?.[1];

export const traceOf = (headers: { get(name: string): string | null }): RequestTrace => {
  const given = headers.get(requestIdHeader);
  const requestId = given !== null && soundId.test(given) ? given : uuidv7();
  const traceId = traceIdOf(headers.get("traceparent"));
  return traceId === undefined ? { requestId } : { requestId, traceId };
};
