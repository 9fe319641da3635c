/** OpenAPI 3.1 documents, written from the routes themselves. */
import { z } from "zod";
import { errorTable, type ErrorCode } from "../contracts/errors.js";
import { keyHeader, keyPattern, replayedHeader } from "../contracts/idempotency-key.js";
import { ErrorModel, TicketingError } from "../contracts/platform/error-models.js";
import { jsonBytesMax } from "../contracts/json-limits.js";
import {
  isBinaryBody,
  isNameFamily,
  isOptionalBody,
  mediaTypesOf,
  type Route,
  type TextShape,
} from "../contracts/route.js";
import { limitedKind } from "./access.js";
import { errorReply } from "./error-body.js";
import { jsonSchemas, type Json, type JsonSchemas } from "./json-schemas.js";
import { kitErrors } from "./kit-errors.js";
import { basePath } from "./paths.js";
import { requestIdHeader } from "./request-trace.js";
import {
  securityRequirement,
  securitySchemes,
  type DocumentedApi,
  type OpenApiSettings,
} from "./openapi-security.js";

const titles: Readonly<Record<DocumentedApi, string>> = {
  ticketing: "Partner Ticketing API",
  wallet: "Wallet Platform API",
  card: "Card Platform API",
};

/** Of the interfaces that have a version of their own; the others are as old as the application. */
const versions: Readonly<Partial<Record<DocumentedApi, string>>> = { ticketing: "1.0" };

const errorModelOf = (api: DocumentedApi): z.ZodType =>
  api === "ticketing" ? TicketingError : ErrorModel;

const RecordSchema = z.object({ additionalProperties: z.unknown(), description: z.string() });

/** An exploded object: each of its properties is a query parameter of its own. */
const familyIn = (prefix: string, record: unknown): Json => {
  const { additionalProperties, description } = RecordSchema.parse(record);
  const pattern = `^${prefix.slice(0, -1)}\\.`;
  return {
    name: prefix.slice(0, -1),
    in: "query",
    description,
    required: false,
    style: "form",
    explode: true,
    schema: { type: "object", patternProperties: { [pattern]: additionalProperties } },
  };
};

const parametersIn = (
  place: "path" | "query",
  shape: TextShape | undefined,
  schemas: JsonSchemas,
): Json[] =>
  Object.entries(shape ?? {}).map(([name, schema]) =>
    isNameFamily(name)
      ? familyIn(name, schemas.input(schema))
      : {
          name,
          in: place,
          required: place === "path" || !schema.safeParse(undefined).success,
          schema: schemas.input(schema),
        },
  );

const text = (maxLength: number): Json => ({ type: "string", minLength: 1, maxLength });

const headerParameters = ({ takesIdempotencyKey }: Route): Json[] => [
  ...(takesIdempotencyKey === true
    ? [
        {
          name: keyHeader,
          in: "header",
          required: false,
          description:
            "For 24 hours the same key with the same request gets the first answer word for word, " +
            `its status included, with the header ${replayedHeader}.`,
          schema: { type: "string", pattern: keyPattern, minLength: 16, maxLength: 64 },
        },
      ]
    : []),
  {
    name: requestIdHeader,
    in: "header",
    required: false,
    description: "Names the call in its answer and in the platform's log.",
    schema: text(128),
  },
];

const wholeNumber = (description: string): Json => ({
  description,
  schema: { type: "integer", minimum: 0 },
});

/** Of answers to partners with a limit, once the caller is known. */
const limitHeaders: Json = {
  "RateLimit-Limit": wholeNumber("So many calls a second are the partner's limit, if it has one."),
  "RateLimit-Remaining": wholeNumber("So many may come at once."),
  "RateLimit-Reset": wholeNumber("Seconds until all of them may come again."),
};

const retryAfter: Json = { "Retry-After": wholeNumber("Seconds after which to repeat the call.") };

const unauthorized = 401;
const tooMany = 429;
const unavailable = 503;

const statusHeaders = (route: Route, status: number): Json => ({
  ...(limitedKind(route) !== null && status !== unauthorized && status < 500 ? limitHeaders : {}),
  ...(status === tooMany || status === unavailable ? retryAfter : {}),
});

