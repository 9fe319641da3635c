/** Settings in the words of docs/operating.md, as the schemas that read them say: name, value, default. */
import { z } from "zod";
import { settingShapes } from "../../../shared/platform/settings/setting-shapes.js";
import { settingsSchema } from "../../../shared/platform/settings/settings-schema.js";
import { partnerSettings } from "../../../shared/contracts/platform/partner-settings.js";

export interface SettingWords {
  readonly name: string;
  readonly shape: string;
  readonly byDefault: string;
}

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1) ?? ""}`;

const shownDefault = (value: unknown): string => {
  if (value === undefined || value === null || value === "") return "none";
  return typeof value === "string" ? value : JSON.stringify(value).replaceAll(",", ", ");
};

/** Of the app. */
export const appSettingWords = (): SettingWords[] =>
  Object.entries(settingsSchema.shape).map(([name, schema]) => {
    const absent = (schema as z.ZodType).safeParse(undefined);
    return {
      name,
      shape: settingShapes.get(schema)?.shape ?? "",
      byDefault: absent.success ? shownDefault(absent.data) : "must be set",
    };
  });

const JsonSchema = z.looseObject({
  get properties() {
    return z.record(z.string(), JsonSchema).optional();
  },
  get anyOf() {
    return z.array(JsonSchema).optional();
  },
  get oneOf() {
    return z.array(JsonSchema).optional();
  },
  /** False after a tuple's own: no more. */
  get items() {
    return z.union([JsonSchema, z.literal(false)]).optional();
  },
  get prefixItems() {
    return z.array(JsonSchema).optional();
  },
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.string()).optional(),
  const: z.unknown().optional(),
  default: z.unknown().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  maxLength: z.number().optional(),
  maxItems: z.number().optional(),
});
type JsonSchema = z.output<typeof JsonSchema>;

const withoutNull = ({ anyOf, type, ...rest }: JsonSchema): JsonSchema => {
  const [other, ...others] = anyOf?.filter((one) => one.type !== "null") ?? [];
  if (other !== undefined && others.length === 0) return { ...rest, ...other };
  return { ...rest, anyOf, type: Array.isArray(type) ? type.find((one) => one !== "null") : type };
};

const isNullable = ({ anyOf, type }: JsonSchema): boolean =>
  anyOf?.some((one) => one.type === "null") === true ||
  (Array.isArray(type) && type.includes("null"));

const rangeOf = ({ minimum, maximum, exclusiveMinimum }: JsonSchema): string => {
  const least = exclusiveMinimum === 0 ? "above 0" : minimum;
  // Of whole numbers the schema says what fits into a number at all: no bound that anybody set.
  const most = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  if (most !== undefined)
    return typeof least === "string" ? `${least}, at most ${most}` : `${least ?? 0} to ${most}`;
  return typeof least === "string" ? least : `from ${least ?? 0}`;
};

const wordsOf = (schema: JsonSchema): string => {
  if (isNullable(schema)) return `${wordsOf(withoutNull(schema))}, or null`;
  const { type, enum: words, items, prefixItems, oneOf, maxLength } = schema;
  if (words !== undefined) return listed(words);
  if (type === "boolean") return "true or false";
  if (type === "integer") return `whole number ${rangeOf(schema)}`;
  if (type === "number") return `number ${rangeOf(schema)}`;
  if (type === "string")
    return maxLength === undefined ? "text" : `text of at most ${maxLength} characters`;
  if (prefixItems !== undefined)
    return `list of ${prefixItems.length}: ${wordsOf(prefixItems[0] ?? {})}`;
  if (items !== undefined && items !== false)
    return items.properties === undefined ? `list: ${wordsOf(items)}` : "list";
  const kinds = oneOf?.map(({ properties }) => properties?.["kind"]?.const).map(String);
  return `object of kind ${listed(kinds ?? [])}`;
};

const leavesOf = (schema: JsonSchema, path: string, byDefault: unknown): SettingWords[] => {
  const { properties, items, default: own = byDefault } = withoutNull(schema);
  if (properties !== undefined) {
    const defaults = z.record(z.string(), z.unknown()).safeParse(own).data ?? {};
    return Object.entries(properties).flatMap(([name, one]) =>
      leavesOf(one, path === "" ? name : `${path}.${name}`, defaults[name]),
    );
  }
  const leaf = { name: path, shape: wordsOf(schema), byDefault: shownDefault(own) };
  if (items === undefined || items === false || items.properties === undefined) return [leaf];
  return [leaf, ...leavesOf(items, `${path}[]`, {})];
};

/** Of a partner; the defaults of defaults are those that a partner without any settings has. */
export const partnerSettingWords = (): SettingWords[] =>
  leavesOf(
    JsonSchema.parse(z.toJSONSchema(partnerSettings, { io: "input", unrepresentable: "any" })),
    "",
    partnerSettings.parse({}),
  );
