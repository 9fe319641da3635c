/** Calls endpoints in this process with the library's own requests, over whatever services a test gives. */
import azure from "@azure/functions";
import type { HttpResponseInit } from "@azure/functions";
import { answer } from "../../../functions/kit/answer.js";
import type { Endpoint } from "../../../functions/kit/endpoint.js";
import type { RateLimits } from "../../../functions/kit/rate-limits.js";
import type { Services } from "../../../functions/kit/services.js";

/** For partners that may call as often as they like. */
export const noRateLimits: RateLimits = { take: () => undefined };

export interface InProcessRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

export const requestOf = ({ method, path = "/", headers, body }: InProcessRequest) =>
  new azure.HttpRequest({
    method: method ?? (body === undefined ? "GET" : "POST"),
    url: new URL(path, "http://localhost").href,
    ...(headers === undefined ? {} : { headers }),
    ...(body === undefined ? {} : { body: { string: body } }),
  });

export const callEndpoint = (
  services: Services,
  endpoint: Endpoint,
  request: InProcessRequest,
): Promise<HttpResponseInit> =>
  answer(services, endpoint, requestOf(request), new azure.InvocationContext());
