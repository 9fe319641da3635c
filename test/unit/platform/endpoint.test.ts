/** An endpoint: checks in their order, answers in the API's own words, nothing leaked, always an answer. */
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { endpoint, openEndpoint, type Endpoint } from "../../../functions/kit/endpoint.js";
import { createRateLimits } from "../../../functions/kit/rate-limits.js";
import type { Services } from "../../../functions/kit/services.js";
import { partnerSettings } from "../../../shared/contracts/platform/partner-settings.js";
import { pageQuery } from "../../../shared/contracts/pages.js";
import { route } from "../../../shared/contracts/route.js";
import type { CallingPartner } from "../../../shared/database/access/partners.js";
import { refusal } from "../../../shared/domain/outcome.js";
import { DependencyUnavailableError } from "../../../shared/platform/dependency-unavailable.js";
import { createLogger } from "../../../shared/platform/logger.js";
import { hashSecret } from "../../../shared/platform/secrets.js";
import { callEndpoint, type InProcessRequest } from "../../support/platform/in-process.js";

const salt = Buffer.from("salt");
const partner = (partnerKey: string, isOperator = false): CallingPartner => ({
  partnerKey,
  clientId: `${partnerKey}-client`,
  clientSecretSalt: salt,
  clientSecretHash: hashSecret("secret", salt),
  authKeySalt: salt,
  authKeyHash: hashSecret(`${partnerKey}-authkey`, salt),
  roles: [],
  isOperator,
  formerAuthKeys: [],
  settings: partnerSettings.parse({}),
});
const partners = [partner("acme"), partner("globex"), partner("platform", true)];

/** A token is "client:role,role" here; whether real ones hold is another test's matter. */
const verify = async (token: string) => {
  const [clientId = "", roles = ""] = token.split("~");
  return clientId === "forged" ? undefined : { clientId, roles: roles.split("+") };
};

let lines: string[];
let services: Services;
/** What another look finds. */
let later: readonly CallingPartner[];
let nowMs = 0;

beforeEach(() => {
  lines = [];
  later = partners;
  // Only what the kit itself touches; a handler of these tests touches nothing.
  services = {
    logger: createLogger("debug", (_level, line) => void lines.push(line)),
    tokens: { verify },
    clock: { nowMs: () => nowMs },
    rateLimits: createRateLimits({ clock: { nowMs: () => nowMs }, isProduction: false }),
    partners: {
      byClient: async (clientId: string) => partners.find((known) => known.clientId === clientId),
      byClientAnew: async (clientId: string) => later.find((known) => known.clientId === clientId),
      byKey: async (key: string) => partners.find(({ partnerKey }) => partnerKey === key),
    },
  } as unknown as Services;
});

const updateRoute = route({
  id: "updateThing",
  api: "wallet",
  method: "PUT",
  path: "things/{thingId}",
  params: { thingId: z.uuid() },
  query: { dryRun: z.enum(["true", "false"]).optional() },
  body: z.strictObject({ name: z.string() }),
  role: "Wallet.Write",
  ok: { status: 200, schema: z.object({ partnerKey: z.string(), name: z.string() }) },
  errors: ["WalletNotActive"],
  summary: "A route for these tests",
});
const update = endpoint(updateRoute, async (_services, { body, caller, ok, refuse }) =>
  body.name === "frozen"
    ? refuse(refusal("WalletNotActive", { status: "Suspended" }))
    : ok({ partnerKey: caller.partnerKey, name: body.name }),
);

const headers = {
  authorization: "Bearer acme-client~Wallet.Write",
  authkey: "acme-authkey",
  partner: "acme",
  "content-type": "application/json",
};
const good: InProcessRequest & { headers: Record<string, string> } = {
  method: "PUT",
  path: "/wallet/things/01890a5d-ac96-774b-bcce-b302099a8057",
  headers,
  body: '{"name":"x"}',
};

