/** Runs an endpoint and always answers: a host with streaming never answers for one that throws. */
import type { HttpRequest, InvocationContext } from "@azure/functions";
import type { Api } from "../../shared/contracts/route.js";
import { errorReply } from "../../shared/http/error-body.js";
import { fullPath } from "../../shared/http/paths.js";
import {
  requestIdHeader,
  requestIdOf,
  type RequestTrace,
} from "../../shared/http/request-trace.js";
import { DependencyUnavailableError } from "../../shared/platform/dependency-unavailable.js";
import { noteCall, type AnsweredCall, type CallTrace } from "./call-line.js";
import { incomingParent, traceIdOf } from "../../shared/platform/telemetry/trace-context.js";
import { tracing, type Span } from "../../shared/platform/telemetry/tracing.js";
import type { Endpoint } from "./endpoint.js";
import type { Reply } from "./reply.js";
import type { Services } from "./services.js";

/** A caller may know nothing of a failure but the id under which the log holds the rest. */
const failureReply = (
  { logger }: Services,
  { api, id }: { readonly api: Api; readonly id: string },
  { requestId }: RequestTrace,
  error: unknown,
): Reply => {
  if (error instanceof DependencyUnavailableError) {
    logger.warn("A call found a dependency unavailable.", { route: id, error });
    return errorReply(api, { code: "DependencyUnavailable" }, requestId);
  }
  logger.error("A call failed.", { route: id, error });
  return errorReply(api, { code: "InternalError" }, requestId);
};

/**
 * Nearly every answer is about somebody: nobody on the way keeps it, unless its route says otherwise, and no
 * browser takes it for what it is not.
 */
const safeHeaders = { "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };

type Answering = Pick<Endpoint, "answer"> & {
  readonly route: AnsweredCall["route"] & { readonly api: Api; readonly id: string };
};

const answerIn = async (
  span: Span,
  services: Services,
  endpoint: Answering,
  request: HttpRequest,
  context: InvocationContext,
): Promise<Reply> => {
  const beganMs = performance.now();
  const { traceParent } = span;
  const trace: CallTrace = {
    requestId: requestIdOf(request.headers),
    ...(traceParent !== undefined && { traceId: traceIdOf(traceParent) }),
  };
  const traced = { ...services, logger: services.logger.with({ ...trace }) };
  const reply = await endpoint
    .answer(traced, request, context, trace)
    .catch((error: unknown) => failureReply(traced, endpoint.route, trace, error));
  const { errorCode, ...sent } = reply;
  const { status = 200 } = reply;
  const durationMs = performance.now() - beganMs;
  const { partnerKey } = trace;
  noteCall(span, traced.logger, {
    ...{ route: endpoint.route, method: request.method, status, errorCode, durationMs, partnerKey },
  });
  const headers = { ...safeHeaders, ...reply.headers, [requestIdHeader]: trace.requestId };
  return { ...sent, headers };
};

export const answer = async (
  services: Services,
  endpoint: Answering,
  request: HttpRequest,
  context: InvocationContext,
): Promise<Reply> => {
  const { method, headers } = request;
  const ofHost = tracing.isOn() ? context.traceContext?.traceParent : undefined;
  const parent = incomingParent(headers.get("traceparent"), ofHost);
  const name = `${method} /${fullPath(endpoint.route)}`;
  return tracing.within({ name, kind: "server", parent }, (span) =>
    answerIn(span, services, endpoint, request, context),
  );
};
