/** GET /docs/reference/{api} and /docs/reference/{api}/{operation}: the APIs, written from their documents. */
import type { HttpRequest } from "@azure/functions";
import {
  getDocsOperationRoute,
  getDocsReferenceRoute,
} from "../../shared/contracts/platform/documentation.js";
import type { Route } from "../../shared/contracts/route.js";
import type { DocumentedApi } from "../../shared/http/openapi/security.js";
import { fullPath } from "../../shared/http/paths.js";
import { pathReader } from "../../shared/http/text-parameters.js";
import { openEndpoint, type Endpoint } from "../kit/endpoint.js";
import type { Services } from "../kit/services.js";
import { documentOf, sandboxCallers, tokenPath, tokenScope } from "../platform/openapi.js";
import { missingPage } from "./missing.js";
import { hasSandbox, packPage, type PageContent } from "./pages.js";
import { packedReply, type Packed } from "../kit/packed.js";
import type { Sandbox } from "./reference/call-plan.js";
import { operationsOf, readReference, type Reference } from "./reference/document.js";
import { operationPath } from "./reference/navigation.js";
import { operationBody } from "./reference/operation.js";
import { overviewBody } from "./reference/overview.js";
import { planOf } from "./reference/own-data.js";
import { pageHeaders } from "./shell.js";

const apis: readonly DocumentedApi[] = ["wallet", "card", "ticketing", "sandbox"];

/** Where another identity provider issues the tokens, the reader pastes one. */
const sandboxOf = (services: Services): Sandbox | null =>
  services.sandboxIdentity === null || !hasSandbox(services)
    ? null
    : { tokenPath, scope: tokenScope(services), callers: sandboxCallers };

const look = { styles: ["reference.css"] } as const;

const overviewPage = (
  services: Services,
  api: DocumentedApi,
  reference: Reference,
): PageContent => ({
  title: reference.title,
  path: `/docs/reference/${api}`,
  body: overviewBody(api, reference, api === "sandbox" ? (sandboxOf(services)?.callers ?? []) : []),
  ...look,
  scripts: ["find.js"],
});

const operationPage = (
  services: Services,
  api: DocumentedApi,
  reference: Reference,
  route: Route,
): PageContent | undefined => {
  const operation = operationsOf(reference).find(({ id }) => id === route.id);
  if (operation === undefined) return undefined;
  const sandbox = sandboxOf(services);
  const plan = planOf(route, services.routes);
  return {
    title: operation.summary,
    path: operationPath(api, operation),
    description: `${operation.method} ${operation.path}: ${operation.summary}`,
    body: operationBody(api, operation, reference, {
      plan: sandbox === null ? { ...plan, others: [], remedies: {} } : plan,
      sandbox,
    }),
    ...look,
    scripts: ["find.js", "try.js"],
  };
};

const headers = pageHeaders();

/** Each page is written at its first call and kept; what has no page is no route. */
const referenceEndpoint = (
  route: Route,
  write: (
    services: Services,
    parameters: Readonly<Record<string, string>>,
    referenceTo: (api: DocumentedApi) => Reference,
  ) => PageContent | undefined,
): Endpoint => {
  const read = pathReader(fullPath(route));
  const references = new Map<DocumentedApi, Reference>();
  const packed = new Map<string, Promise<Packed>>();
  const pageOf = (services: Services, request: HttpRequest): Promise<Packed> | undefined => {
    const parameters = read(request.url);
    const key = Object.values(parameters).join("/");
    const kept = packed.get(key);
    if (kept !== undefined) return kept;
    const content = write(services, parameters, (api) => {
      const reference = references.get(api) ?? readReference(documentOf(api, services));
      references.set(api, reference);
      return reference;
    });
    if (content === undefined) return undefined;
    const written = packPage(services, content);
    packed.set(key, written);
    return written;
  };
  return openEndpoint(route, async (services, request, _context, trace) => {
    const page = await pageOf(services, request);
    return page === undefined
      ? missingPage(services, request, trace.requestId)
      : packedReply(request, page, headers);
  });
};

const apiNamed = (services: Services, name: string | undefined): DocumentedApi | undefined =>
  apis.find((api) => api === name && (api !== "sandbox" || hasSandbox(services)));

export const referenceEndpoints = [
  referenceEndpoint(getDocsReferenceRoute, (services, parameters, referenceTo) => {
    const api = apiNamed(services, parameters["api"]);
    return api && overviewPage(services, api, referenceTo(api));
  }),
  referenceEndpoint(getDocsOperationRoute, (services, parameters, referenceTo) => {
    const api = apiNamed(services, parameters["api"]);
    const route = services.routes.find(
      (listed) => listed.id === parameters["operation"] && listed.api === api,
    );
    return api && route && operationPage(services, api, referenceTo(api), route);
  }),
] as const;
