// Everything that a handler may answer, by kind.
import { Readable } from "node:stream";
import functions from "@azure/functions";

const { app, HttpResponse } = functions;

async function* inParts(...parts) {
  for (const part of parts) yield Buffer.from(part);
}
async function* brokenOff() {
  yield* inParts("before");
  throw new Error("broke in the middle");
}
const twoOfEach = () => {
  const headers = new Headers();
  for (const value of ["one", "two"]) headers.append("x-many", value);
  for (const cookie of ["a=1; Path=/", "b=2"]) headers.append("set-cookie", cookie);
  return headers;
};
const cookies = [
  { name: "plain", value: "v" },
  {
    name: "full",
    value: "a b;c",
    domain: "example.org",
    path: "/p",
    expires: new Date(0),
    secure: true,
    httpOnly: true,
    sameSite: "Strict",
    maxAge: 60,
  },
  { name: "dated", value: "d", expires: new Date("2031-05-06T07:08:09Z") },
  { name: "lax", value: "ž", sameSite: "Lax" },
  { name: "none", value: "", sameSite: "None", maxAge: 0 },
];

/** Answers that are the same each time. */
const fixed = {
  string: { body: "plain text" },
  unicode: { body: "žluťoučký 🐎" },
  emptyString: { body: "" },
  json: { jsonBody: { a: 1, b: [true, null, "x"] } },
  jsonString: { jsonBody: "text" },
  jsonNull: { jsonBody: null },
  jsonNumber: { jsonBody: 7 },
  jsonUndefinedField: { jsonBody: { a: undefined, d: new Date(0), n: Number.NaN } },
  jsonTyped: { jsonBody: { a: 1 }, headers: { "Content-Type": "application/problem+json" } },
  objectBody: { body: { a: 1 } },
  buffer: { body: Buffer.from("000102fdfeff", "hex") },
  uint8: { body: new Uint8Array(Buffer.from("hi")) },
  status204: { status: 204 },
  status204Body: { status: 204, body: "ignored?" },
  status304: { status: 304, headers: { ETag: '"v1"' } },
  status418: { status: 418, body: "short and stout" },
  status404: { status: 404 },
  status404Json: { status: 404, jsonBody: { error: "none" } },
  status500: { status: 500, body: "own 500" },
  status599: { status: 599 },
  status99: { status: 99 },
  status1000: { status: 1000 },
  statusString: { status: "201", body: "string status" },
  redirect: { status: 302, headers: { Location: "/elsewhere?x=1" } },
  headersCase: { body: "h", headers: { "X-MiXeD-Case": "Kept?", "x-number": 5 } },
  headersBad: { body: "b", headers: { "x-bad": "line\nbreak" } },
  headersUnicode: { body: "u", headers: { "x-uni": "café" } },
  contentLengthLie: { body: "longer than three", headers: { "Content-Length": "3" } },
  cookies: { body: "c", cookies },
  typed: { body: "<p>hi</p>", headers: { "content-type": "text/html" } },
  octet: { body: "text as octets", headers: { "content-type": "application/octet-stream" } },
  emptyObject: {},
  undefined: undefined,
  null: null,
  bareString: "just a string",
  bareNumber: 42,
  bareArray: [1, 2],
  unknownKeys: { statusCode: 402, res: "x", isRaw: true, body: "keys" },
};

/** Answers that can be given once only, or not at all. */
const made = {
  blob: () => ({ body: new Blob(["blob!"], { type: "text/x-blob" }) }),
  form: () => ({
    body: new URLSearchParams([
      ["a", "1"],
      ["b", "x y"],
    ]),
  }),
  nodeStream: () => ({ body: Readable.from(inParts("one,", "two")) }),
  webStream: () => ({ body: Readable.toWeb(Readable.from(inParts("web,", "stream"))) }),
  generator: () => ({ body: inParts("gen,", "erator") }),
  streamError: () => ({ body: brokenOff() }),
  headersMulti: () => ({ body: "m", headers: twoOfEach() }),
  responseObject: () =>
    new HttpResponse({ status: 201, body: "from class", headers: { "x-c": "1" } }),
  fetchResponse: () => new Response("fetch one", { status: 203, headers: { "x-f": "1" } }),
  throw: () => {
    throw new Error("thrown on purpose");
  },
  throwString: () => {
    throw "a bare string";
  },
  throwTyped: () => {
    class Odd extends Error {}
    throw Object.assign(new Odd("odd"), { status: 422, code: "E_ODD" });
  },
  reject: () => Promise.reject(new TypeError("rejected on purpose")),
  big: () => ({ body: Buffer.alloc(10 << 20, "ab") }),
};

app.http("respond", {
  route: "respond/{kind}",
  methods: ["GET", "POST", "HEAD"],
  authLevel: "anonymous",
  handler: async ({ params: { kind } }) => {
    if (kind in made) return made[kind]();
    return kind in fixed ? fixed[kind] : { status: 404, body: "no such kind" };
  },
});
