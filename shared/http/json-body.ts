/** Reads a JSON body: bounded in bytes, depth and values, and only what the database can hold. */
import { jsonBytesMax, jsonDepthMax, jsonValuesMax } from "../contracts/json-limits.js";
import { refusal, success, type Outcome } from "../domain/outcome.js";
import { readBounded, type BodySource } from "./bounded-body.js";
import { isStorable } from "../platform/storable-text.js";

type BodyRefusal = "PayloadTooLarge" | "UnsupportedMediaType" | "ValidationFailed";

const jsonType = /^application\/(json|[\w.+-]+\+json)\s*(;|$)/i;

const tooLarge = (): Outcome<never, BodyRefusal> =>
  refusal("PayloadTooLarge", { "": `must have at most ${jsonBytesMax} bytes.` });

const invalid = (sentence: string): Outcome<never, BodyRefusal> =>
  refusal("ValidationFailed", { "": sentence });

const quote = 0x22;
const backslash = 0x5c;

/** Why a body is not parsed: whatever walks the value later may recurse, and looks at each value. */
const sizeFault = (text: string): string | undefined => {
  let depth = 0;
  let values = 1;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const char = text.charCodeAt(index);
    if (inString) {
      if (char === backslash) index += 1;
      else if (char === quote) inString = false;
    } else if (char === quote) inString = true;
    // { and [ open, } and ] close: each pair differs by two.
    else if (char === 0x7b || char === 0x5b) {
      depth += 1;
      if (depth > jsonDepthMax) return `must not be nested deeper than ${jsonDepthMax} levels.`;
    } else if (char === 0x7d || char === 0x5d) depth -= 1;
    // A comma or a colon stands before every value but the first of a list, and after every key.
    else if (char === 0x2c || char === 0x3a) {
      values += 1;
      if (values > jsonValuesMax) return `must not hold more than ${jsonValuesMax} values.`;
    }
  }
  return undefined;
};

/**
 * An escape that may stand for NUL or for half of a surrogate pair, or a number that may be beyond
 * what a double holds and would be kept as null; nothing else can bring them in.
 */
const suspect = /\\u(0000|d[89a-f])|\de\+?0*[1-9]\d{2}|(?<!\d)\d{200}/i;

const holdsUnstorable = (value: unknown): boolean => {
  if (typeof value === "string") return !isStorable(value);
  if (typeof value === "number") return !Number.isFinite(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, item]) => !isStorable(key) || holdsUnstorable(item));
};

const decoder = new TextDecoder("utf-8", { fatal: true });

const parse = (bytes: Uint8Array): Outcome<unknown, BodyRefusal> => {
  if (bytes.length === 0) return invalid("is missing: send a JSON body.");
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return invalid("must be UTF-8 text.");
  }
  const fault = sizeFault(text);
  if (fault !== undefined) return invalid(fault);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return invalid("must be well-formed JSON.");
  }
  if (suspect.test(text) && holdsUnstorable(value))
    return invalid("must not hold NUL characters, unpaired surrogates or numbers beyond 1.7e308.");
  return success(value);
};

/** A missing content type is taken as JSON. */
const isJson = ({ headers }: BodySource): boolean => {
  const contentType = headers.get("content-type") ?? "";
  return contentType === "" || jsonType.test(contentType);
};

export interface JsonBodyOptions {
  /** Whether the body may be left out, whatever its type; it is then undefined. */
  readonly isOptional: boolean;
}

/** The parsed body, or why it is refused. */
export const readJsonBody = async (
  source: BodySource,
  { isOptional }: JsonBodyOptions = { isOptional: false },
): Promise<Outcome<unknown, BodyRefusal>> => {
  const wrongType = refusal("UnsupportedMediaType", {
    "content-type": "must be application/json.",
  });
  if (!isOptional && !isJson(source)) return wrongType;
  const bytes = await readBounded(source, jsonBytesMax);
  if (bytes === undefined) return tooLarge();
  if (isOptional && bytes.length === 0) return success(undefined);
  return isJson(source) ? parse(bytes) : wrongType;
};
