/** LIKE of SQL filters: the same matches as by trying every way, without trying every way. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { likeMatcher } from "../../../local/broker/filters/like.js";

/** Tries each length of each run: slow, and plainly right. */
const matchesByTrying = (pattern: string, text: string): boolean => {
  if (pattern === "") return text === "";
  const [first = "", rest] = [pattern[0], pattern.slice(1)];
  if (first === "%")
    return Array.from({ length: text.length + 1 }, (_, from) => text.slice(from)).some((end) =>
      matchesByTrying(rest, end),
    );
  return (
    text !== "" && (first === "_" || first === text[0]) && matchesByTrying(rest, text.slice(1))
  );
};

const word = (characters: readonly string[], maxLength: number) =>
  fc.array(fc.constantFrom(...characters), { maxLength }).map((parts) => parts.join(""));

test("a pattern matches what it would match if every way were tried", () => {
  fc.assert(
    fc.property(word(["a", "b", "%", "_"], 7), word(["a", "b", "%"], 9), (pattern, text) => {
      expect(likeMatcher(pattern, null)(text)).toBe(matchesByTrying(pattern, text));
    }),
    { numRuns: 3_000 },
  );
});

test.each([
  ["50!%", "!", "50%", true],
  ["50!%", "!", "500", false],
  ["a!_b", "!", "a_b", true],
  ["a!_b", "!", "axb", false],
  ["!!", "!", "!", true],
  ["!", "!", "!", true],
])("%s with the escape %s and the text %s: %s", (pattern, escape, text, matches) => {
  expect(likeMatcher(pattern, escape)(text)).toBe(matches);
});

test("many runs over a text that almost fits come to an end", () => {
  const pattern = `${"%a".repeat(400)}%b`;
  expect(likeMatcher(pattern, null)("a".repeat(20_000))).toBe(false);
});
