/** OpenAPI 3.1 documents, written from the routes themselves. */
import { z } from "zod";
import type { ErrorCode } from "../contracts/errors.js";
import type { Route } from "../contracts/route.js";
import { exampleOf } from "../contracts/story/examples.js";
import { jsonSchemas, type Json } from "./json-schemas.js";
import { descriptionOf, titles, versions } from "./openapi/api-texts.js";
import {
  answerHeaders,
  codesOf,
  errorExample,
  errorModelOf,
  type ErrorExample,
} from "./openapi/answers.js";
import { fieldExamples, fillExamples } from "./openapi/field-examples.js";
import { namedValues, type NamedValues } from "./openapi/named-values.js";
import { operationOf } from "./openapi/operation.js";
import { inReadingOrder, tagsOf } from "./openapi/reading-order.js";
import { securitySchemes, type DocumentedApi, type OpenApiSettings } from "./openapi/security.js";
import { basePath } from "./paths.js";

const errorExamples = (
  api: DocumentedApi,
  routes: readonly Route[],
): Readonly<Record<string, ErrorExample>> => {
  const codes = new Set(routes.flatMap(codesOf));
  return Object.fromEntries(
    [...codes].sort().map((code: ErrorCode) => [code, errorExample(api, code)]),
  );
};

type Paths = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Those that some answer refers to. */
const usedHeaders = (paths: Paths): Json => {
  const text = JSON.stringify(paths);
  return Object.fromEntries(
    Object.entries(answerHeaders).filter(([name]) =>
      text.includes(`"#/components/headers/${name}"`),
    ),
  );
};

const Content = z.record(z.string(), z.looseObject({ schema: z.unknown() }));
interface Parameter {
  readonly name: string;
  readonly schema: unknown;
}

const isParameter = (value: unknown): value is Parameter =>
  typeof value === "object" &&
  value !== null &&
  "schema" in value &&
  "name" in value &&
  typeof value.name === "string";

const Shown = z.looseObject({
  parameters: z.array(z.custom<Parameter>(isParameter)),
  requestBody: z.looseObject({ content: Content }).optional(),
  responses: z.record(z.string(), z.looseObject({ content: Content })),
});

const schemasIn = (content: z.output<typeof Content> | undefined): unknown[] =>
  Object.values(content ?? {}).map(({ schema }) => schema);

/** Of a parameter that no call of the story gives. */
const exampleBy = ({ find }: NamedValues, { name, schema }: Parameter): Json => {
  const value = find(name, schema);
  return value === undefined ? {} : { example: value };
};

/** The first operation that a reader meets shows a field, of those that have something there. */
const showExamples = (
  routes: readonly Route[],
  paths: Paths,
  components: Json,
  errors: readonly unknown[],
  model: unknown,
): void => {
  const { show } = fieldExamples(components);
  const named = namedValues();
  for (const error of errors) show(model, error);
  for (const route of routes) {
    const example = exampleOf(route.id);
    const parsed = Shown.parse(paths[`/${route.path}`]?.[route.method.toLowerCase()]);
    for (const schema of schemasIn(parsed.requestBody?.content)) show(schema, example?.body);
    for (const schema of schemasIn(parsed.responses[String(route.ok.status)]?.content))
      show(schema, example?.answer);
    for (const { status, example: refusal } of route.standardRefusals ?? [])
      for (const schema of schemasIn(parsed.responses[String(status)]?.content))
        show(schema, refusal);
    named.learn(example);
  }
  fillExamples(components, named);
  for (const operation of Object.values(paths).flatMap((item) => Object.values(item))) {
    const { parameters, requestBody, responses } = Shown.parse(operation);
    fillExamples([requestBody, responses], named);
    for (const parameter of parameters)
      if (!("example" in parameter)) Object.assign(parameter, exampleBy(named, parameter));
  }
};

/** The document of one API. */
export const openApiDocument = (
  api: DocumentedApi,
  declared: readonly Route[],
  settings: OpenApiSettings,
  extensions: Json = {},
): Json => {
  const schemas = jsonSchemas();
  const model = schemas.output(errorModelOf(api));
  const placed = inReadingOrder(
    api,
    declared.filter((route) => route.api === api),
  );
  const routes = placed.map(({ item }) => item);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { heading, item: route } of placed) {
    const path = (paths[`/${route.path}`] ??= {});
    path[route.method.toLowerCase()] = operationOf(api, route, heading.name, schemas, model);
  }
  const components = schemas.components();
  const examples = errorExamples(api, routes);
  const errors = Object.values(examples).map(({ value }) => value);
  showExamples(routes, paths, components, errors, model);
  return {
    openapi: "3.1.0",
    info: {
      title: `Borsello: ${titles[api]}`,
      version: versions[api] ?? settings.version,
      description: descriptionOf(api),
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: `/${basePath(api)}`, description: "The platform that serves this document." }],
    tags: tagsOf(placed),
    paths,
    components: {
      schemas: components,
      headers: usedHeaders(paths),
      examples,
      securitySchemes: securitySchemes(api, settings),
    },
    ...extensions,
  };
};
