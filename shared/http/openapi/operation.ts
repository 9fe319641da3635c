/** One route as an operation of an OpenAPI document. */
import type { z } from "zod";
import { jsonBytesMax } from "../../contracts/json-limits.js";
import { isBinaryBody, isOptionalBody, type Route } from "../../contracts/route.js";
import { exampleOf } from "../../contracts/story/examples.js";
import type { RouteExample } from "../../contracts/story/route-example.js";
import type { Json, JsonSchemas } from "../json-schemas.js";
import { answersOf } from "./answers.js";
import { bytesIn } from "./bytes.js";
import { parametersOf } from "./parameters.js";
import { securityRequirement, type DocumentedApi } from "./security.js";

const shown = (example: RouteExample | undefined): Json =>
  example?.body === undefined ? {} : { example: example.body };

const formBody = (
  form: z.ZodType,
  schemas: JsonSchemas,
  example: RouteExample | undefined,
): Json => ({
  required: true,
  description: "The form's fields.",
  content: {
    "application/x-www-form-urlencoded": { schema: schemas.input(form), ...shown(example) },
  },
});

const bodyOf = (
  body: NonNullable<Route["body"]>,
  schemas: JsonSchemas,
  example: RouteExample | undefined,
): Json =>
  isBinaryBody(body)
    ? {
        required: true,
        description: `The bytes themselves, at most ${body.bytesMax}.`,
        content: Object.fromEntries(
          body.contentTypes.map((mediaType) => [mediaType, bytesIn(mediaType)]),
        ),
      }
    : {
        required: !isOptionalBody(body),
        description: `At most ${jsonBytesMax} bytes.`,
        content: { "application/json": { schema: schemas.input(body), ...shown(example) } },
      };

const requestBodyOf = (
  { body, form }: Route,
  schemas: JsonSchemas,
  example: RouteExample | undefined,
): Json => {
  if (form !== undefined) return { requestBody: formBody(form, schemas, example) };
  return body === undefined ? {} : { requestBody: bodyOf(body, schemas, example) };
};

export const operationOf = (
  api: DocumentedApi,
  route: Route,
  tag: string,
  schemas: JsonSchemas,
  model: unknown,
): Json => {
  const role = route.role === null ? [] : [`Role: \`${route.role}\`.`];
  const description = [...(route.description === undefined ? [] : [route.description]), ...role];
  const example = exampleOf(route.id);
  return {
    operationId: route.id,
    summary: route.summary,
    ...(description.length === 0 ? {} : { description: description.join("\n\n") }),
    tags: [tag],
    ...(route.role === null ? {} : { "x-borsello-role": route.role }),
    parameters: parametersOf(route, schemas, example),
    ...requestBodyOf(route, schemas, example),
    responses: answersOf(api, route, schemas, model, example),
    security: route.role === null ? [] : [securityRequirement(api)],
  };
};
