/** The routes of the documents about routes and events, and of the pages for those who read them. */
import { z } from "zod";
import { route } from "../route.js";

const document = { status: 200, schema: z.record(z.string(), z.unknown()) } as const;

export const getTicketingOpenApiRoute = route({
  id: "getTicketingOpenApi",
  api: "platform",
  method: "GET",
  path: "openapi/ticketing.json",
  role: null,
  ok: document,
  errors: [],
  summary: "OpenAPI 3.1 document of the Partner Ticketing API",
  result: "The document.",
});

export const getWalletOpenApiRoute = route({
  id: "getWalletOpenApi",
  api: "platform",
  method: "GET",
  path: "openapi/wallet.json",
  role: null,
  ok: document,
  errors: [],
  summary: "OpenAPI 3.1 document of the Wallet Platform API",
  result: "The document.",
});

export const getCardOpenApiRoute = route({
  id: "getCardOpenApi",
  api: "platform",
  method: "GET",
  path: "openapi/card.json",
  role: null,
  ok: document,
  errors: [],
  summary: "OpenAPI 3.1 document of the Card Platform API",
  result: "The document.",
});

/** Outside production alone, as the routes that it tells of. */
export const getSandboxOpenApiRoute = route({
  id: "getSandboxOpenApi",
  api: "platform",
  method: "GET",
  path: "openapi/sandbox.json",
  role: null,
  ok: document,
  errors: [],
  summary: "OpenAPI 3.1 document of the sandbox, with its partners and their credentials",
  result: "The document.",
});

export const getAsyncApiRoute = route({
  id: "getAsyncApi",
  api: "platform",
  method: "GET",
  path: "asyncapi.json",
  role: null,
  ok: document,
  errors: [],
  summary: "AsyncAPI 3.0 document of the events that partners are told",
  result: "The document.",
});

const page = { status: 200, contentType: "text/html" } as const;

export const getDocsRoute = route({
  id: "getDocs",
  api: "platform",
  method: "GET",
  path: "docs",
  role: null,
  ok: page,
  errors: [],
  summary: "The documentation's home page",
});

export const getDocsFileRoute = route({
  id: "getDocsFile",
  api: "platform",
  method: "GET",
  path: "docs/{file}",
  params: { file: z.string().max(64) },
  role: null,
  ok: { status: 200, contentType: "application/octet-stream" },
  errors: [],
  summary: "A script, style or picture of the documentation",
});

export const getDocsReferenceRoute = route({
  id: "getDocsReference",
  api: "platform",
  method: "GET",
  path: "docs/reference/{api}",
  params: { api: z.string().max(64) },
  role: null,
  ok: page,
  errors: [],
  summary: "The reference of one API",
});

export const getDocsOperationRoute = route({
  id: "getDocsOperation",
  api: "platform",
  method: "GET",
  path: "docs/reference/{api}/{operation}",
  params: { api: z.string().max(64), operation: z.string().max(64) },
  role: null,
  ok: page,
  errors: [],
  summary: "The reference of one operation, where it can be tried",
});

export const listGuidesRoute = route({
  id: "listGuides",
  api: "platform",
  method: "GET",
  path: "docs/guide",
  role: null,
  ok: page,
  errors: [],
  summary: "The list of guides",
});

export const getGuideRoute = route({
  id: "getGuide",
  api: "platform",
  method: "GET",
  path: "docs/guide/{name}",
  params: { name: z.string().max(64) },
  role: null,
  ok: page,
  errors: [],
  summary: "A guide",
});

export const getEventsPageRoute = route({
  id: "getEventsPage",
  api: "platform",
  method: "GET",
  path: "docs/events",
  role: null,
  ok: page,
  errors: [],
  summary: "The events that partners are told, as a page",
});

export const getErrorsPageRoute = route({
  id: "getErrorsPage",
  api: "platform",
  method: "GET",
  path: "docs/errors",
  role: null,
  ok: page,
  errors: [],
  summary: "Every error code, as a page",
});

export const getDocsSearchRoute = route({
  id: "getDocsSearch",
  api: "platform",
  method: "GET",
  path: "docs/search.json",
  role: null,
  ok: { status: 200, contentType: "application/json" },
  errors: [],
  summary: "What the documentation's search looks through",
});
