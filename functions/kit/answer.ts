/** Runs an endpoint and always answers: a host with streaming never answers for one that throws. */
import type { HttpRequest, HttpResponseInit, InvocationContext } from "@azure/functions";
import type { Api } from "../../shared/contracts/route.js";
import { errorReply } from "../../shared/http/error-body.js";
import { DependencyUnavailableError } from "../../shared/platform/dependency-unavailable.js";
import type { Endpoint } from "./endpoint.js";
import type { Services } from "./services.js";

/** What a caller may know of a failure: the id under which the log holds the rest. */
const failureReply = (
  services: Services,
  { api, id }: { readonly api: Api; readonly id: string },
  context: InvocationContext,
  error: unknown,
): HttpResponseInit => {
  const correlationId = context.invocationId;
  if (error instanceof DependencyUnavailableError) {
    services.logger.warn("A call found a dependency unavailable.", {
      route: id,
      correlationId,
      error,
    });
    return errorReply(api, { code: "DependencyUnavailable", properties: { correlationId } });
  }
  services.logger.error("A call failed.", { route: id, correlationId, error });
  return errorReply(api, { code: "InternalError", properties: { correlationId } });
};

export const answer = async (
  services: Services,
  endpoint: Pick<Endpoint, "answer"> & {
    readonly route: { readonly api: Api; readonly id: string };
  },
  request: HttpRequest,
  context: InvocationContext,
): Promise<HttpResponseInit> => {
  try {
    return await endpoint.answer(services, request, context);
  } catch (error) {
    return failureReply(services, endpoint.route, context, error);
  }
};
