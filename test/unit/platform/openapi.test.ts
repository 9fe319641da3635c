/** The OpenAPI documents: valid 3.1, every route with every code that it can give. */
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { endpointsOf } from "../../../functions/endpoints.js";
import { errorTable } from "../../../shared/contracts/errors.js";
import { route, type Route } from "../../../shared/contracts/route.js";
import { createWalletRoute } from "../../../shared/contracts/wallet/wallets.js";
import { searchWalletRoute } from "../../../shared/contracts/wallet/search.js";
import { listTicketsRoute } from "../../../shared/contracts/ticketing/tickets.js";
import { kitErrors } from "../../../shared/http/kit-errors.js";
import { openApiDocument } from "../../../shared/http/openapi.js";

const settings = { version: "1.2.3", tokenPath: "/token", scope: "api://borsello/.default" };
const routes: readonly Route[] = endpointsOf("development").map((endpoint) => endpoint.route);

const Document = z.looseObject({
  openapi: z.string(),
  info: z.looseObject({ version: z.string() }),
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({
        operationId: z.string(),
        parameters: z.array(z.looseObject({ name: z.string(), required: z.boolean() })),
        responses: z.record(
          z.string(),
          z.looseObject({ description: z.string(), headers: z.record(z.string(), z.unknown()) }),
        ),
      }),
    ),
  ),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
});

const anyText: unknown = expect.any(String);
const anyObject: unknown = expect.any(Object);

const documentOf = (
  api: "ticketing" | "wallet" | "card" | "sandbox",
  of: readonly Route[] = routes,
) => Document.parse(openApiDocument(api, of, settings));

describe.each(["wallet", "card", "ticketing", "sandbox"] as const)("the %s document", (api) => {
  test("is valid OpenAPI 3.1", async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(documentOf(api)));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
  });

  test("has each route of the API once, with all its codes under their statuses", () => {
    const { paths } = documentOf(api);
    const operations = Object.values(paths).flatMap((item) => Object.values(item));
    const declared = routes.filter((known) => known.api === api);
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(
      declared.map(({ id }) => id).sort(),
    );
    for (const known of declared) {
      const operation = paths[`/${known.path}`]?.[known.method.toLowerCase()];
      for (const code of [...known.errors, ...kitErrors(known)])
        expect(
          operation?.responses[String(errorTable[code].status)]?.description,
          `${known.id} ${code}`,
        ).toContain(`\`${code}\``);
    }
  });

  test("refers only to components that it has, and holds nothing of zod's own", () => {
    const document = documentOf(api);
    const text = JSON.stringify(document);
    for (const [, name = ""] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g))
      expect(Object.keys(document.components.schemas)).toContain(name);
    expect(text).not.toContain("$defs");
    expect(text).not.toContain("json-schema.org");
  });
});

const Shared = z.object({ id: z.uuid(), size: z.int().default(1) }).meta({ id: "Shared" });
const example = route({
  id: "putExample",
  api: "card",
  method: "PUT",
  path: "examples/{exampleId}",
  params: { exampleId: z.uuid() },
  query: { pageSize: z.coerce.number().int().min(1).max(100).default(50), day: z.iso.date() },
  body: Shared,
  role: "Card.Write",
  ok: { status: 202, schema: z.object({ items: z.array(Shared) }) },
  errors: [],
  summary: "An example",
});

test("one schema that differs in requests and answers becomes two components", () => {
  const { schemas } = documentOf("card", [example]).components;
  expect(schemas["Shared"]).toMatchObject({ required: ["id", "size"] });
  expect(schemas["SharedInput"]).toMatchObject({ required: ["id"] });
});

test("a query parameter without a default is required, one with a default says so", () => {
  const put = documentOf("card", [example]).paths["/examples/{exampleId}"]?.["put"];
  expect(put?.parameters.filter((parameter) => parameter["in"] !== "header")).toMatchObject([
    { name: "exampleId", in: "path", required: true, schema: { format: "uuid" } },
    { name: "pageSize", required: false, schema: { type: "integer", default: 50, maximum: 100 } },
    { name: "day", required: true, schema: { format: "date" } },
  ]);
  expect(Object.keys(put?.responses ?? {})).toEqual(expect.arrayContaining(["202", "400", "422"]));
});

test("the page of tickets is a whole number from 0, as its document says", () => {
  const list = documentOf("ticketing", [listTicketsRoute]).paths["/tickets/list/{status}"]?.["get"];
  expect(list?.parameters.find(({ name }) => name === "page")).toMatchObject({
    required: false,
    schema: { type: "integer", format: "int32", minimum: 0, maximum: 2_147_483_647, default: 0 },
  });
});