const send = async (request: InProcessRequest, bound: Endpoint = update) => {
  const { status, headers: answered, body } = await callEndpoint(services, bound, request);
  const json = typeof body === "string" ? (JSON.parse(body) as Record<string, unknown>) : undefined;
  return { status, headers: answered as Record<string, string> | undefined, json };
};

const without = (name: keyof typeof headers): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));

test("a sound call reaches its handler with everything parsed", async () => {
  expect(await send(good)).toMatchObject({ status: 200, json: { partnerKey: "acme", name: "x" } });
});

test("a refusal has the status of its code, its sentence, and what was found", async () => {
  expect(await send({ ...good, body: '{"name":"frozen"}' })).toMatchObject({
    status: 400,
    json: {
      errorCode: "WalletNotActive",
      errorDescription: "The wallet is not active: reactivate it first.",
      errorProperties: { status: "Suspended" },
    },
  });
});

test.each([
  ["no token", without("authorization"), 401, "TokenInvalid"],
  ["another scheme", { ...headers, authorization: "Basic YWNtZQ==" }, 401, "TokenInvalid"],
  ["a forged token", { ...headers, authorization: "Bearer forged" }, 401, "TokenInvalid"],
  ["no AuthKey", without("authkey"), 401, "AuthKeyInvalid"],
  ["another's AuthKey", { ...headers, authkey: "globex-authkey" }, 401, "AuthKeyInvalid"],
  [
    "an unknown client",
    { ...headers, authorization: "Bearer x~Wallet.Write" },
    401,
    "AuthKeyInvalid",
  ],
  ["no partner", without("partner"), 403, "PartnerMismatch"],
  ["another's name", { ...headers, partner: "globex" }, 403, "PartnerMismatch"],
  [
    "no role",
    { ...headers, authorization: "Bearer acme-client~Wallet.Read" },
    403,
    "PermissionMissing",
  ],
])("%s is refused", async (_what, sent, status, errorCode) => {
  expect(await send({ ...good, headers: sent })).toMatchObject({ status, json: { errorCode } });
});

test("access is judged before anything of the request is looked at", async () => {
  const hopeless = { method: "PUT", path: "/wallet/things/x", body: "{" };
  expect((await send({ ...hopeless, headers: {} })).status).toBe(401);
  const noRole = { ...headers, authorization: "Bearer acme-client~Wallet.Read" };
  expect((await send({ ...hopeless, headers: noRole })).status).toBe(403);
  expect((await send({ ...hopeless, headers })).json?.["errorCode"]).toBe("IdentifierInvalid");
});

test("an unauthorised caller learns how to authenticate", async () => {
  expect((await send({ ...good, headers: {} })).headers).toMatchObject({
    "WWW-Authenticate": "Bearer",
  });
});

test("an operator acts for the partner that it names, which must exist", async () => {
  const operator = {
    ...headers,
    authorization: "Bearer platform-client~Wallet.Write",
    authkey: "platform-authkey",
  };
  const as = (name: string) => send({ ...good, headers: { ...operator, partner: name } });
  expect((await as("globex")).json).toMatchObject({ partnerKey: "globex" });
  expect((await as("nobody")).json).toMatchObject({ errorCode: "PartnerMismatch" });
  expect((await as("platform")).json).toMatchObject({ partnerKey: "platform" });
});

test("the card API takes X-Affiliate, and Partner where that is missing", async () => {
  const cardRoute = route({ ...updateRoute, id: "updateCardThing", api: "card" });
  const card = endpoint(cardRoute, async (_services, { caller, ok }) =>
    ok({ partnerKey: caller.partnerKey, name: "" }),
  );
  const path = good.path?.replace("/wallet", "/card") ?? "";
  const as = (sent: Record<string, string>) =>
    send({ ...good, path, headers: { ...without("partner"), ...sent } }, card);
  expect((await as({ "x-affiliate": "acme" })).status).toBe(200);
  expect((await as({ partner: "acme" })).status).toBe(200);
  expect((await as({ "x-affiliate": "globex", partner: "acme" })).status).toBe(403);
  expect((await as({})).status).toBe(403);
});

