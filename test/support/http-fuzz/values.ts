/** Values for a schema: such as fit it, such as lie on its limits, and such as nobody should send. */
import { customer } from "../../../bench/platform/customers.js";
import { partnerNamed } from "../platform/api.js";
import type { Json } from "../platform/request-fields.js";

/** Whole numbers from 0 to below the bound, told again by a seed. */
export type Chance = (bound: number) => number;

const keptMax = 100;

/** What the platform has answered so far, by field: ids that exist are worth asking for. */
export class Known {
  readonly #values = new Map<string, unknown[]>();

  learn(body: unknown): void {
    if (Array.isArray(body)) for (const item of body.slice(0, 5)) this.learn(item);
    else if (typeof body === "object" && body !== null)
      for (const [name, value] of Object.entries(body))
        if (typeof value === "string") this.#keep(name.toLowerCase(), value);
        else this.learn(value);
  }

  #keep(name: string, value: string): void {
    const values = this.#values.get(name) ?? [];
    this.#values.set(name, values);
    if (values.includes(value)) return;
    values.push(value);
    if (values.length > keptMax) values.shift();
  }

  /** The later ones rather: their stories are still going on. */
  one(name: string, chance: Chance): unknown {
    const values = this.#values.get(name.toLowerCase()) ?? [];
    return values.at(-1 - Math.min(chance(values.length + 1), chance(values.length + 1)));
  }
}

export const hostileTexts: readonly string[] = [
  "",
  " ",
  "\u0000",
  "\ud800",
  "\udfff\ud800",
  "\u202e\u200b\ufeff",
  "'; drop table wallet; --",
  "$1$$\\\"'`",
  "%00%2e%2e%2f",
  "../../../../etc/passwd",
  "a\r\nX-Injected: 1",
  "<svg onload=alert(1)>",
  "{{7*7}}${7*7}",
  "__proto__",
  "constructor",
  "NaN",
  "1e999",
  "-0",
  "9223372036854775808",
  "0x10",
  "２０",
  "0001-01-01T00:00:00Z",
  "+275760-09-13T00:00:00.001Z",
  "2026-02-30",
  "00000000-0000-0000-0000-000000000000",
  "ﷺ".repeat(200),
  "e\u0301".repeat(300),
  "a".repeat(70_000),
];

const deep = (levels: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
};

const hostileValues: readonly unknown[] = [
  ...hostileTexts,
  null,
  true,
  0,
  -1,
  0.001,
  1e308,
  2 ** 53,
  -(2 ** 63),
  [],
  [[]],
  {},
  { __proto__: null, then: 1 },
  JSON.parse('{"__proto__":{"isOperator":true}}'),
  { toString: 1, length: -1 },
  deep(70),
  Array.from({ length: 2_000 }, () => 0),
];

export const pick = <Item>(items: readonly Item[], chance: Chance): Item | undefined =>
  items[chance(items.length)];

const numberOf = (value: unknown): number | undefined =>
  typeof value === "number" ? value : undefined;
