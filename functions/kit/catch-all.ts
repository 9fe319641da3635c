/** Answers what no route answers: 405 where the path exists, else 404, in the API's own error body. */
import type { HttpMethod, HttpRequest } from "@azure/functions";
import type { Api, Method, Route } from "../../shared/contracts/route.js";
import { errorReply } from "../../shared/http/error-body.js";
import {
  basePath,
  fullPath,
  matchesTemplate,
  requestSegments,
  segmentsOf,
} from "../../shared/http/paths.js";
import type { Reply } from "./reply.js";

const everyMethod: readonly HttpMethod[] = [
  "GET",
  "POST",
  "PUT",
  "DELETE",
  "PATCH",
  "HEAD",
  "OPTIONS",
];

/**
 * Named so that they sort behind every route, and the one for everything behind the others. The host
 * compares names in upper case, where `_` comes after the letters: digits decide, as in `functionName`.
 */
const names: Readonly<Record<Api, string>> = {
  ticketing: "zz_0_ticketing",
  wallet: "zz_0_wallet",
  card: "zz_0_card",
  sandbox: "zz_0_sandbox",
  platform: "zz_1_everything",
};

export interface CatchAll {
  readonly name: string;
  readonly api: Api;
  readonly methods: readonly HttpMethod[];
  /** Below the API's base path, as a route has it. */
  readonly path: string;
  readonly template: string;
  readonly answer: (request: HttpRequest, requestId: string) => Reply;
}

const everything = "{*path}";

interface Known {
  readonly method: Method;
  readonly template: readonly string[];
}

const catchAll = (api: Api, routes: readonly Route[]): CatchAll => {
  const known: readonly Known[] = routes
    .filter((route) => route.api === api)
    .map((route) => ({ method: route.method, template: segmentsOf(fullPath(route)) }));
  const base = basePath(api);
  return {
    name: names[api],
    api,
    methods: everyMethod,
    path: everything,
    template: base === "" ? everything : `${base}/${everything}`,
    answer: (request, requestId) => {
      const segments = requestSegments(request.url);
      const methods = known
        .filter(({ template }) => matchesTemplate(template, segments))
        .map(({ method }) => method);
      if (methods.length === 0) return errorReply(api, { code: "RouteNotFound" }, requestId);
      const allow = [...new Set(methods)].sort().join(", ");
      const refused = {
        code: "MethodNotAllowed" as const,
        properties: { allow },
        headers: { Allow: allow },
      };
      return errorReply(api, refused, requestId);
    },
  };
};

/** One per API that has a base path, and one for everything else; the sandbox's only where it is. */
export const catchAlls = (routes: readonly Route[]): CatchAll[] =>
  (["ticketing", "wallet", "card", "sandbox", "platform"] as const).map((api) =>
    catchAll(api, routes),
  );
