/** Shows in each field of a document's schemas what the story has there: the first value that is not null. */
import type { NamedValues } from "./named-values.js";

type Schema = Record<string, unknown>;

const isRecord = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const componentName = /^#\/components\/schemas\/(.+)$/;

export interface FieldExamples {
  /** Notes what a place of this schema holds in the story. */
  readonly show: (schema: unknown, value: unknown) => void;
}

const exampleIn = (schema: Schema): unknown => list(schema["examples"])[0];

const keep = (schema: Schema, value: unknown): void => {
  if ("examples" in schema && exampleIn(schema) !== null) return;
  schema["examples"] = [value];
};

/** Fills the fields of a schema that show nothing yet with what their names stand for elsewhere. */
export const fillExamples = (schema: unknown, { find }: Pick<NamedValues, "find">): void => {
  if (Array.isArray(schema)) for (const one of schema) fillExamples(one, { find });
  if (!isRecord(schema)) return;
  const { properties } = schema;
  for (const [keyword, value] of Object.entries(schema))
    if (keyword !== "examples" && keyword !== "properties") fillExamples(value, { find });
  if (!isRecord(properties)) return;
  for (const [name, field] of Object.entries(properties)) {
    fillExamples(field, { find });
    if (!isRecord(field) || "examples" in field || !("type" in field)) continue;
    const value = find(name, field);
    if (value !== undefined) field["examples"] = [value];
  }
};

/** `components` and the schemas that are shown are changed in place. */
export const fieldExamples = (components: unknown): FieldExamples => {
  const known = isRecord(components) ? components : {};

  const resolved = (schema: Schema): Schema => {
    const name = componentName.exec(String(schema["$ref"]))?.[1];
    const found = name === undefined ? schema : known[name];
    return isRecord(found) ? found : schema;
  };

  const showField = (schema: unknown, value: unknown): void => {
    if (!isRecord(schema)) return;
    if (!("$ref" in schema)) keep(schema, value);
    show(schema, value);
  };

  const show = (schema: unknown, value: unknown): void => {
    if (!isRecord(schema) || value === null) return;
    const { properties, items, anyOf, allOf } = resolved(schema);
    for (const form of [...list(anyOf), ...list(allOf)]) show(form, value);
    if (Array.isArray(value)) for (const item of value) show(items, item);
    if (!isRecord(value) || !isRecord(properties)) return;
    for (const [name, of] of Object.entries(properties))
      if (name in value) showField(of, value[name]);
  };

  return { show };
};
