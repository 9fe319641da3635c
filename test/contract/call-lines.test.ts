/** The log's line about each call: one for each, whatever became of it, with nothing that is somebody's business. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { clientOf, partnerNamed, send } from "../support/platform/api.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";
import { someone } from "../support/wallet/wallet-fixtures.js";

let stack: TestStack;
let sound: Readonly<Record<string, string>>;

beforeAll(async () => {
  stack = await startTestStack({ environment: { LOG_LEVEL: "debug" } });
  const token = await clientOf(stack, "acme").token();
  sound = {
    authorization: `Bearer ${token}`,
    authkey: partnerNamed("acme").authKey,
    partner: "acme",
    "content-type": "application/json",
  };
});

afterAll(async () => {
  await stack.stop();
});

const Line = z.looseObject({
  level: z.string(),
  time: z.iso.datetime(),
  durationMs: z.number().optional(),
});

const linesOf = (requestId: string) =>
  stack
    .output()
    .split("\n")
    .filter((line) => line.startsWith("{") && line.includes(requestId))
    .map((line) => Line.parse(JSON.parse(line)))
    .filter((line) => "method" in line);

/** Long, like a token; the path, the query and the body each bring something that nobody should read. */
const secret = "eyJhbGciOiJub25l.c2VjcmV0.Mario-Rossi-IT60X0542811101000000123456";
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const walletId = "01890a5d-ac96-774b-bcce-b302099a8057";
const tooLarge = JSON.stringify({ email: "x".repeat(262_144) });

interface Case {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
  readonly line: Readonly<Record<string, unknown>>;
}

const wallet = "/wallet/wallets/{walletId}";
const cases: readonly Case[] = [
  {
    ...{ what: "no token", method: "GET", path: `/wallet/wallets/${walletId}` },
    headers: { authorization: undefined },
    line: { route: wallet, status: 401, errorCode: "TokenInvalid" },
  },
  {
    ...{ what: "a forged token", method: "GET", path: `/wallet/wallets/${walletId}` },
    headers: { authorization: `Bearer ${secret}` },
    line: { route: wallet, status: 401, errorCode: "TokenInvalid" },
  },
  {
    ...{ what: "another AuthKey", method: "GET", path: `/wallet/wallets/${walletId}` },
    headers: { authkey: secret },
    line: { route: wallet, status: 401, errorCode: "AuthKeyInvalid" },
  },
  {
    ...{ what: "another partner", method: "GET", path: `/wallet/wallets/${walletId}` },
    headers: { partner: "globex" },
    line: { route: wallet, status: 403, errorCode: "PartnerMismatch", partner: "acme" },
  },
  {
    ...{ what: "an id that is none", method: "GET", path: `/wallet/wallets/${secret}` },
    line: { route: wallet, status: 400, errorCode: "IdentifierInvalid", partner: "acme" },
  },
  {
    ...{ what: "a wallet that is not there", method: "GET", path: `/wallet/wallets/${walletId}` },
    line: { route: wallet, status: 404, errorCode: "WalletNotFound", partner: "acme" },
  },
  {
    ...{ what: "an unknown path", method: "GET", path: `/wallet/${secret}?name=${secret}` },
    line: { route: "/wallet/{*path}", status: 404, errorCode: "RouteNotFound" },
  },
  {
    ...{ what: "an unknown path of no API", method: "GET", path: `/${secret}` },
    line: { route: "/{*path}", status: 404, errorCode: "RouteNotFound" },
  },
  {
    ...{ what: "another method", method: "PATCH", path: `/wallet/wallets/${walletId}` },
    body: "{}",
    line: { status: 405, errorCode: "MethodNotAllowed", route: "/wallet/{*path}" },
  },
  {
    ...{ what: "a body that is no JSON", method: "POST", path: "/wallet/wallets" },
    body: `{"${secret}`,
    line: { route: "/wallet/wallets", status: 422, errorCode: "ValidationFailed", partner: "acme" },
  },
  {
    ...{ what: "a body that does not fit", method: "POST", path: "/wallet/wallets" },
    body: JSON.stringify({ [secret]: secret }),
    line: { route: "/wallet/wallets", status: 422, errorCode: "ValidationFailed", partner: "acme" },
  },
  {
    ...{ what: "a body that is too large", method: "POST", path: "/wallet/wallets" },
    body: tooLarge,
    line: { route: "/wallet/wallets", status: 413, errorCode: "PayloadTooLarge", partner: "acme" },
  },
  {
    ...{ what: "a wrong client secret", method: "POST" },
    path: "/sandbox/identity/local/oauth2/v2.0/token",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: `grant_type=client_credentials&client_id=acme-client&client_secret=${secret}&scope=api://borsello/.default`,
    line: {
      route: "/sandbox/identity/{tenant}/oauth2/v2.0/token",
      status: 401,
      errorCode: "invalid_client",
    },
  },
];

