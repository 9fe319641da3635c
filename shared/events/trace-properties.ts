/** Which trace a message belongs to, as application properties. */

/** W3C Trace Context, and the name under which Azure's own libraries carry the same. */
export const traceProperties = (traceParent: string | null | undefined) =>
  traceParent === null || traceParent === undefined
    ? {}
    : { traceparent: traceParent, "Diagnostic-Id": traceParent };
