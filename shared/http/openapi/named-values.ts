/** The story's values by the names of their fields: examples for places that the story itself passes by. */

type Schema = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const forms: Readonly<Record<string, RegExp>> = {
  uuid: /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i,
  date: /^\d{4}-\d\d-\d\d$/,
  "date-time": /^\d{4}-\d\d-\d\dT/,
};

const textFits = ({ format, pattern, maxLength }: Schema, text: string): boolean =>
  (forms[String(format)]?.test(text) ?? true) &&
  (typeof pattern !== "string" || new RegExp(pattern).test(text)) &&
  (typeof maxLength !== "number" || text.length <= maxLength);

const kindOf = (value: unknown): string =>
  Number.isInteger(value) ? "integer" : Array.isArray(value) ? "array" : typeof value;

/** As far as a plain schema tells. */
const fits = (schema: Schema, value: unknown): boolean => {
  const types = [schema["type"]].flat();
  const kind = kindOf(value);
  if (!types.includes(kind) && !(kind === "integer" && types.includes("number"))) return false;
  if (Array.isArray(schema["enum"])) return schema["enum"].includes(value);
  return typeof value === "string" ? textFits(schema, value) : true;
};

export interface NamedValues {
  /** Remembers every field of the value. */
  readonly learn: (value: unknown) => void;
  /** The first value under this name that the schema takes, else null where it does; undefined: there is none. */
  readonly find: (name: string, schema: unknown) => unknown;
}

export const namedValues = (): NamedValues => {
  const values = new Map<string, unknown[]>();

  const learn = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) learn(item);
    if (!isRecord(value)) return;
    for (const [name, of] of Object.entries(value)) {
      values.set(name, [...(values.get(name) ?? []), of]);
      learn(of);
    }
  };

  const find = (name: string, schema: unknown): unknown => {
    if (!isRecord(schema)) return undefined;
    if ("default" in schema && schema["default"] !== null) return schema["default"];
    const told = values.get(name)?.find((value) => fits(schema, value));
    if (told !== undefined) return told;
    if (Array.isArray(schema["enum"])) return (schema["enum"] as readonly unknown[])[0];
    return [schema["type"]].flat().includes("null") ? null : undefined;
  };

  return { learn, find };
};
