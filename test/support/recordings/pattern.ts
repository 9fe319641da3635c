/** Holds an answer against a recorded one, in which `<words>` stand for what differs from run to run. */
import { createHash } from "node:crypto";

const dateTime = String.raw`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d`;
const zone = String.raw`(?:Z|[+-]\d\d:\d\d)?`;

/** What each word stands for, as a regular expression. */
const words: Readonly<Record<string, string>> = {
  any: "[^]*",
  uuid: "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
  hex32: "[0-9a-f]{32}",
  date: dateTime + zone,
  // The service writes seven digits; what the library makes of its whole seconds has three.
  "date+fraction": String.raw`${dateTime}\.(?:\d{7}|000)${zone}`,
  key: String.raw`[^&"\s]+`,
  token: ".+",
  ended: "(?:Completed|Failed|Terminated|Canceled)",
  "list of names": "'[^]*?'",
  // Its line breaks may be escaped, once or more often: JSON within JSON.
  stack: String.raw`(?:\s|\\+[rn])*at [^]*?`,
};

/** In a run's own addresses and names, what stands for them. */
export type Run = Readonly<Record<string, string>>;

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
const anyWord = / ?<([a-z][a-z0-9+ ]*)>/g;
const hashed = /^<string length=(\d+) sha256=([0-9a-f]{64})>$/;

/** The text with the run's own values in place of their words. */
export const filledIn = (text: string, run: Run): string =>
  text.replace(anyWord, (all, word: string) =>
    run[word] === undefined ? all : all.replace(`<${word}>`, run[word]),
  );

/** Whether a text is what was recorded, `<words>` replaced. */
export const matchesText = (recorded: string, actual: string, run: Run): boolean => {
  const [, length, sha256] = hashed.exec(recorded) ?? [];
  if (length !== undefined)
    return (
      actual.length === Number(length) &&
      createHash("sha256").update(actual).digest("hex") === sha256
    );
  let pattern = "";
  let from = 0;
  for (const { 0: all, 1: word = "", index } of recorded.matchAll(anyWord)) {
    const value = run[word];
    const meaning = value === undefined ? words[word] : literal(value);
    if (meaning === undefined) continue;
    // A stack may follow a text with no space between them.
    const space = all.startsWith(" ") && word !== "stack" ? " " : "";
    pattern += literal(recorded.slice(from, index)) + space + meaning;
    from = index + all.length;
  }
  return new RegExp(`^${pattern}${literal(recorded.slice(from))}$`).test(actual);
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export interface Difference {
  /** Such as `json.historyEvents.3.Result`. */
  readonly place: string;
  readonly recorded: unknown;
  readonly actual: unknown;
}

/** Each recorded item takes an actual one of its own. */
const matchesItems = (recorded: readonly unknown[], actual: readonly unknown[], run: Run) => {
  const left = [...actual];
  return recorded.every((item) => {
    const at = left.findIndex((candidate) => differences(item, candidate, run).length === 0);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
};

/**
 * Where a value is not as recorded. An object with
 * the key `<rest>` may hold more than it says, `<containing>` lists items that an array has among
 * others, and `<in any order>` all of them.
 */
export const differences = (
  recorded: unknown,
  actual: unknown,
  run: Run,
  place = "",
): Difference[] => {
  const different = [{ place, recorded, actual }];
  const below = (key: string | number): string => (place === "" ? `${key}` : `${place}.${key}`);
  if (recorded === "<any>") return actual === undefined ? different : [];
  if (typeof recorded === "string" && typeof actual === "string")
    return matchesText(recorded, actual, run) ? [] : different;
  if (Array.isArray(recorded) && Array.isArray(actual))
    return Array.from({ length: Math.max(recorded.length, actual.length) }, (_, index) =>
      differences(recorded[index], actual[index], run, below(index)),
    ).flat();
  if (!isObject(recorded)) return Object.is(recorded, actual) ? [] : different;
  const items = recorded["<containing>"] ?? recorded["<in any order>"];
  if (Array.isArray(items)) {
    const complete =
      Array.isArray(actual) &&
      matchesItems(items, actual, run) &&
      ("<containing>" in recorded || actual.length === items.length);
    return complete ? [] : different;
  }
  if (!isObject(actual)) return different;
  const keys = new Set([
    ...Object.keys(recorded).filter((key) => key !== "<rest>"),
    ...("<rest>" in recorded ? [] : Object.keys(actual)),
  ]);
  return [...keys].flatMap((key) => differences(recorded[key], actual[key], run, below(key)));
};
