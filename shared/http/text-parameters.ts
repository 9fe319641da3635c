/** Path parameters and query: read from the address by declaration, parsed by their schemas. */
import { z } from "zod";
import type { ErrorCode } from "../contracts/errors.js";
import { isNameFamily, type TextShape } from "../contracts/route.js";
import { refusal, success, type Outcome } from "../domain/outcome.js";
import { parameterName, requestSegments, segmentsOf } from "./paths.js";
import { issueSentence } from "./schema-issues.js";
import { isStorable } from "../platform/storable-text.js";

const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

/**
 * Reads a template's parameters from the address itself: the host's own `params` also hold the query
 * when streaming is on, where a query of the same name could take a parameter's place.
 */
export const pathReader = (template: string): ((url: string) => Record<string, string>) => {
  const places = segmentsOf(template).flatMap((segment, index) => {
    const name = parameterName(segment);
    return name === undefined ? [] : [{ name, index }];
  });
  if (places.length === 0) return () => ({});
  return (url) => {
    const segments = requestSegments(url);
    return Object.fromEntries(
      places.map(({ name, index }) => [name, decoded(segments[index] ?? "")]),
    );
  };
};

type Texts = Readonly<Record<string, string>>;

/** Parses path parameters; whatever does not fit is an identifier that cannot exist. */
export const parseParams = <Shape extends TextShape>(
  schema: z.ZodObject<Shape>,
  texts: Texts,
): Outcome<z.output<z.ZodObject<Shape>>, "IdentifierInvalid"> => {
  const parsed = schema.safeParse(texts);
  if (!parsed.success) {
    const { issues } = parsed.error;
    const name = String(issues[0]?.path[0] ?? "");
    return refusal("IdentifierInvalid", { [name]: issueSentence(issues) });
  }
  const unstorable = Object.keys(texts).find((name) => !isStorable(texts[name] ?? ""));
  return unstorable === undefined
    ? success(parsed.data)
    : refusal("IdentifierInvalid", { [unstorable]: "must not hold NUL characters." });
};

/** The query parameters whose refusal has a code of its own, where the route declares it. */
const codesByName: Readonly<Partial<Record<string, ErrorCode>>> = {
  pageSize: "PageSizeOutOfRange",
  pageNumber: "PageNumberOutOfRange",
  fromDate: "DateRangeInvalid",
  toDate: "DateRangeInvalid",
  from: "DateRangeInvalid",
  to: "DateRangeInvalid",
  type: "FlowTypeInvalid",
};

const queryRefusal = (
  declared: readonly ErrorCode[],
  name: string,
  sentence: string,
): Outcome<never, ErrorCode> => {
  const code = codesByName[name];
  const own = code !== undefined && declared.includes(code);
  return refusal(own ? code : "QueryParameterInvalid", { [name]: sentence });
};

type Read<Value> = Outcome<Value | undefined, ErrorCode>;

/** What the query says under this one name. */
const textNamed = (
  query: URLSearchParams,
  declared: readonly ErrorCode[],
  name: string,
): Read<string> => {
  const [value, second] = query.getAll(name);
  if (second !== undefined) return queryRefusal(declared, name, "must be given once.");
  if (value !== undefined && !isStorable(`${name}${value}`))
    return queryRefusal(declared, name, "must not hold NUL characters.");
  return success(value);
};

const familyMax = 10;

/** What the query says under all the names that begin with `prefix`. */
const textsNamed = (
  query: URLSearchParams,
  declared: readonly ErrorCode[],
  prefix: string,
): Read<Texts> => {
  const names = new Set([...query.keys()].filter((name) => name.startsWith(prefix)));
  if (names.size > familyMax)
    return queryRefusal(declared, prefix, `must be given at most ${familyMax} times.`);
  const texts: [string, string][] = [];
  for (const name of names) {
    const read = textNamed(query, declared, name);
    if (!read.ok) return read;
    texts.push([name.slice(prefix.length), read.value ?? ""]);
  }
  return success(texts.length === 0 ? undefined : Object.fromEntries(texts));
};

/** Parses the declared query parameters; others are ignored, as a cache buster or a tracer adds them. */
export const parseQuery = <Shape extends TextShape>(
  schema: z.ZodObject<Shape>,
  query: URLSearchParams,
  declared: readonly ErrorCode[],
): Outcome<z.output<z.ZodObject<Shape>>, ErrorCode> => {
  const given: Record<string, string | Texts> = {};
  for (const name of Object.keys(schema.shape)) {
    const read = (isNameFamily(name) ? textsNamed : textNamed)(query, declared, name);
    if (!read.ok) return read;
    if (read.value !== undefined) given[name] = read.value;
  }
  const parsed = schema.safeParse(given);
  if (parsed.success) return success(parsed.data);
  const { issues } = parsed.error;
  const name = String(issues[0]?.path[0] ?? "");
  return queryRefusal(declared, name, issueSentence(issues));
};
