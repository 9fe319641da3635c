/** What counts as the same as a recorded answer: a comparer that lets everything pass would prove nothing. */
import { expect, test } from "vitest";
import { differences } from "../../support/recordings/pattern.js";

const run = { base: "http://127.0.0.1:7071", run: "r1" };
const placesOf = (recorded: unknown, actual: unknown): string[] =>
  differences(recorded, actual, run).map(({ place }) => place);

test("words stand for what differs from run to run, and for nothing else", () => {
  const recorded = { id: "a-<run>", at: "<date>", url: "<base>/x?code=<key>", text: "<p>hi</p>" };
  const answered = {
    id: "a-r1",
    at: "2026-01-02T03:04:05Z",
    url: "http://127.0.0.1:7071/x?code=secret",
    text: "<p>hi</p>",
  };
  expect(placesOf(recorded, answered)).toEqual([]);
  expect(placesOf(recorded, { ...answered, at: "2026-01-02T03:04:05.6Z" })).toEqual(["at"]);
  expect(placesOf(recorded, { ...answered, id: "a-r2" })).toEqual(["id"]);
  expect(placesOf(recorded, { ...answered, url: "http://127.0.0.1:7072/x?code=s" })).toEqual([
    "url",
  ]);
});

test("a missing, an added and another value are differences, at their own places", () => {
  expect(placesOf({ a: { b: 1 }, c: null }, { a: { b: 2 }, d: 1 })).toEqual(["a.b", "c", "d"]);
  expect(placesOf([1, 2], [1, 3, 4])).toEqual(["1", "2"]);
  expect(placesOf("1", 1)).toEqual([""]);
  expect(placesOf({ a: "<any>" }, {})).toEqual(["a"]);
});

test("an object with <rest> may hold more, but must hold what it says", () => {
  expect(placesOf({ a: 1, "<rest>": true }, { a: 1, b: 2 })).toEqual([]);
  expect(placesOf({ a: 1, "<rest>": true }, { b: 2 })).toEqual(["a"]);
});

test("items in any order are each found once; contained ones may have company", () => {
  expect(placesOf({ "<in any order>": [1, 2, 2] }, [2, 1, 2])).toEqual([]);
  expect(placesOf({ "<in any order>": [1, 2, 2] }, [2, 1, 1])).toEqual([""]);
  expect(placesOf({ "<in any order>": [1] }, [1, 2])).toEqual([""]);
  expect(placesOf({ "<containing>": [1] }, [2, 1])).toEqual([]);
  expect(placesOf({ "<containing>": [1, 1] }, [2, 1])).toEqual([""]);
});

test("a stack is a stack, and a long text is known by its length and hash", () => {
  expect(placesOf("Error: no <stack>", "Error: no\n    at a (b.js:1:2)\n    at c")).toEqual([]);
  expect(placesOf("Error: no <stack>", "Error: no")).toEqual([""]);
  const sha256 = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb";
  expect(placesOf(`<string length=1 sha256=${sha256}>`, "a")).toEqual([]);
  expect(placesOf(`<string length=1 sha256=${sha256}>`, "b")).toEqual([""]);
});
