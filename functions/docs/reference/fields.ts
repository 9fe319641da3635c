/** The fields of a schema as a reader sees them: name, kind, what holds for it, what lies within. */
import { z } from "zod";
import { html, type Html } from "../html.js";
import { prose } from "./prose.js";

const Schema = z.object({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().optional(),
  format: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  default: z.unknown().optional(),
  example: z.unknown().optional(),
  examples: z.array(z.unknown()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
  items: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
  allOf: z.array(z.unknown()).optional(),
});
type Schema = z.output<typeof Schema>;

type Schemas = Readonly<Record<string, unknown>>;

interface Seen {
  readonly schema: Schema;
  readonly isNullable: boolean;
  /** Components on the way here: one that holds itself is shown once. */
  readonly within: readonly string[];
}

const refName = /^#\/components\/schemas\/(.+)$/;

const merged = (parts: readonly Schema[]): Schema =>
  parts.reduce((whole, part) => ({
    ...whole,
    ...part,
    properties: { ...whole.properties, ...part.properties },
    required: [...(whole.required ?? []), ...(part.required ?? [])],
  }));

const isNull = (schema: Schema): boolean => schema.type === "null";

/** Follows references, joins what holds together, takes "or null" apart. */
const look = (written: unknown, schemas: Schemas, within: readonly string[]): Seen => {
  const schema = Schema.parse(written ?? {});
  const name = refName.exec(schema.$ref ?? "")?.[1];
  if (name !== undefined) {
    if (within.includes(name)) return { schema: { type: name }, isNullable: false, within };
    const found = look(schemas[name], schemas, [...within, name]);
    const own = schema.description === undefined ? {} : { description: schema.description };
    return { ...found, schema: { ...found.schema, ...own } };
  }
  if (schema.allOf !== undefined) {
    const parts = schema.allOf.map((part) => look(part, schemas, within));
    return {
      schema: merged([...parts.map((part) => part.schema), { ...schema, allOf: undefined }]),
      isNullable: false,
      within: parts.flatMap((part) => part.within),
    };
  }
  const choices = (schema.anyOf ?? schema.oneOf)?.map((choice) => look(choice, schemas, within));
  if (choices === undefined) {
    const types = [schema.type ?? []].flat();
    const rest = types.filter((type) => type !== "null");
    return {
      schema: { ...schema, type: rest.length === 1 ? rest[0] : rest },
      isNullable: rest.length < types.length,
      within,
    };
  }
  const [only, ...others] = choices.filter((choice) => !isNull(choice.schema));
  const isNullable = choices.some((choice) => choice.isNullable || isNull(choice.schema));
  if (only === undefined || others.length > 0) return { schema, isNullable, within };
  return {
    schema: { ...only.schema, description: schema.description ?? only.schema.description },
    isNullable,
    within: only.within,
  };
};

const formats: Readonly<Record<string, string>> = {
  "date-time": "moment, ISO 8601 in UTC",
  date: "day, YYYY-MM-DD",
  uuid: "UUID",
  int32: "whole number",
  int64: "whole number",
  binary: "bytes",
};

const typeWords: Readonly<Record<string, string>> = {
  integer: "whole number",
  string: "text",
  boolean: "true or false",
};

const kindOf = ({ schema, isNullable }: Seen, schemas: Schemas): string => {
  const type = [schema.type ?? []].flat()[0] ?? (schema.properties ? "object" : "any value");
  const word =
    type === "array"
      ? `list of ${kindOf(look(schema.items, schemas, []), schemas)}`
      : (formats[schema.format ?? ""] ?? typeWords[type] ?? type);
  return `${word}${isNullable ? " or null" : ""}`;
};

const range = (from: number | undefined, to: number | undefined, what: string): string[] => {
  if (from !== undefined && to !== undefined && to < 1e15)
    return [from === to ? `${from}${what}` : `${from} to ${to}${what}`];
  if (to !== undefined && to < 1e15) return [`at most ${to}${what}`];
  return from !== undefined && from > -1e15 ? [`at least ${from}${what}`] : [];
};

const limitsOf = (schema: Schema): string => {
  const isText = schema.format === undefined && schema.enum === undefined;
  const above = schema.exclusiveMinimum;
  return [
    ...(above === undefined ? [] : [`more than ${above}`]),
    ...range(schema.minimum, schema.maximum, ""),
    ...(isText ? range(schema.minLength, schema.maxLength, " characters") : []),
    ...range(schema.minItems, schema.maxItems, " items"),
    ...(schema.default === undefined ? [] : [`${JSON.stringify(schema.default)} if left out`]),
  ].join("; ");
};

const values = ({ enum: listed, const: only }: Schema): readonly unknown[] =>
  listed ?? (only === undefined ? [] : [only]);

const shownValue = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value);

