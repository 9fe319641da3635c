/** W3C Trace Context: which trace somebody else's work belongs to, as a `traceparent` says it. */

/** Version 00 ends here, later ones may go on; ids of zeros and version ff are invalid. */
const pattern =
  /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:$|(?<!^00.*)-)/;

/** The same as version 00, of 55 characters; undefined where it is none. */
export const soundTraceParent = (given: unknown): string | undefined => {
  const found = typeof given === "string" ? pattern.exec(given) : null;
  if (found === null) return undefined;
  const [, traceId = "", spanId = "", flags = ""] = found;
  return `00-${traceId}-${spanId}-${flags}`;
};

/** Of a sound one: 32 hexadecimal digits. */
export const traceIdOf = (traceParent: string): string => traceParent.slice(3, 35);

/** Of a sound one: whether whoever began the trace records it. */
export const isSampled = (traceParent: string): boolean =>
  (Number.parseInt(traceParent.slice(53), 16) & 1) === 1;

/**
 * What the caller says, or what the Functions host has made of that. The genuine host records a part of its own
 * between caller and function; one that records nothing makes up a trace, which would hide the caller's.
 */
export const incomingParent = (given: unknown, ofHost: unknown): string | undefined => {
  const [caller, host] = [soundTraceParent(given), soundTraceParent(ofHost)];
  if (host === undefined) return caller;
  const isMeant = caller === undefined ? isSampled(host) : traceIdOf(host) === traceIdOf(caller);
  return isMeant ? host : caller;
};
