/** Every place in a request that takes a value, read from the schemas of the routes. */
import { z } from "zod";
import { endpointsOf } from "../../../functions/endpoints.js";
import { isBinaryBody, type Route } from "../../../shared/contracts/route.js";

export type Json = Readonly<Record<string, unknown>>;

/** A place in a request that takes a value, and how it lies in the whole. */
export interface Field {
  readonly name: string;
  readonly schema: Json;
  readonly whole: (value: unknown) => unknown;
}

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null;
const jsonList = (value: unknown): readonly Json[] =>
  Array.isArray(value) ? value.filter(isJson) : [];

/** The places below one: fields of an object, items of a list, what a nullable one may be. */
const fieldsOf = (field: Field): readonly Field[] => {
  const { name, schema, whole } = field;
  const below = (step: string, of: unknown, put: (value: unknown) => unknown): readonly Field[] =>
    isJson(of)
      ? fieldsOf({ name: `${name}/${step}`, schema: of, whole: (value) => whole(put(value)) })
      : [];
  const properties = isJson(schema["properties"]) ? Object.entries(schema["properties"]) : [];
  return [
    field,
    ...properties.flatMap(([key, of]) => below(key, of, (value) => ({ [key]: value }))),
    ...below("0", schema["items"], (value) => [value]),
    ...jsonList(schema["anyOf"]).flatMap((of) => fieldsOf({ ...field, schema: of })),
  ];
};

export interface RequestInput {
  readonly route: Route;
  readonly place: "path" | "query" | "body";
  readonly schema: z.ZodType;
  readonly fields: readonly Field[];
}

const inputOf = (route: Route, place: RequestInput["place"], schema: z.ZodType): RequestInput => ({
  route,
  place,
  schema,
  fields: fieldsOf({
    name: `${route.id} ${place}`,
    schema: z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }),
    whole: (value) => value,
  }),
});

/** A schema that takes one of some values alone. */
export const isChoice = (schema: Json): boolean => "enum" in schema || "const" in schema;

export const isText = ({ schema }: Field): boolean =>
  schema["type"] === "string" && !isChoice(schema);

export const requestInputs = (): readonly RequestInput[] =>
  endpointsOf("development").flatMap(({ route }) => [
    inputOf(route, "path", z.strictObject(route.params ?? {})),
    inputOf(route, "query", z.strictObject(route.query ?? {})),
    ...(route.body === undefined || isBinaryBody(route.body)
      ? []
      : [inputOf(route, "body", route.body)]),
  ]);
