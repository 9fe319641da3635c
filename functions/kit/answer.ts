/** Runs an endpoint and always answers: a host with streaming never answers for one that throws. */
import type { HttpRequest, InvocationContext } from "@azure/functions";
import type { Api } from "../../shared/contracts/route.js";
import { errorReply } from "../../shared/http/error-body.js";
import { requestIdHeader, traceOf, type RequestTrace } from "../../shared/http/request-trace.js";
import { DependencyUnavailableError } from "../../shared/platform/dependency-unavailable.js";
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

export const answer = async (
  services: Services,
  endpoint: Pick<Endpoint, "answer"> & {
    readonly route: { readonly api: Api; readonly id: string };
  },
  request: HttpRequest,
  context: InvocationContext,
): Promise<Reply> => {
  const trace = traceOf(request.headers);
  const traced = { ...services, logger: services.logger.with({ ...trace }) };
  const reply = await endpoint
    .answer(traced, request, context, trace)
    .catch((error: unknown) => failureReply(traced, endpoint.route, trace, error));
  const headers = { ...safeHeaders, ...reply.headers, [requestIdHeader]: trace.requestId };
  return { ...reply, headers };
};
