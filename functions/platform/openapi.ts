/** GET /openapi/*.json: one document per API, written once per process. */
import { createHash } from "node:crypto";
import {
  getCardOpenApiRoute,
  getTicketingOpenApiRoute,
  getWalletOpenApiRoute,
} from "../../shared/contracts/platform/documentation.js";
import { issueTokenRoute } from "../../shared/contracts/sandbox/identity.js";
import type { Route } from "../../shared/contracts/route.js";
import type { DocumentedApi } from "../../shared/http/openapi-security.js";
import { openApiDocument } from "../../shared/http/openapi.js";
import { fullPath } from "../../shared/http/paths.js";
import { sandboxTenant } from "../../shared/platform/config.js";
import { applicationVersion } from "../../shared/platform/application.js";
import { openEndpoint, type Endpoint } from "../kit/endpoint.js";
import type { Reply } from "../kit/reply.js";
import type { Services } from "../kit/services.js";

interface WrittenDocument {
  readonly text: string;
  readonly etag: string;
}

const write = (
  api: DocumentedApi,
  { routes, config, sandboxIdentity }: Services,
): WrittenDocument => {
  const document = openApiDocument(api, routes, {
    version: applicationVersion,
    tokenPath:
      sandboxIdentity === null
        ? null
        : `/${fullPath(issueTokenRoute).replace("{tenant}", sandboxTenant)}`,
    scope: `${config.identity.audience}/.default`,
  });
  const text = JSON.stringify(document);
  const etag = `"${createHash("sha256").update(text).digest("base64url")}"`;
  return { text, etag };
};

const openApiEndpoint = (route: Route, api: DocumentedApi): Endpoint => {
  let written: WrittenDocument | undefined;
  return openEndpoint(route, async (services, request): Promise<Reply> => {
    written ??= write(api, services);
    const headers = { ETag: written.etag, "Cache-Control": "no-cache" };
    if (request.headers.get("if-none-match") === written.etag) return { status: 304, headers };
    return {
      status: 200,
      headers: { ...headers, "Content-Type": "application/json" },
      body: written.text,
    };
  });
};

export const openApiEndpoints = [
  openApiEndpoint(getTicketingOpenApiRoute, "ticketing"),
  openApiEndpoint(getWalletOpenApiRoute, "wallet"),
  openApiEndpoint(getCardOpenApiRoute, "card"),
] as const;
