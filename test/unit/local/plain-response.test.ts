/** The short way of answering gives what the library's own response would give. */
import fc from "fast-check";
import functions from "@azure/functions";
import { expect, test } from "vitest";
import { plainResponse } from "../../../local/host/http/plain-response.js";

const { HttpResponse } = functions;

/** Status, headers and body of an answer; headers in order of their names. */
type Answer = readonly [number, readonly (readonly string[])[], string];

const byLibrary = async (result: object): Promise<Answer> => {
  const response = new HttpResponse(result);
  const body = Buffer.from(await response.arrayBuffer()).toString("base64");
  return [response.status, [...response.headers.entries()], body];
};

const byName = ([a = ""]: readonly string[], [b = ""]: readonly string[]): number =>
  a < b ? -1 : 1;

const byUs = (result: object): Answer | undefined => {
  const plain = plainResponse(result);
  if (plain === undefined) return undefined;
  const body = Buffer.from(plain.body ?? "").toString("base64");
  return [plain.status, Object.entries(plain.headers).sort(byName), body];
};

const name = fc.constantFrom(
  "X-One",
  "x-one",
  "ETag",
  "content-type",
  "Location",
  "te",
  "bad name",
);
const value = fc.oneof(
  fc.string({ unit: "grapheme-ascii", maxLength: 12 }),
  fc.constantFrom("é", " padded ", "a\nb", "text/html"),
);
const result = fc.record(
  {
    status: fc.oneof(fc.integer({ min: 195, max: 610 }), fc.constantFrom("201", 204, 304, null)),
    headers: fc.dictionary(name, value, { maxKeys: 3 }),
    body: fc.oneof(fc.string({ unit: "grapheme" }), fc.uint8Array(), fc.constantFrom(null, 5)),
    jsonBody: fc.oneof(fc.jsonValue(), fc.constant(null)),
    cookies: fc.constantFrom([], [{ name: "a", value: "b" }]),
  },
  { requiredKeys: [] },
);

test("whatever goes the short way is answered as the library would answer it", async () => {
  let short = 0;
  await fc.assert(
    fc.asyncProperty(result, async (given) => {
      const ours = byUs(given);
      if (ours === undefined) return;
      short += 1;
      expect(ours).toEqual(await byLibrary(given));
    }),
    { numRuns: 1000 },
  );
  expect(short).toBeGreaterThan(100);
});

test.each([undefined, null, "text", 5, [], new HttpResponse({}), { body: new Blob(["x"]) }])(
  "%s goes the long way",
  (given) => {
    expect(plainResponse(given)).toBeUndefined();
  },
);