const call = async (
  requestId: string,
  { method, path, headers, body }: Omit<Case, "line" | "what">,
) => {
  const given = new Headers({ ...sound, "x-request-id": requestId });
  given.set("traceparent", `00-${traceId}-00f067aa0ba902b7-00`);
  for (const [name, value] of Object.entries(headers ?? {}))
    if (value === undefined) given.delete(name);
    else given.set(name, value);
  return send(stack, path, {
    method,
    headers: given,
    ...(body === undefined ? {} : { body }),
  });
};

test.each(cases)("$what gives one line that says so, and nothing of what was sent", async (one) => {
  const requestId = `refused-${one.what.replaceAll(" ", "-")}`;
  const { status } = await call(requestId, one);
  expect(status).toBe(one.line["status"]);
  await expect.poll(() => linesOf(requestId)).toHaveLength(1);
  expect(linesOf(requestId)).toEqual([
    {
      ...{ level: "info", message: "Call refused.", method: one.method, requestId, traceId },
      ...{ time: expect.any(String) as unknown, durationMs: expect.any(Number) as unknown },
      ...one.line,
    },
  ]);
  expect(stack.output()).not.toContain(secret);
  expect(stack.output()).not.toContain("Mario-Rossi");
});

test("what is done, and what is refused again under an Idempotency-Key, have a line each time", async () => {
  const { owner: person } = someone();
  const creation = { method: "POST", path: "/wallet/wallets", body: JSON.stringify(person) };
  await call("created", creation);
  const again = { ...creation, headers: { "idempotency-key": "5d3c-the-same-again" } };
  for (const id of ["first-time", "second-time"]) await call(id, again);
  await expect.poll(() => linesOf("second-time")).toHaveLength(1);
  const about = {
    level: "info",
    method: "POST",
    route: "/wallet/wallets",
    partner: "acme",
    traceId,
  };
  const done = { ...about, message: "Call answered.", status: 200 };
  const refused = { ...about, message: "Call refused.", status: 400 };
  expect(linesOf("created")).toEqual([expect.objectContaining(done)]);
  for (const id of ["first-time", "second-time"])
    expect(linesOf(id)).toEqual([
      expect.objectContaining({ ...refused, errorCode: "TaxIdAlreadyAssociated" }),
    ]);
  for (const value of [person.email, person.taxId, person.phoneNumber])
    expect(stack.output()).not.toContain(value);
});

test.each(["/health", "/docs", "/openapi/wallet.json"])(
  "%s, which machines ask for again and again, is a line for those who look closely",
  async (path) => {
    const requestId = `quiet-${path.replaceAll("/", "-")}`;
    await call(requestId, { method: "GET", path });
    await expect.poll(() => linesOf(requestId)).toHaveLength(1);
    expect(linesOf(requestId)[0]).toMatchObject({ level: "debug", route: path, status: 200 });
  },
);