const valuesOf = (schema: Schema): Html => {
  const shown = values(schema);
  return shown.length === 0
    ? html``
    : html`<p class="values">${shown.map((value) => html`<code>${shownValue(value)}</code> `)}</p>`;
};

/** Of what is sent a reader asks what must be there, of what is told what may be missing. */
export type Direction = "sent" | "told";

const presence = (required: boolean | undefined, direction: Direction): Html => {
  if (direction === "told")
    return required === false ? html`<span class="limits">not always there</span>` : html``;
  return required === true ? html`<span class="required">required</span>` : html``;
};

/** What a reader opens to see inside, of objects, lists of them, and choices. */
const inner = (seen: Seen, schemas: Schemas, direction: Direction): Html => {
  const { schema, within } = seen;
  if (schema.items !== undefined) {
    const item = look(schema.items, schemas, within);
    return html`${valuesOf(item.schema)}${inner(item, schemas, direction)}`;
  }
  const choices = schema.anyOf ?? schema.oneOf ?? [];
  if (choices.length > 0)
    return html`${choices.map((choice) => {
      const one = look(choice, schemas, within);
      return html`<div class="choice">
        <span class="kind">either ${kindOf(one, schemas)}</span>${valuesOf(one.schema)}${inner(
          one,
          schemas,
          direction,
        )}
      </div>`;
    })}`;
  if (Object.keys(schema.properties ?? {}).length === 0) return html``;
  return html`<details class="inner">
    <summary>${Object.keys(schema.properties ?? {}).length} fields</summary>
    ${rows(seen, schemas, direction)}
  </details>`;
};

export interface Row {
  readonly name: string;
  readonly schema: unknown;
  readonly description?: string | undefined;
  readonly required?: boolean | undefined;
}

const row = (
  { name, schema, description, required }: Row,
  from: Seen,
  schemas: Schemas,
  direction: Direction,
): Html => {
  const seen = look(schema, schemas, from.within);
  const text = description ?? seen.schema.description ?? "";
  const limits = limitsOf(seen.schema);
  return html`<div class="field">
    <dt>
      <code>${name}</code> <span class="kind">${kindOf(seen, schemas)}</span>
      ${presence(required, direction)}
      ${limits === "" ? "" : html`<span class="limits">${limits}</span>`}
    </dt>
    <dd>
      ${text === "" ? "" : prose(text)}${valuesOf(seen.schema)}${inner(seen, schemas, direction)}
    </dd>
  </div>`;
};

const start: Seen = { schema: {}, isNullable: false, within: [] };

/** A list of parameters, which has no schema of its own. */
export const fieldList = (fields: readonly Row[], schemas: Schemas): Html =>
  html`<dl class="fields">${fields.map((field) => row(field, start, schemas, "sent"))}</dl>`;

function rows(seen: Seen, schemas: Schemas, direction: Direction): Html {
  const { properties = {}, required = [] } = seen.schema;
  const fields = Object.entries(properties).map(([name, schema]) =>
    row({ name, schema, required: required.includes(name) }, seen, schemas, direction),
  );
  return html`<dl class="fields">${fields}</dl>`;
}

/** All that a schema holds: its fields, its items' fields, or what kind of value it is. */
export const schemaFields = (written: unknown, schemas: Schemas, direction: Direction): Html => {
  const seen = look(written, schemas, []);
  const listed = seen.schema.items === undefined ? seen : look(seen.schema.items, schemas, []);
  const isList = listed !== seen;
  const kind = html`<p class="kind">${kindOf(seen, schemas)}</p>`;
  if (Object.keys(listed.schema.properties ?? {}).length === 0)
    return html`${kind}${valuesOf(listed.schema)}${inner(listed, schemas, direction)}`;
  return isList ? html`${kind}${rows(listed, schemas, direction)}` : rows(seen, schemas, direction);
};
