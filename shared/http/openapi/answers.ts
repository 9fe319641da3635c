/** What an operation answers, in OpenAPI's words: the success, each refusal, and their headers. */
import type { z } from "zod";
import { errorTable, type ErrorCode } from "../../contracts/errors.js";
import { replayedHeader } from "../../contracts/idempotency-key.js";
import { ErrorModel, TicketingError } from "../../contracts/platform/error-models.js";
import { digestHeader, mediaTypesOf, type Route } from "../../contracts/route.js";
import type { RouteExample } from "../../contracts/story/route-example.js";
import { limitedKind } from "../access.js";
import { errorReply } from "../error-body.js";
import type { Json, JsonSchemas } from "../json-schemas.js";
import { kitErrors } from "../kit-errors.js";
import { requestIdHeader } from "../request-trace.js";
import { bytesIn } from "./bytes.js";
import { exampleRequestId, requestIdSchema } from "./parameters.js";
import type { DocumentedApi } from "./security.js";

export const errorModelOf = (api: DocumentedApi): z.ZodType =>
  api === "ticketing" ? TicketingError : ErrorModel;

const wholeNumber = (description: string, example: number): Json => ({
  description,
  schema: { type: "integer", format: "int32", minimum: 0 },
  example,
});

/** By their names, for the document's components. */
export const answerHeaders: Json = {
  [requestIdHeader]: {
    description: "The caller's own id, or a new one.",
    schema: requestIdSchema,
    example: exampleRequestId,
  },
  "RateLimit-Limit": wholeNumber(
    "So many calls a second are the partner's limit, if it has one.",
    1_000,
  ),
  "RateLimit-Remaining": wholeNumber("So many may come at once.", 999),
  "RateLimit-Reset": wholeNumber("Seconds until all of them may come again.", 1),
  "Retry-After": wholeNumber("Seconds after which to repeat the call.", 5),
  [digestHeader]: {
    description: "The SHA-256 over all bytes (RFC 9530).",
    schema: { type: "string", pattern: "^sha-256=:[A-Za-z0-9+/]{43}=:$" },
    example: "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:",
  },
  [replayedHeader]: {
    description: "An earlier call with this key got this answer first.",
    schema: { const: "true" },
    example: "true",
  },
};

const unauthorized = 401;
const tooMany = 429;
const unavailable = 503;

const headersOf = (route: Route, status: number): Json => {
  const isLimited = limitedKind(route) !== null && status !== unauthorized && status < 500;
  const names = [
    requestIdHeader,
    ...(isLimited ? ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"] : []),
    ...(status === tooMany || status === unavailable ? ["Retry-After"] : []),
    ...(status === 200 && "hasDigest" in route.ok ? [digestHeader] : []),
    ...(route.takesIdempotencyKey === true ? [replayedHeader] : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
};

export interface ErrorExample {
  readonly summary: string;
  readonly value: unknown;
}

/** As it is answered, for the document's components. */
export const errorExample = (api: DocumentedApi, code: ErrorCode): ErrorExample => {
  const { description, properties = {} } = errorTable[code];
  // Ticketing tells them in its sentence, in words of its own.
  const detail = api === "ticketing" ? { code } : { code, properties };
  return {
    summary: description,
    value: JSON.parse(errorReply(api, detail, exampleRequestId).body) as unknown,
  };
};

const errorAnswer = (
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
      examples: Object.fromEntries(
        codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
      ),
    },
  },
});

/** The codes that a route can give, its own and the kit's. */
export const codesOf = (route: Route): readonly ErrorCode[] => [
  ...new Set([...route.errors, ...kitErrors(route)]),
];

const errorAnswers = (api: DocumentedApi, route: Route, model: unknown): Json => {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codesOf(route)) {
    const { status } = errorTable[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      errorAnswer(api, codes, headersOf(route, status), model),
    ]),
  );
};

/** Several refusals of one status stand in one answer. */
const standardAnswers = (route: Route, schemas: JsonSchemas): Json =>
  Object.fromEntries(
    (route.standardRefusals ?? []).map(({ status, schema, description, example }) => [
      String(status),
      {
        description,
        headers: headersOf(route, status),
        content: { "application/json": { schema: schemas.output(schema), example } },
      },
    ]),
  );

const successContent = (
  { ok }: Route,
  schemas: JsonSchemas,
  example: RouteExample | undefined,
): Json =>
  "schema" in ok
    ? {
        "application/json": {
          schema: schemas.output(ok.schema),
          ...(example?.answer === undefined ? {} : { example: example.answer }),
        },
      }
    : Object.fromEntries(mediaTypesOf(ok).map((mediaType) => [mediaType, bytesIn(mediaType)]));

export const answersOf = (
  api: DocumentedApi,
  route: Route,
  schemas: JsonSchemas,
  model: unknown,
  example: RouteExample | undefined,
): Json => ({
  [String(route.ok.status)]: {
    description: route.result ?? "Done.",
    headers: headersOf(route, route.ok.status),
    content: successContent(route, schemas, example),
  },
  ...standardAnswers(route, schemas),
  ...errorAnswers(api, route, model),
});