test("the ticketing document is what its interface says: version, flows, statuses, identifiers", () => {
  const { info, paths, components } = documentOf("ticketing");
  expect(info).toMatchObject({ version: "1.0" });
  expect(documentOf("wallet").info).toMatchObject({ version: settings.version });
  expect(components["securitySchemes"]).toMatchObject({
    token: {
      type: "oauth2",
      flows: {
        clientCredentials: { tokenUrl: "/token", scopes: { [settings.scope]: anyText } },
        authorizationCode: { tokenUrl: "/token", scopes: { user_impersonation: anyText } },
      },
    },
  });
  const urlForms = ["New", "InProgress", "WaitingForCustomer", "Resolved", "Closed", "Canceled"];
  const statuses = { type: "string", enum: [...urlForms, "Rejected"] };
  const parameterOf = (path: string, method: string, wanted: string) =>
    paths[path]?.[method]?.parameters.find(({ name }) => name === wanted);
  const inPath = { in: "path", required: true };
  expect(parameterOf("/tickets/list/{status}", "get", "status")).toMatchObject({
    ...{ ...inPath, schema: statuses },
  });
  expect(parameterOf("/tickets/{casenumber}/{newStatus}", "put", "newStatus")).toMatchObject({
    ...{ ...inPath, schema: statuses },
  });
  const body = paths["/tickets/{casenumber}/Status"]?.["put"]?.["requestBody"];
  expect(body).toMatchObject({
    content: { "application/json": { schema: { properties: { status: statuses } } } },
  });
  expect(
    parameterOf("/tickets/{casenumber}/attachments/{attachmentid}", "get", "attachmentid"),
  ).toMatchObject({ ...inPath, schema: { type: "integer" } });
});

test("the sandbox's document is the sandbox's: production has no route of it", () => {
  const ofProduction = endpointsOf("production").map(({ route: { api, id } }) => [api, id]);
  expect(ofProduction).not.toContainEqual(["platform", "getSandboxOpenApi"]);
  expect(ofProduction.filter(([api]) => api === "sandbox")).toEqual([]);
});

test("the sandbox's token is asked for by a form, and refused in OAuth's words", () => {
  const ask = documentOf("sandbox").paths["/identity/{tenant}/oauth2/v2.0/token"]?.["post"];
  expect(ask?.["requestBody"]).toMatchObject({
    required: true,
    content: { "application/x-www-form-urlencoded": { schema: anyObject } },
  });
  for (const status of ["400", "401"])
    expect(ask?.responses[status]).toMatchObject({
      content: { "application/json": { schema: { $ref: "#/components/schemas/OAuthError" } } },
    });
});

test("the header of a creation's key is told of, and so is every request's id", () => {
  const headersOf = (known: Route) => {
    const post = Object.values(documentOf(known.api as "card", [known]).paths)[0]?.["post"];
    const given = post?.parameters.filter((parameter) => parameter["in"] === "header");
    const answered = Object.values(post?.responses ?? {}).map(({ headers }) =>
      Object.keys(headers),
    );
    return { given: given?.map(({ name }) => name), answered };
  };
  const keyed = headersOf(createWalletRoute);
  expect(keyed.given).toEqual(["Idempotency-Key", "X-Request-Id"]);
  for (const names of keyed.answered) {
    expect(names[0]).toBe("X-Request-Id");
    expect(names.at(-1)).toBe("Idempotency-Replayed");
  }
  const other = headersOf(searchWalletRoute);
  expect(other.given).toEqual(["X-Request-Id"]);
  for (const names of other.answered) {
    expect(names[0]).toBe("X-Request-Id");
    expect(names).not.toContain("Idempotency-Replayed");
  }
});

test("each route tells of its limit where the caller is known, and of when to come back", () => {
  const limits = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"];
  for (const api of ["wallet", "card", "ticketing"] as const)
    for (const item of Object.values(documentOf(api).paths))
      for (const { operationId, responses } of Object.values(item)) {
        const namesOf = (status: number) => Object.keys(responses[String(status)]?.headers ?? {});
        expect([operationId, ...namesOf(429)]).toEqual(
          expect.arrayContaining([operationId, "Retry-After", ...limits]),
        );
        expect(namesOf(503)).toContain("Retry-After");
        const [success = ""] = Object.keys(responses);
        expect(namesOf(Number(success))).toEqual(expect.arrayContaining(limits));
        expect(namesOf(401)).not.toEqual(expect.arrayContaining(limits));
      }
});

test("every code of the table has a status that exists and a sentence that ends", () => {
  for (const [code, { status, description }] of Object.entries(errorTable)) {
    expect(status, code).toBeGreaterThanOrEqual(400);
    expect(description, code).toMatch(/^[A-Z].*\.$/);
  }
});