const answerHeaders = (route: Route, status: number): Json => ({
  [requestIdHeader]: { description: "The caller's own id, or a new one.", schema: text(128) },
  ...statusHeaders(route, status),
  ...(route.takesIdempotencyKey === true
    ? {
        [replayedHeader]: {
          description: "An earlier call with this key got this answer first.",
          schema: { const: "true" },
        },
      }
    : {}),
});

const exampleId = "01980d3c-93a5-7cc4-8a63-5f2a8f0e1b77";

const exampleBody = (api: DocumentedApi, code: ErrorCode): unknown =>
  JSON.parse(errorReply(api, { code }, exampleId).body);

const errorResponse = (
  api: DocumentedApi,
  codes: readonly ErrorCode[],
  headers: Json,
  model: unknown,
): Json => ({
  description: codes.map((code) => `\`${code}\`: ${errorTable[code].description}`).join("\n\n"),
  headers,
  content: {
    "application/json": {
      schema:
        api === "ticketing"
          ? model
          : { allOf: [model, { properties: { errorCode: { enum: [...codes] } } }] },
      examples: Object.fromEntries(codes.map((code) => [code, { value: exampleBody(api, code) }])),
    },
  },
});

const errorResponses = (api: DocumentedApi, route: Route, model: unknown): Json => {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set([...route.errors, ...kitErrors(route)])) {
    const { status } = errorTable[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      errorResponse(api, codes, answerHeaders(route, status), model),
    ]),
  );
};

const successContent = ({ ok }: Route, schemas: JsonSchemas): Json =>
  "schema" in ok
    ? { "application/json": { schema: schemas.output(ok.schema) } }
    : Object.fromEntries(mediaTypesOf(ok).map((mediaType) => [mediaType, {}]));

const requestBody = (body: NonNullable<Route["body"]>, schemas: JsonSchemas): Json =>
  isBinaryBody(body)
    ? {
        required: true,
        description: `The bytes themselves, at most ${body.bytesMax}.`,
        content: Object.fromEntries(body.contentTypes.map((contentType) => [contentType, {}])),
      }
    : {
        required: !isOptionalBody(body),
        description: `At most ${jsonBytesMax} bytes.`,
        content: { "application/json": { schema: schemas.input(body) } },
      };

const operation = (
  api: DocumentedApi,
  route: Route,
  schemas: JsonSchemas,
  model: unknown,
): Json => {
  const role = route.role === null ? [] : [`Role: \`${route.role}\`.`];
  const description = [...(route.description === undefined ? [] : [route.description]), ...role];
  return {
    operationId: route.id,
    summary: route.summary,
    description: description.join("\n\n"),
    tags: [route.path.split("/")[0]],
    parameters: [
      ...parametersIn("path", route.params, schemas),
      ...parametersIn("query", route.query, schemas),
      ...headerParameters(route),
    ],
    ...(route.body === undefined ? {} : { requestBody: requestBody(route.body, schemas) }),
    responses: {
      [String(route.ok.status)]: {
        description: "Done.",
        headers: answerHeaders(route, route.ok.status),
        content: successContent(route, schemas),
      },
      ...errorResponses(api, route, model),
    },
    security: route.role === null ? [] : [securityRequirement(api)],
  };
};

/** The document of one API. */
export const openApiDocument = (
  api: DocumentedApi,
  routes: readonly Route[],
  settings: OpenApiSettings,
): Json => {
  const schemas = jsonSchemas();
  const model = schemas.output(errorModelOf(api));
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes.filter((declared) => declared.api === api)) {
    const item = (paths[`/${route.path}`] ??= {});
    item[route.method.toLowerCase()] = operation(api, route, schemas, model);
  }
  return {
    openapi: "3.1.0",
    info: { title: `Borsello: ${titles[api]}`, version: versions[api] ?? settings.version },
    servers: [{ url: `/${basePath(api)}` }],
    paths,
    components: { schemas: schemas.components(), securitySchemes: securitySchemes(api, settings) },
  };
};
