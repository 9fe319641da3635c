/** What is told of each call, answered or refused: a line in the log, a span, a duration among the others. */
import type { Route } from "../../shared/contracts/route.js";
import { fullPath } from "../../shared/http/paths.js";
import type { RequestTrace } from "../../shared/http/request-trace.js";
import type { Logger } from "../../shared/platform/logger.js";
import { meters } from "../../shared/platform/telemetry/meters.js";
import { tracing, type Span } from "../../shared/platform/telemetry/tracing.js";

/** A call on its way through the kit. */
export interface CallTrace extends RequestTrace {
  /** Whose call it is as soon as that is known: the caller's partner, then the one that it acts for. */
  partnerKey?: string;
}

export interface AnsweredCall {
  readonly route: Pick<Route, "api" | "path">;
  readonly method: string;
  readonly status: number;
  readonly errorCode: string | undefined;
  /** Until the answer's first byte: what goes out piece by piece takes longer. */
  readonly durationMs: number;
  readonly partnerKey: string | undefined;
}

/** Health, documents and pages are asked for by machines and browsers, again and again. */
const isQuiet = ({ route, status }: AnsweredCall): boolean =>
  route.api === "platform" && status < 400;

/**
 * The path as it is declared: a filled one holds ids, and what an unknown one holds nobody knows. Never a
 * body, a query, a header or a name.
 */
const logCall = (logger: Logger, call: AnsweredCall): void => {
  const { route, method, status, errorCode, durationMs, partnerKey } = call;
  const fields = {
    method,
    route: `/${fullPath(route)}`,
    status,
    ...(errorCode !== undefined && { errorCode }),
    durationMs: Math.round(durationMs * 10) / 10,
    ...(partnerKey !== undefined && { partner: partnerKey }),
  };
  if (isQuiet(call)) logger.debug("Call answered.", fields);
  else logger.info(status < 400 ? "Call answered." : "Call refused.", fields);
};

/** By the semantic conventions for HTTP servers. */
const measureCall = (span: Span, call: AnsweredCall): void => {
  const { route, method, status, errorCode, durationMs, partnerKey } = call;
  const attributes = {
    "http.request.method": method,
    "http.route": `/${fullPath(route)}`,
    "http.response.status_code": status,
    ...(status >= 500 && { "error.type": String(status) }),
  };
  meters.record("http.server.request.duration", durationMs / 1_000, attributes);
  span.set({ ...attributes, "borsello.partner": partnerKey, "borsello.error_code": errorCode });
  if (status >= 500) span.fail(String(status));
};

export const noteCall = (span: Span, logger: Logger, call: AnsweredCall): void => {
  logCall(logger, call);
  if (tracing.isOn()) measureCall(span, call);
};
