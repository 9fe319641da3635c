/** What is wrong with a body, as JSON pointers and sentences that say what to change. */
import type { z } from "zod";

type Issue = z.core.$ZodIssue;

const escapePointer = (key: PropertyKey): string =>
  String(key).replaceAll("~", "~0").replaceAll("/", "~1");

const pointer = (path: readonly PropertyKey[]): string =>
  path.map((key) => `/${escapePointer(key)}`).join("");

const nouns: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object",
  record: "an object",
  array: "an array",
  null: "null",
};

const noun = (type: string): string => nouns[type] ?? type;

const formats: Readonly<Record<string, string>> = {
  uuid: "must be a UUID.",
  guid: "must be a UUID.",
  date: "must be a date like 2030-01-31.",
  datetime: "must be a UTC date-time like 2030-01-31T10:00:00Z.",
  email: "must be an e-mail address.",
  url: "must be a URL.",
};

/** zod's own sentences start like this; any other was written by the contract and is kept. */
const isGeneric = (message: string): boolean =>
  /^(Invalid|Too (big|small)|Unrecognized)/.test(message);

const size = (origin: string, bound: string, limit: number | bigint): string => {
  if (origin === "string") return `must have ${bound} ${String(limit)} characters.`;
  if (origin === "array" || origin === "set") return `must have ${bound} ${String(limit)} items.`;
  return `must be ${bound} ${String(limit)}.`;
};

const tooSmall = ({ origin, minimum, inclusive, exact }: z.core.$ZodIssueTooSmall): string => {
  if (origin === "string" && minimum === 1) return "must not be empty.";
  if (exact === true) return size(origin, "exactly", minimum);
  return size(origin, inclusive === false ? "more than" : "at least", minimum);
};

const tooBig = ({ origin, maximum, inclusive, exact }: z.core.$ZodIssueTooBig): string =>
  size(origin, exact === true ? "exactly" : inclusive === false ? "less than" : "at most", maximum);

const choice = (words: readonly string[]): string => {
  const named = words.filter((word) => word !== "");
  return `must be one of ${named.join(", ")}${named.length < words.length ? ", or empty" : ""}.`;
};

const asSentence = (text: string): string => (text.endsWith(".") ? text : `${text}.`);

const sentence = (issue: Issue): string => {
  if (!isGeneric(issue.message)) return asSentence(issue.message);
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined && issue.message.endsWith("received undefined")
        ? `is required: send ${noun(issue.expected)}.`
        : `must be ${noun(issue.expected)}.`;
    case "too_small":
      return tooSmall(issue);
    case "too_big":
      return tooBig(issue);
    case "invalid_format":
      return formats[issue.format] ?? "does not have the expected form.";
    case "not_multiple_of":
      return `must be a multiple of ${String(issue.divisor)}.`;
    case "invalid_value":
      return choice(issue.values.map(String));
    case "unrecognized_keys":
    case "invalid_union":
    case "invalid_key":
    case "invalid_element":
    case "custom":
      return "is not valid.";
  }
};

const issuesMax = 50;

/** Pointer to sentence; the empty pointer is the whole body. At most fifty, the first per place. */
export const issueProperties = (issues: readonly Issue[]): Record<string, string> => {
  const properties = new Map<string, string>();
  const add = (place: string, text: string): void => {
    if (properties.size < issuesMax && !properties.has(place)) properties.set(place, text);
  };
  for (const issue of issues) {
    if (issue.code === "unrecognized_keys")
      for (const key of issue.keys) add(pointer([...issue.path, key]), "is not known: remove it.");
    else add(pointer(issue.path), sentence(issue));
  }
  return Object.fromEntries(properties);
};

/** The sentences of one text parameter. */
export const issueSentence = (issues: readonly Issue[]): string => {
  const [first] = issues;
  return first === undefined ? "is not valid." : sentence(first);
};
