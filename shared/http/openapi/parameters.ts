/** What an operation takes besides its body, in OpenAPI's words. */
import { z } from "zod";
import { keyHeader, keyPattern, replayedHeader } from "../../contracts/idempotency-key.js";
import { isNameFamily, type Route, type TextShape } from "../../contracts/route.js";
import type { RouteExample } from "../../contracts/story/route-example.js";
import type { Json, JsonSchemas } from "../json-schemas.js";
import { requestIdHeader } from "../request-trace.js";
import { fieldText } from "./field-texts.js";

const RecordSchema = z.looseObject({
  additionalProperties: z.unknown(),
  description: z.string().optional(),
});

type Given = RouteExample["query"];

/** What the story gives under all the names that begin so. */
const familyExample = (prefix: string, given: Given): Json => {
  const fitting = Object.entries(given ?? {}).filter(([name]) => name.startsWith(prefix));
  return fitting.length === 0 ? {} : { example: Object.fromEntries(fitting) };
};

/** An exploded object: each of its properties is a query parameter of its own. */
const familyIn = (prefix: string, record: unknown, given: Given): Json => {
  const { additionalProperties, description } = RecordSchema.parse(record);
  const name = prefix.slice(0, -1);
  const pattern = `^${name}\\.`;
  return {
    name,
    in: "query",
    description,
    required: false,
    style: "form",
    explode: true,
    schema: { type: "object", patternProperties: { [pattern]: additionalProperties } },
    ...familyExample(prefix, given),
  };
};

const Described = z.looseObject({
  description: z.string().optional(),
  type: z.unknown().optional(),
});

/** As the schema has it: an address holds texts. */
const exampleOfType = (type: unknown, text: string): unknown =>
  type === "integer" || type === "number" ? Number(text) : text;

const parameterIn = (
  place: "path" | "query",
  name: string,
  schema: z.ZodType,
  schemas: JsonSchemas,
  given: string | undefined,
): Json => {
  const { description = fieldText(name), ...rest } = Described.parse(schemas.input(schema));
  return {
    name,
    in: place,
    description,
    required: place === "path" || !schema.safeParse(undefined).success,
    schema: rest,
    ...(given === undefined ? {} : { example: exampleOfType(rest.type, given) }),
  };
};

const parametersIn = (
  place: "path" | "query",
  shape: TextShape | undefined,
  schemas: JsonSchemas,
  given: Given,
): Json[] =>
  Object.entries(shape ?? {}).map(([name, schema]) =>
    isNameFamily(name)
      ? familyIn(name, schemas.input(schema), given)
      : parameterIn(place, name, schema, schemas, given?.[name]),
  );

/** A header's value in answers and requests. */
export const requestIdSchema: Json = { type: "string", minLength: 1, maxLength: 128 };

export const exampleRequestId = "01980e02-1f3a-7c5b-9d2e-6a8b0c4d2e1f";

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
          example: "till-3-2025-03-10-000417",
        },
      ]
    : []),
  {
    name: requestIdHeader,
    in: "header",
    required: false,
    description: "Names the call in its answer and in the platform's log.",
    schema: requestIdSchema,
    example: exampleRequestId,
  },
];

export const parametersOf = (
  route: Route,
  schemas: JsonSchemas,
  example: RouteExample | undefined,
): Json[] => [
  ...parametersIn("path", route.params, schemas, example?.path),
  ...parametersIn("query", route.query, schemas, example?.query),
  ...headerParameters(route),
];
