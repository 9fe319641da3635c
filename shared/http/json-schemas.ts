/** JSON Schemas of a document: shared ones (those with an id) become components, others stay inline. */
import { z } from "zod";

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

export const jsonSchemas = (): JsonSchemas => {
  const components = new Map<string, { readonly text: string; readonly schema: unknown }>();

  /** The component's name; one id may look different in requests and in answers. */
  const nameFor = (id: string, text: string, io: "input" | "output"): string => {
    const taken = components.get(id);
    return taken === undefined || taken.text === text || io === "output" ? id : `${id}Input`;
  };

  const convert = (schema: z.ZodType, io: "input" | "output"): unknown => {
    // Inside a wrapper a schema with an id is referred to; at the top it would be written out.
    const wrapped = z.toJSONSchema(z.object({ root: schema }), { io, unrepresentable: "any" });
    const definitions = wrapped.$defs ?? {};
    const names = new Map<string, string>();
    for (const [id, definition] of Object.entries(definitions))
      names.set(id, nameFor(id, JSON.stringify(definition), io));
    for (const [id, definition] of Object.entries(definitions))
      components.set(names.get(id) ?? id, {
        text: JSON.stringify(definition),
        schema: relocated(definition, names),
      });
    return relocated(wrapped.properties?.["root"], names);
  };

  return {
    input: (schema) => convert(schema, "input"),
    output: (schema) => convert(schema, "output"),
    components: () =>
      Object.fromEntries(
        [...components]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([id, { schema }]) => [id, schema]),
      ),
  };
};
