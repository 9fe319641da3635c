/** The routes of the documents about routes and events, and of the page that shows the former. */
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
});

export const getDocsRoute = route({
  id: "getDocs",
  api: "platform",
  method: "GET",
  path: "docs",
  role: null,
  ok: { status: 200, contentType: "text/html" },
  errors: [],
  summary: "The documentation page of the three APIs",
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
  summary: "A script, style or picture of the documentation page",
});
