/** What the kit makes of bodies, parameters and queries, however strange they are. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { Identifier } from "../../../shared/contracts/identifier.js";
import { readJsonBody } from "../../../shared/http/json-body.js";
import { issueProperties } from "../../../shared/http/schema-issues.js";
import { parseParams, parseQuery, pathReader } from "../../../shared/http/text-parameters.js";

const encoder = new TextEncoder();

const bodyOf = (body: string | Uint8Array, contentType: string | null = "application/json") => {
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  const headers = new Map([
    ["content-type", contentType],
    ["content-length", String(bytes.byteLength)],
  ]);
  return {
    headers: { get: (name: string) => headers.get(name) ?? null },
    body: null,
    arrayBuffer: async () => new Uint8Array(bytes).buffer,
  };
};

const chunked = (chunks: readonly Uint8Array[]) => ({
  headers: { get: () => null },
  body: (async function* () {
    yield* chunks;
  })(),
  arrayBuffer: async () => new ArrayBuffer(0),
});

const refusalOf = async (body: string | Uint8Array, contentType?: string | null) => {
  const read = await readJsonBody(bodyOf(body, contentType));
  return read.ok ? "accepted" : [read.code, read.properties[""]];
};

test("every JSON value of sound text comes through as it was sent", async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ depthSize: "small" }), async (value) => {
      const text = JSON.stringify(value);
      const read = await readJsonBody(bodyOf(text));
      if (/\\u0000|[\ud800-\udfff]/i.test(text)) return;
      expect(read).toEqual({ ok: true, value: JSON.parse(text) as unknown });
    }),
  );
});

test("no sequence of bytes throws", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
      await readJsonBody(bodyOf(bytes));
    }),
  );
});

test("content types: JSON and its kin or none are taken, any other is 415", async () => {
  for (const fine of ["application/json; charset=utf-8", "application/problem+json", "", null])
    expect(await refusalOf("{}", fine)).toBe("accepted");
  for (const wrong of ["text/plain", "application/jsonx", "application/x-www-form-urlencoded"])
    expect(await refusalOf("{}", wrong)).toEqual(["UnsupportedMediaType", undefined]);
});

test("a body that is no JSON, no UTF-8, empty, too deep or of too many values is refused with its reason", async () => {
  expect(await refusalOf('{"a":')).toEqual(["ValidationFailed", "must be well-formed JSON."]);
  expect(await refusalOf("")).toEqual(["ValidationFailed", "is missing: send a JSON body."]);
  expect(await refusalOf(Uint8Array.of(0x22, 0xff, 0x22))).toEqual([
    "ValidationFailed",
    "must be UTF-8 text.",
  ]);
  const deep = "[".repeat(130_000) + "]".repeat(130_000);
  expect(await refusalOf(deep)).toEqual([
    "ValidationFailed",
    "must not be nested deeper than 64 levels.",
  ]);
  const tooMany = ["ValidationFailed", "must not hold more than 10000 values."];
  expect(await refusalOf(`[${"0,".repeat(9_999)}0]`)).toBe("accepted");
  expect(await refusalOf(`[${"0,".repeat(10_000)}0]`)).toEqual(tooMany);
  expect(await refusalOf(`{${'"":0,'.repeat(10_000)}"":0}`)).toEqual(tooMany);
  expect(await refusalOf(JSON.stringify(",:".repeat(10_000)))).toBe("accepted");
  expect(await refusalOf(JSON.stringify("[".repeat(1_000)))).toBe("accepted");
  expect(await refusalOf(JSON.stringify({ text: `"${"{".repeat(100)}` }))).toBe("accepted");
});

test("NUL characters, halves of surrogate pairs and endless numbers are refused, in keys too", async () => {
  const wanted = [
    "ValidationFailed",
    "must not hold NUL characters, unpaired surrogates or numbers beyond 1.7e308.",
  ];
  for (const bad of [String.raw`{"a":"\u0000"}`, String.raw`["\ud800"]`, String.raw`{"\uDC00":1}`])
    expect(await refusalOf(bad)).toEqual(wanted);
  for (const endless of [
    "1e309",
    "-2E+0400",
    "1.5e9999",
    "9".repeat(310),
    `${"1".repeat(200)}e200`,
  ])
    expect(await refusalOf(`{"a":[${endless}]}`)).toEqual(wanted);
  for (const finite of ["1e308", "1e-999", "9".repeat(308), '"1e999"'])
    expect(await refusalOf(`{"a":[${finite}]}`)).toBe("accepted");
  expect(await refusalOf(String.raw`"\ud83d\ude00"`)).toBe("accepted");
  expect(await refusalOf(String.raw`"\\u0000"`)).toBe("accepted");
});

test("a body of 256 KiB is read, one byte more is 413, with or without a declared length", async () => {
  const fits = `"${"a".repeat(256 * 1024 - 2)}"`;
  expect(await refusalOf(fits)).toBe("accepted");
  expect((await refusalOf(`${fits} `))[0]).toBe("PayloadTooLarge");
  const half = encoder.encode(fits.slice(0, 128 * 1024));
  expect((await readJsonBody(chunked([half, half, half]))).ok).toBe(false);
  expect(await readJsonBody(chunked([encoder.encode("[1"), encoder.encode(",2]")]))).toEqual({
    ok: true,
    value: [1, 2],
  });
});

test("each wrong field has its pointer and a sentence that says what to change", () => {
  const schema = z.strictObject({
    "a/b~c": z.string().min(1),
    amount: z.number().min(10).max(250),
    kind: z.enum(["Weekly", "Monthly"]),
    items: z.array(z.object({ id: z.uuid() })),
    code: z.string().regex(/^\d+$/, "must hold digits only"),
  });
  const parsed = schema.safeParse({
    "a/b~c": "",
    amount: 251,
    kind: "Daily",
    items: [{ id: "x" }],
    extra: 1,
  });
  expect(issueProperties(parsed.error?.issues ?? [])).toEqual({
    "/a~1b~0c": "must not be empty.",
    "/amount": "must be at most 250.",
    "/kind": "must be one of Weekly, Monthly.",
    "/items/0/id": "must be a UUID.",
    "/code": "is required: send a string.",
    "/extra": "is not known: remove it.",
  });
  const digits = schema.safeParse({
    "a/b~c": "a",
    amount: 10,
    kind: "Weekly",
    items: [],
    code: "x",
  });
  expect(issueProperties(digits.error?.issues ?? [])).toEqual({
    "/code": "must hold digits only.",
  });
});

test("path parameters come from the path, whatever the query says", () => {
  const read = pathReader("wallet/wallets/{walletId}/iban/{n}");
  expect(read("http://h/wallet/wallets/a%20b/iban/2/?walletId=evil&n=9")).toEqual({
    walletId: "a b",
    n: "2",
  });
  expect(read("http://h/wallet/wallets/%E0%A4%A/iban/1")).toMatchObject({ walletId: "%E0%A4%A" });
});

test("a malformed identifier is IdentifierInvalid and named", () => {
  const schema = z.object({ walletId: z.uuid() });
  expect(parseParams(schema, { walletId: "42" })).toEqual({
    ok: false,
    code: "IdentifierInvalid",
    properties: { walletId: "must be a UUID." },
  });
});

test("an identifier in upper case is the one that was given out, as it was given out", () => {
  const walletId = "01890a5d-ac96-774b-bcce-b302099a8057";
  const parsed = parseParams(z.object({ walletId: Identifier }), {
    walletId: walletId.toUpperCase(),
  });
  expect(parsed).toEqual({ ok: true, value: { walletId } });
});

test("a path parameter that no database can hold is IdentifierInvalid and named", () => {
  const schema = z.object({ casenumber: z.string(), other: z.string() });
  expect(parseParams(schema, { casenumber: "a", other: "b\0" })).toMatchObject({
    code: "IdentifierInvalid",
    properties: { other: "must not hold NUL characters." },
  });
});

test("a query parameter has its own code where the route declares it, else QueryParameterInvalid", () => {
  const schema = z.object({ pageSize: z.coerce.number().int().min(1).max(100).default(50) });
  const code = (query: string, declared: Parameters<typeof parseQuery>[2]): string => {
    const parsed = parseQuery(schema, new URLSearchParams(query), declared);
    return parsed.ok ? `pageSize ${parsed.value.pageSize}` : parsed.code;
  };
  expect(code("pageSize=0", ["PageSizeOutOfRange"])).toBe("PageSizeOutOfRange");
  expect(code("pageSize=0", [])).toBe("QueryParameterInvalid");
  expect(code("pageSize=1&pageSize=2", [])).toBe("QueryParameterInvalid");
  expect(code("", [])).toBe("pageSize 50");
  expect(code("unknown=1&pageSize=7", [])).toBe("pageSize 7");
});
