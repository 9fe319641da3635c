/** GET /openapi/*.json: one document per API. */
import {
  getCardOpenApiRoute,
  getSandboxOpenApiRoute,
  getTicketingOpenApiRoute,
  getWalletOpenApiRoute,
} from "../../shared/contracts/platform/documentation.js";
import { issueTokenRoute } from "../../shared/contracts/sandbox/identity.js";
import type { Route } from "../../shared/contracts/route.js";
import { sandboxPartners } from "../../shared/database/sandbox/partners.js";
import type { Json } from "../../shared/http/json-schemas.js";
import type { DocumentedApi } from "../../shared/http/openapi/security.js";
import { openApiDocument } from "../../shared/http/openapi.js";
import { fullPath } from "../../shared/http/paths.js";
import { sandboxTenant } from "../../shared/platform/config.js";
import { applicationVersion } from "../../shared/platform/application.js";
import type { Endpoint } from "../kit/endpoint.js";
import type { Services } from "../kit/services.js";
import { documentEndpoint } from "./written-document.js";

export const tokenPath = `/${fullPath(issueTokenRoute).replace("{tenant}", sandboxTenant)}`;

export const tokenScope = ({ config }: Services): string => `${config.identity.audience}/.default`;

export const documentOf = (api: DocumentedApi, services: Services, extensions: Json = {}): Json =>
  openApiDocument(
    api,
    services.routes,
    {
      version: applicationVersion,
      tokenPath: services.sandboxIdentity === null ? null : tokenPath,
      scope: tokenScope(services),
    },
    extensions,
  );

const openApiEndpoint = (route: Route, api: DocumentedApi): Endpoint =>
  documentEndpoint(route, (services) => documentOf(api, services));

export const openApiEndpoints = [
  openApiEndpoint(getTicketingOpenApiRoute, "ticketing"),
  openApiEndpoint(getWalletOpenApiRoute, "wallet"),
  openApiEndpoint(getCardOpenApiRoute, "card"),
] as const;

/** For pages that let a reader choose by whose credentials to call. */
export const sandboxCallers = sandboxPartners.map(
  ({ partnerKey, clientId, clientSecret, authKey, may, roles, isOperator, dealers, settings }) => ({
    name: partnerKey,
    ...{ clientId, clientSecret, authKey, may, roles, isOperator, dealers },
    collectionIban: settings.ibanVerification.destinationIban,
  }),
);

export const sandboxOpenApiEndpoint = documentEndpoint(getSandboxOpenApiRoute, (services) =>
  documentOf("sandbox", services, { "x-borsello-partners": sandboxCallers }),
);