const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null;
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export class Values {
  readonly #chance: Chance;
  readonly #known: Known;
  #count = 0;

  constructor(chance: Chance, known: Known) {
    this.#chance = chance;
    this.#known = known;
  }

  /** A value that the schema takes, as far as the schema tells; ids are mostly such as exist. */
  sound(schema: Json, resolve: (schema: Json) => Json, name = ""): unknown {
    const chance = this.#chance;
    const { const: only, enum: choices, anyOf, type, properties } = resolve(schema);
    if (only !== undefined) return only;
    if (Array.isArray(choices)) return pick<unknown>(choices, chance);
    const forms = list(anyOf).filter(isJson);
    const form = pick(forms, chance);
    if (form !== undefined) return this.sound(form, resolve, name);
    const kind = Array.isArray(type) ? pick<unknown>(type, chance) : type;
    if (kind === "object" && isJson(properties)) return this.#object(schema, properties, resolve);
    return this.#plain(kind, resolve(schema), resolve, name);
  }

  #object(schema: Json, properties: Json, resolve: (schema: Json) => Json): unknown {
    // A person's fields belong together.
    if ("taxId" in properties && "originatingDealerKey" in properties)
      return customer(this.#next()).owner;
    const required = list(resolve(schema)["required"]);
    const fields = Object.entries(properties).filter(
      ([key]) => required.includes(key) || this.#chance(2) === 0,
    );
    return Object.fromEntries(
      fields.map(([key, of]) => [key, isJson(of) ? this.sound(of, resolve, key) : null]),
    );
  }

  #next(): number {
    this.#count += 1;
    return this.#count;
  }

  #plain(kind: unknown, schema: Json, resolve: (schema: Json) => Json, name: string): unknown {
    switch (kind) {
      case "string":
        return this.#text(schema, name);
      case "integer":
        return this.#number(schema);
      case "number":
        // Amounts: cents, and seldom much.
        return this.#number(schema) / (this.#chance(3) === 0 ? 100 : 1);
      case "boolean":
        return this.#chance(2) === 0;
      case "array": {
        const least = numberOf(schema["minItems"]) ?? 0;
        const { items } = schema;
        return Array.from({ length: least + this.#chance(3) }, () =>
          isJson(items) ? this.sound(items, resolve, name.replace(/s$/, "")) : null,
        );
      }
      case "null":
        return null;
      default:
        return { note: `n${this.#chance(100)}` };
    }
  }

  #number(schema: Json): number {
    const least = numberOf(schema["minimum"]) ?? numberOf(schema["exclusiveMinimum"]) ?? 0;
    const most = numberOf(schema["maximum"]) ?? least + 100;
    return Math.min(most, Math.max(least, 0) + 1 + this.#chance(50));
  }

  #text(schema: Json, name: string): unknown {
    const chance = this.#chance;
    const known = chance(5) === 0 ? undefined : this.#known.one(name, chance);
    const most = numberOf(schema["maxLength"]) ?? 255;
    if (/key$/i.test(name) && /idempotency/i.test(name))
      return known !== undefined && chance(3) === 0 ? known : this.#hex(32);
    if (known !== undefined) return known;
    const sample = this.#sample(name.toLowerCase(), schema["format"]);
    return sample.slice(0, most);
  }

  #hex(length: number): string {
    return Array.from({ length }, () => this.#chance(16).toString(16)).join("");
  }

  #uuid(): string {
    return `${this.#hex(8)}-${this.#hex(4)}-7${this.#hex(3)}-8${this.#hex(3)}-${this.#hex(12)}`;
  }

  #sample(name: string, format: unknown): string {
    const n = this.#next();
    if (format === "uuid") return this.#uuid();
    if (format === "date-time" || /date|time|^at$/.test(name))
      return new Date(Date.now() + (this.#chance(60) - 20) * 86_400_000).toISOString();
    if (name === "creditoriban")
      return partnerNamed("acme").settings.ibanVerification.destinationIban;
    if (name.includes("iban")) return customer(n).iban;
    if (name === "email") return `person-${n}@example.com`;
    if (name.includes("phone")) return `+39333${1_000_000 + n}`;
    if (name.includes("dealerkey")) return this.#chance(2) === 0 ? "dealer-rome" : "dealer-milan";
    if (name === "country") return "IT";
    if (name === "bic") return "BPMOIT22XXX";
    if (name === "province") return "RM";
    if (name === "zipcode") return "00100";
    if (name === "filename") return `file-${n}.png`;
    return `${name}-${n}`;
  }

  /** A value on a limit of the schema, or one step beyond it. */
  boundary(schema: Json): unknown {
    const step = this.#chance(3) - 1;
    const lengths = [schema["minLength"], schema["maxLength"], 0].map(numberOf);
    const limits = [schema["minimum"], schema["maximum"], schema["exclusiveMinimum"]].map(numberOf);
    const length = pick(lengths, this.#chance) ?? 1;
    if (schema["type"] === "string")
      return "a".repeat(Math.max(0, Math.min(length + step, 70_000)));
    if (schema["type"] === "array")
      return Array.from(
        { length: Math.max(0, (numberOf(schema["maxItems"]) ?? 1) + step) },
        () => "",
      );
    return (pick(limits, this.#chance) ?? 0) + step * (this.#chance(2) === 0 ? 1 : 0.01);
  }

  hostile(): unknown {
    return pick(hostileValues, this.#chance);
  }

  hostileText(): string {
    return pick(hostileTexts, this.#chance) ?? "";
  }

  /** The value with one place of it spoilt: replaced, left out, or one too many. */
  spoilt(value: unknown): unknown {
    const chance = this.#chance;
    if (Array.isArray(value) && value.length > 0 && chance(3) > 0) {
      const at = chance(value.length);
      return value.map((item: unknown, index) => (index === at ? this.spoilt(item) : item));
    }
    const keys = isJson(value) && !Array.isArray(value) ? Object.keys(value) : [];
    const key = pick(keys, chance);
    if (!isJson(value) || key === undefined || chance(8) === 0) return this.hostile();
    const { [key]: inner, ...others } = value;
    if (chance(6) === 0) return others;
    if (chance(8) === 0) return { ...value, [this.hostileText()]: this.hostile() };
    return { ...others, [key]: this.spoilt(inner) };
  }
}
