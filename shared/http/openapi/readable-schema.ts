/** JSON Schemas as people and generators read them best: formats in place of patterns, one form of nullable, texts. */
import { fieldText } from "./field-texts.js";

type Schema = Readonly<Record<string, unknown>>;

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isNull = (value: unknown): boolean => isSchema(value) && value["type"] === "null";

/** The bounds of what a number carries exactly say nothing to a reader. */
const withoutSafeBounds = (schema: Schema): Schema => {
  if (schema["type"] === "number") return { format: "double", ...schema };
  if (schema["type"] !== "integer") return schema;
  const { minimum, maximum, ...rest } = schema;
  const isInt32 = minimum === -(2 ** 31) && maximum === 2 ** 31 - 1;
  return {
    ...rest,
    format:
      schema["format"] ??
      (isInt32 || (typeof maximum === "number" && maximum < 2 ** 31) ? "int32" : "int64"),
    ...(minimum === Number.MIN_SAFE_INTEGER || isInt32 ? {} : { minimum }),
    ...(maximum === Number.MAX_SAFE_INTEGER || isInt32 ? {} : { maximum }),
  };
};

/** Of what the pattern says, what the format does not: that a moment is in UTC. */
const withoutKnownPattern = (schema: Schema): Schema => {
  const { pattern, ...rest } = schema;
  const { format } = rest;
  if (format === "uuid" || format === "date") return rest;
  if (format !== "date-time" || typeof pattern !== "string") return schema;
  return pattern.includes("[+-]") ? rest : { ...rest, pattern: "Z$" };
};

const controls = String.raw`\u0000-\u001f\u007f-\u009f`;

/**
 * Many tools read patterns without Unicode's properties, and take `\P{Cc}` for these very letters: what can be
 * said without them is said so, the rest is left to the description.
 */
const withPlainPattern = (schema: Schema): Schema => {
  const { pattern, ...rest } = schema;
  if (typeof pattern !== "string") return schema;
  const plain = pattern
    .replaceAll(String.raw`\P{Cc}`, `[^${controls}]`)
    .replaceAll(String.raw`\0\p{Cs}`, String.raw`\u0000`);
  return /\\p\{/i.test(plain) ? rest : { ...rest, pattern: plain };
};

/** `anyOf` a plain type and null: the type, or null. */
const withNullInType = (schema: Schema): Schema => {
  const { anyOf, ...around } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || !isNull(anyOf[1])) return schema;
  const form: unknown = anyOf[0];
  if (!isSchema(form) || typeof form["type"] !== "string" || "const" in form) return schema;
  const { type, enum: choices, ...rest } = form;
  return {
    type: [type, "null"],
    ...(Array.isArray(choices) ? { enum: [...(choices as readonly unknown[]), null] } : {}),
    ...rest,
    ...around,
  };
};

/** Every key of JSON is a text. */
const withoutTextKeys = (schema: Schema): Schema => {
  const { propertyNames, ...rest } = schema;
  return isSchema(propertyNames) && Object.keys(propertyNames).join() === "type" ? rest : schema;
};

const described = (name: string, schema: unknown): unknown => {
  if (!isSchema(schema) || "description" in schema || "$ref" in schema) return schema;
  const description = fieldText(name);
  return description === undefined ? schema : { ...schema, description };
};

/** Keywords whose values are no schemas. */
const plainKeywords = new Set(["enum", "const", "default", "examples", "required"]);

const readableParts = (schema: Schema): Schema =>
  Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (plainKeywords.has(keyword)) return [keyword, value];
      if (keyword !== "properties" || !isSchema(value)) return [keyword, readable(value)];
      const properties = Object.entries(value).map(([name, of]) => [
        name,
        described(name, readable(of)),
      ]);
      return [keyword, Object.fromEntries(properties)];
    }),
  );

const steps = [
  withoutSafeBounds,
  withoutKnownPattern,
  withPlainPattern,
  withoutTextKeys,
  withNullInType,
];

export const readable = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(readable);
  if (!isSchema(value)) return value;
  return steps.reduce((schema, step) => step(schema), readableParts(value));
};
