/** GET /openapi/*.json: one document per API. */
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
import type { Endpoint } from "../kit/endpoint.js";
import { documentEndpoint } from "./written-document.js";

const openApiEndpoint = (route: Route, api: DocumentedApi): Endpoint =>
  documentEndpoint(route, ({ routes, config, sandboxIdentity }) =>
    openApiDocument(api, routes, {
      version: applicationVersion,
      tokenPath:
        sandboxIdentity === null
          ? null
          : `/${fullPath(issueTokenRoute).replace("{tenant}", sandboxTenant)}`,
      scope: `${config.identity.audience}/.default`,
    }),
  );

export const openApiEndpoints = [
  openApiEndpoint(getTicketingOpenApiRoute, "ticketing"),
  openApiEndpoint(getWalletOpenApiRoute, "wallet"),
  openApiEndpoint(getCardOpenApiRoute, "card"),
] as const;
