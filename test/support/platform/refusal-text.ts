/** Reads what a refusal says as its caller would: whether it is a sentence, and tells nothing of our inside. */

import { z } from "zod";

interface Fault {
  readonly what: string;
  readonly pattern: RegExp;
}

/** What no refusal may hold, wherever it comes from. */
const faults: readonly Fault[] = [
  { what: "a word twice", pattern: /(?<![\w.-])([a-z]+) \1(?![\w-])/i },
  { what: "two spaces or none where one belongs", pattern: / {2}| [,;]|^\s|\s$/ },
  { what: "two ends", pattern: /[.:;,] ?[.:;,](?!\w)/ },
  { what: "no value", pattern: /\bundefined\b|\bNaN\b|\[object|\$\{/ },
  { what: "a stack", pattern: /\bat \S+ \(|:\d+:\d+\)|\b[A-Z]\w*Error\b|\.[jt]s\b|node_modules/ },
  {
    what: "SQL",
    pattern:
      /\b(select .+ from|insert into|delete from|borsello\.|violates|duplicate key|null value|syntax error|relation|sqlstate)\b/i,
  },
];

/** What is wrong with any text of a refusal. */
export const textFaults = (text: string): string[] =>
  faults.filter(({ pattern }) => pattern.test(text)).map(({ what }) => `${what}: ${text}`);

/** The same of a whole description: a sentence that begins and ends as one. */
export const descriptionFaults = (text: string): string[] => [
  ...textFaults(text),
  ...(/^[A-Z].*\.$/s.test(text) ? [] : [`no sentence: ${text}`]),
];

const Refusal = z.union([
  z.object({ error_description: z.string() }).transform((body) => body.error_description),
  z.object({ errorDescription: z.string() }).transform((body) => body.errorDescription),
]);

/** What is wrong with what an answer says, where it is a refusal. */
export const refusalFaults = (status: number, body: unknown): string[] => {
  const refused = status < 400 ? undefined : Refusal.safeParse(body).data;
  return refused === undefined ? [] : descriptionFaults(refused);
};

/** Whether it says what to change: an instruction behind a colon, or what must be. */
export const saysWhatToDo = (text: string): boolean =>
  /(: [a-z]\w+ ?.*|: see \/docs)\.$/.test(text) ||
  /\b(must|may|is required|only|takes)\b/.test(text);
