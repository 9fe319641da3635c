/** The request of a call: address and body, made of the route's line and one flat input. */
import type { RouteLine } from "./route-line.js";

export type Input = Readonly<Record<string, unknown>>;

export interface Content {
  readonly type: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
}

const parameter = /\{(\w+)\}/g;
const namesIn = (path: string): string[] =>
  [...path.matchAll(parameter)].flatMap(([, name]) => name ?? []);

const isText = (value: unknown): value is string | number | boolean =>
  ["string", "number", "boolean"].includes(typeof value);

/** A segment of the path; one that is empty or moves through folders would name another route. */
const segment = (name: string, value: unknown): string => {
  const text = isText(value) ? String(value) : "";
  if (["", ".", ".."].includes(text)) throw new TypeError(`${name} must be given`);
  return encodeURIComponent(text);
};

const queryText = (name: string, value: unknown): string => {
  if (value instanceof Date) return value.toISOString();
  if (isText(value)) return String(value);
  throw new TypeError(`${name} must be a text, a number or a boolean`);
};

const entriesOf = (name: string, input: Input): (readonly [string, string])[] => {
  const value = input[name.replace(/\.$/, "")];
  if (value === undefined || value === null) return [];
  if (!name.endsWith(".")) return [[name, queryText(name, value)]];
  if (typeof value !== "object") throw new TypeError(`${name} must be an object`);
  return Object.entries(value).map(([rest, text]) => [name + rest, queryText(name + rest, text)]);
};

export const addressOf = (baseUrl: string, line: RouteLine, input: Input): URL => {
  const path = line.path.replace(parameter, (_match, name: string) => segment(name, input[name]));
  const url = new URL(baseUrl.replace(/\/+$/, "") + path);
  for (const name of line.query ?? [])
    for (const [key, text] of entriesOf(name, input)) url.searchParams.append(key, text);
  return url;
};

/** What is neither in the path nor in the query. */
const fieldsOf = (line: RouteLine, input: Input): Input => {
  const query = (line.query ?? []).map((name) => name.replace(/\.$/, ""));
  const taken = new Set([...namesIn(line.path), ...query]);
  return Object.fromEntries(Object.entries(input).filter(([name]) => !taken.has(name)));
};

export const contentOf = (line: RouteLine, input: Input): Content | undefined => {
  if (line.body === undefined) return undefined;
  if (line.body === "fields")
    return { type: "application/json", body: JSON.stringify(fieldsOf(line, input)) };
  const { body } = input;
  if (line.body === "json") return { type: "application/json", body: JSON.stringify(body) };
  if (!(body instanceof Uint8Array)) throw new TypeError("body must be a Uint8Array");
  return { type: line.body, body: new Uint8Array(body) };
};
