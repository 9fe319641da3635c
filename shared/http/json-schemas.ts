/** JSON Schemas of a document: shared ones (those with an id) become components, others stay inline. */
import { z } from "zod";
import { readable } from "./openapi/readable-schema.js";

export type Json = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const localRef = /^#\/\$defs\/(.+)$/;

/** Points references at the components, and drops what only zod itself reads. */
const relocated = (value: unknown, names: ReadonlyMap<string, string>): unknown => {
  if (Array.isArray(value)) return value.map((item: unknown) => relocated(item, names));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, item]) => !(key === "id" && typeof item === "string") && key !== "$defs")
      .map(([key, item]) => {
        const name = key === "$ref" && typeof item === "string" ? localRef.exec(item)?.[1] : null;
        return typeof name === "string"
          ? [key, `#/components/schemas/${names.get(name) ?? name}`]
          : [key, relocated(item, names)];
      }),
  );
};

export interface JsonSchemas {
  /** The schema as callers send it. */
  input(schema: z.ZodType): unknown;
  /** The schema as the platform answers it. */
  output(schema: z.ZodType): unknown;
  components(): Json;
}

type Definitions = Readonly<Record<string, unknown>>;

interface Converted {
  readonly root: unknown;
  readonly definitions: Definitions;
}

/** Inside a wrapper a schema with an id is referred to; at the top it would be written out. */
const convert = (schema: z.ZodType, io: "input" | "output", areOpen: boolean): Converted => {
  const { properties, $defs } = z.toJSONSchema(z.object({ root: schema }), {
    io,
    unrepresentable: "any",
    // zod leaves out what stands for an absent text that is read as a number.
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema instanceof z.ZodDefault && jsonSchema.type === "integer")
        jsonSchema.default = zodSchema.def.defaultValue;
      if (areOpen && jsonSchema.additionalProperties === false)
        delete jsonSchema.additionalProperties;
    },
  });
  return { root: properties?.["root"], definitions: $defs ?? {} };
};

const isSame = (one: Definitions, other: Definitions): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** `areOpen`: fields that a schema does not name are let pass, whatever the platform itself does. */
export const jsonSchemas = ({ areOpen = false } = {}): JsonSchemas => {
  const components = new Map<string, unknown>();

  const keep = ({ root, definitions }: Converted, suffix: string): unknown => {
    const names = new Map(Object.keys(definitions).map((id) => [id, `${id}${suffix}`]));
    for (const [id, definition] of Object.entries(definitions))
      components.set(`${id}${suffix}`, readable(relocated(definition, names)));
    return readable(relocated(root, names));
  };

  return {
    input: (schema) => {
      const sent = convert(schema, "input", areOpen);
      // Defaults, for example, make a field optional to send and certain to be answered.
      const differs = !isSame(sent.definitions, convert(schema, "output", areOpen).definitions);
      return keep(sent, differs ? "Input" : "");
    },
    output: (schema) => keep(convert(schema, "output", areOpen), ""),
    components: () =>
      Object.fromEntries([...components].sort(([one], [other]) => (one < other ? -1 : 1))),
  };
};
