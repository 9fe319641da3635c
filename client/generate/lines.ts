/** The client's table: of each route the few things that sending it needs. */
import { z } from "zod";
import { isBinaryBody, type Api, type Route } from "../../shared/contracts/route.js";
import { accessOf } from "../../shared/http/access.js";
import { fullPath } from "../../shared/http/paths.js";
import type { ApiLine, Paging, RouteLine, Table } from "../src/route-line.js";

/** The fields of a body that is an object, all optional where the body is; undefined where it is something else. */
export const fieldsOf = (body: z.ZodType): z.ZodRawShape | undefined => {
  if (body instanceof z.ZodObject) return body.shape;
  if (!(body instanceof z.ZodOptional || body instanceof z.ZodDefault)) return undefined;
  const inner = body.unwrap();
  return inner instanceof z.ZodObject ? inner.partial().shape : undefined;
};

const bodyOf = ({ body }: Route): RouteLine["body"] => {
  if (body === undefined) return undefined;
  if (isBinaryBody(body))
    return body.contentTypes[0]?.includes("/") === true
      ? z.templateLiteral([z.string(), "/", z.string()]).parse(body.contentTypes[0])
      : "application/octet-stream";
  return fieldsOf(body) === undefined ? "json" : "fields";
};

const hasBodyKey = ({ body }: Route): boolean =>
  body !== undefined && !isBinaryBody(body) && fieldsOf(body)?.["idempotencyKey"] !== undefined;

const keyOf = (route: Route): RouteLine["key"] => {
  if (route.takesIdempotencyKey === true) return "header";
  return hasBodyKey(route) ? "body" : undefined;
};

/** Reads, creations with a key, and what its own declaration says can be repeated. */
const isRepeatable = (route: Route): boolean =>
  route.method === "GET" ||
  route.role?.endsWith(".Read") === true ||
  route.repeatable === true ||
  keyOf(route) !== undefined;

export const pagingOf = ({ query = {}, ok }: Route): Paging | undefined => {
  if (!("schema" in ok)) return undefined;
  if ("cursor" in query) return "cursor";
  if ("pageNumber" in query) return ok.schema instanceof z.ZodArray ? "arrays" : "numbers";
  if ("page" in query) return "tickets";
  return "after" in query ? "sequence" : undefined;
};

const lineOf = (route: Route): RouteLine => {
  const query = Object.keys(route.query ?? {});
  const body = bodyOf(route);
  const key = keyOf(route);
  const paging = pagingOf(route);
  return {
    method: route.method,
    path: `/${fullPath(route)}`,
    ...(query.length === 0 ? {} : { query }),
    ...(body === undefined ? {} : { body }),
    ...("schema" in route.ok ? {} : { bytes: true }),
    ...(key === undefined ? {} : { key }),
    ...(isRepeatable(route) ? { repeatable: true } : {}),
    ...(paging === undefined ? {} : { paging }),
  };
};

/** What partners call, in the order in which the package shows it. */
export const clientApis = ["wallet", "card", "ticketing", "sandbox"] as const satisfies Api[];

/** The routes of an API that ask who calls: the open ones are documents, and tokens, which the client gets itself. */
export const routesOf = (api: Api, routes: readonly Route[]): readonly Route[] =>
  routes.filter((route) => route.api === api && route.role !== null);

const apiLine = (api: Api, routes: readonly Route[]): ApiLine => {
  const { authKey, partnerHeaders } = accessOf[api];
  return {
    authKey,
    partnerHeader: partnerHeaders[0] ?? "Partner",
    routes: Object.fromEntries(routesOf(api, routes).map((route) => [route.id, lineOf(route)])),
  };
};

export const tableOf = (routes: readonly Route[]): Table =>
  Object.fromEntries(clientApis.map((api) => [api, apiLine(api, routes)]));