test("the ticketing API needs the token alone, and speaks its own error model", async () => {
  const ticketRoute = route({ ...updateRoute, id: "updateTicketThing", api: "ticketing" });
  const ticket = endpoint(ticketRoute, async (_services, { caller, ok }) =>
    ok({ partnerKey: caller.partnerKey, name: "" }),
  );
  const bearer = { authorization: headers.authorization, "content-type": "application/json" };
  const path = good.path?.replace("/wallet", "/ticketing") ?? "";
  const call = (change: InProcessRequest) =>
    send({ ...good, path, headers: bearer, ...change }, ticket);
  expect((await call({})).status).toBe(200);
  expect((await call({ headers: {} })).json).toEqual({
    error: "Unauthorized",
    error_description: "The bearer token is missing, expired or not valid: get a new one.",
  });
  expect((await call({ body: '{"name":1}' })).json).toEqual({
    error: "Unprocessable Entity",
    error_description:
      "The body does not fit the schema: correct what is named. name must be a string.",
  });
  expect((await call({ headers: { ...bearer, "x-tenant": "globex" } })).status).toBe(403);
});

const failing = (error: unknown) =>
  endpoint(updateRoute, async () => {
    throw error;
  });

describe("a partner whose AuthKey was replaced", () => {
  const younger = { ...headers, authkey: "younger-authkey" };
  const rotated = (validUntilMs: number): CallingPartner => ({
    ...partner("acme"),
    authKeyHash: hashSecret("younger-authkey", salt),
    formerAuthKeys: [{ salt, hash: hashSecret("acme-authkey", salt), validUntilMs }],
  });

  test("is let in by both keys until the older one's time, and then by the younger one alone", async () => {
    const known = [rotated(nowMs + 1_000)];
    const find = async (id: string) => known.find(({ clientId }) => clientId === id);
    const directory = { ...services.partners, byClient: find, byClientAnew: find };
    services = { ...services, partners: directory };
    expect((await send(good)).status).toBe(200);
    expect((await send({ ...good, headers: younger })).status).toBe(200);
    nowMs += 1_000;
    expect((await send(good)).json).toMatchObject({ errorCode: "AuthKeyInvalid" });
    expect((await send({ ...good, headers: younger })).status).toBe(200);
  });

  test("is let in by the younger key at once, whatever is remembered of it", async () => {
    expect((await send({ ...good, headers: younger })).status).toBe(401);
    later = [rotated(nowMs + 1_000)];
    expect((await send({ ...good, headers: younger })).status).toBe(200);
  });
});

describe("a partner with a limit of one call a second", () => {
  const refused = { status: 429, json: { errorCode: "RateLimitExceeded" } };
  const left = { "RateLimit-Limit": "1", "RateLimit-Remaining": "0", "RateLimit-Reset": "1" };

  beforeEach(() => {
    const limited = partners.map((known) =>
      known.partnerKey === "acme"
        ? { ...known, settings: partnerSettings.parse({ rateLimits: { callsPerSecond: 1 } }) }
        : known,
    );
    const byClient = async (id: string) => limited.find(({ clientId }) => clientId === id);
    services = { ...services, partners: { ...services.partners, byClient } };
  });

  test("is told where it stands, refused with a sentence, and let in after a second", async () => {
    const first = await send(good);
    expect(first).toMatchObject({ status: 200, headers: left });
    expect(first.headers).not.toHaveProperty("Retry-After");
    const second = await send(good);
    expect(second).toMatchObject({
      ...refused,
      headers: { ...left, "Retry-After": "1" },
    });
    expect(second.json?.["errorDescription"]).toBe(
      "The limit for calls is 1 a second: wait a second and repeat.",
    );
    nowMs += 1_000;
    expect((await send(good)).status).toBe(200);
  });

  test("is refused before its body is read, and whatever else its call is about", async () => {
    await send(good);
    expect(await send({ ...good, body: "{no json" })).toMatchObject(refused);
    expect(await send({ ...good, headers: { ...headers, partner: "globex" } })).toMatchObject(
      refused,
    );
  });

  test("loses nothing by tokens and AuthKeys that are not its own", async () => {
    const forged = { ...headers, authorization: "Bearer forged" };
    for (const bad of [forged, without("authorization"), without("authkey")])
      expect((await send({ ...good, headers: bad })).status).toBe(401);
    expect((await send(good)).status).toBe(200);
    expect((await send({ ...good, headers: forged })).status).toBe(401);
  });

  test("takes nothing from another partner, and nothing is told to one without a limit", async () => {
    await send(good);
    const globex = {
      ...headers,
      authorization: "Bearer globex-client~Wallet.Write",
      authkey: "globex-authkey",
      partner: "globex",
    };
    for (let call = 0; call < 3; call += 1) {
      const answer = await send({ ...good, headers: globex });
      expect(answer.status).toBe(200);
      expect(Object.keys(answer.headers ?? {}).join()).not.toMatch(/ratelimit/i);
    }
  });

  test("has its lists and its payments by card counted apart", async () => {
    const listRoute = route({ ...updateRoute, id: "listThings", query: pageQuery });
    const cardRoute = route({ ...updateRoute, id: "payByCard", role: "O2I.Write" });
    const list = endpoint(listRoute, async (_services, { ok }) => ok({ partnerKey: "", name: "" }));
    const card = endpoint(cardRoute, async (_services, { ok }) => ok({ partnerKey: "", name: "" }));
    const byCard = { ...headers, authorization: "Bearer acme-client~O2I.Write" };
    await send(good);
    expect(await send(good)).toMatchObject(refused);
    // Without a setting of their own, lists have no limit here.
    for (let call = 0; call < 3; call += 1) expect((await send(good, list)).status).toBe(200);
    expect((await send({ ...good, headers: byCard }, card)).status).toBe(200);
    expect(await send({ ...good, headers: byCard }, card)).toMatchObject(refused);
  });

  test("is refused in the ticketing API's own words", async () => {
    const ticketRoute = route({ ...updateRoute, id: "updateTicketThing", api: "ticketing" });
    const ticket = endpoint(ticketRoute, async (_services, { ok }) =>
      ok({ partnerKey: "", name: "" }),
    );
    const path = good.path?.replace("/wallet", "/ticketing") ?? "";
    await send({ ...good, path }, ticket);
    expect((await send({ ...good, path }, ticket)).json).toEqual({
      error: "Too Many Requests",
      error_description: "The limit for calls is 1 a second: wait a second and repeat.",
    });
  });

  test("may call the sandbox as often as it likes", async () => {
    const sandboxRoute = route({ ...updateRoute, id: "updateSandbox", api: "sandbox" });
    const sandbox = endpoint(sandboxRoute, async (_services, { ok }) =>
      ok({ partnerKey: "", name: "" }),
    );
    const path = good.path?.replace("/wallet", "/sandbox") ?? "";
    for (let call = 0; call < 3; call += 1)
      expect((await send({ ...good, path }, sandbox)).status).toBe(200);
  });
});

test("an outage is 503 with a time to come back, and is logged", async () => {
  const outage = new DependencyUnavailableError("the database", new Error("ECONNREFUSED 10.0.0.7"));
  const answered = await send(good, failing(outage));
  expect(answered).toMatchObject({ status: 503, json: { errorCode: "DependencyUnavailable" } });
  expect(answered.headers).toMatchObject({
    "Retry-After": expect.stringMatching(/^\d+$/) as unknown,
  });
  expect(JSON.stringify(answered.json)).not.toContain("10.0.0.7");
  expect(lines.join()).toContain("10.0.0.7");
});

test.each([new Error("secret detail"), "secret detail", undefined])(
  "whatever else is thrown is 500 without a detail, and the log has it under the same id",
  async (thrown) => {
    const { status, json } = await send(good, failing(thrown));
    expect(status).toBe(500);
    expect(json).toMatchObject({ errorCode: "InternalError" });
    expect(JSON.stringify(json)).not.toContain("secret detail");
    const { requestId } = z.object({ requestId: z.string() }).parse(json?.["errorProperties"]);
    expect(lines.join()).toContain(requestId);
  },
);

describe("the request's id", () => {
  const idOf = ({ headers: answered }: { headers: Record<string, string> | undefined }) =>
    answered?.["X-Request-Id"];

  test.each(["my-request", "e ~ !", "x".repeat(128)])(
    "is the caller's own, in answers and refusals: %s",
    async (id) => {
      const given = { ...headers, "x-request-id": id };
      expect(idOf(await send({ ...good, headers: given }))).toBe(id);
      const refused = await send({ ...good, headers: given, body: '{"name":"frozen"}' });
      expect(idOf(refused)).toBe(id);
      expect(refused.json?.["errorProperties"]).toEqual({ status: "Suspended", requestId: id });
    },
  );

  test.each(["", "x".repeat(129), "caffè", "a\tb"])("is a new one instead of %j", async (id) => {
    const given = { ...headers, "x-request-id": id };
    const [one, other] = [
      await send({ ...good, headers: given }),
      await send({ ...good, headers: given }),
    ];
    expect(idOf(one)).toMatch(/^[\da-f-]{36}$/);
    expect(idOf(other)).not.toBe(idOf(one));
  });

  test("stands beside the caller's trace in the log", async () => {
    const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
    const sent = { ...headers, "x-request-id": "mine" };
    const traced = { ...sent, traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    await send({ ...good, headers: traced }, failing(new Error("broken")));
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ requestId: "mine", traceId });
    const later = `01-${traceId}-00f067aa0ba902b7-01-more`;
    await send({ ...good, headers: { ...sent, traceparent: later } }, failing(new Error("broken")));
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ traceId });
    const invalid = [
      ...["", "00-x", `00-${"0".repeat(32)}-00f067aa0ba902b7-01`],
      ...[`ff-${traceId}-00f067aa0ba902b7-01`, `00-${traceId}-${"0".repeat(16)}-01`],
      ...[`00-${traceId}-00f067aa0ba902b7-01-more`, `01-${traceId}-00f067aa0ba902b7-01more`],
    ];
    for (const traceparent of invalid) {
      await send({ ...good, headers: { ...sent, traceparent } }, failing(new Error("broken")));
      expect(JSON.parse(lines.at(-1) ?? "")).not.toHaveProperty("traceId");
    }
  });
});

test("a document is answered as bytes of the declared type", async () => {
  const pdfRoute = route({
    id: "getPdf",
    api: "wallet",
    method: "GET",
    path: "pdf",
    role: "Wallet.Write",
    ok: { status: 200, contentType: "application/pdf" },
    errors: [],
    summary: "A document",
  });
  const bytes = new TextEncoder().encode("%PDF");
  const pdf = endpoint(pdfRoute, async (_services, { ok }) => ok({ bytes, filename: "a.pdf" }));
  expect(await callEndpoint(services, pdf, { path: "/wallet/pdf", headers })).toEqual({
    status: 200,
    headers: {
      "Content-Type": "application/pdf",
      "Content-Disposition": 'inline; filename="a.pdf"',
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      "X-Request-Id": expect.any(String) as unknown,
    },
    body: bytes,
  });
});

test("a route that asks for a role cannot be bound as an open one, nor the other way round", () => {
  expect(() => openEndpoint(updateRoute, async () => ({}))).toThrow("updateThing");
  expect(() => endpoint({ ...updateRoute, role: null }, async () => ({}))).toThrow("updateThing");
});
