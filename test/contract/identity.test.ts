/** The sandbox's identity provider and clock: OAuth's answers, tokens that last, time that only grows. */
import { createRemoteJWKSet, decodeJwt, jwtVerify } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { getHealthRoute } from "../../shared/contracts/platform/health.js";
import { OpenIdConfiguration, TokenAnswer } from "../../shared/contracts/sandbox/identity.js";
import { moveClockRoute } from "../../shared/contracts/sandbox/clock.js";
import { getWalletRoute } from "../../shared/contracts/wallet/wallets.js";
import { sandboxPartners } from "../../shared/database/sandbox/partners.js";
import {
  clientOf,
  headersOf,
  openStackDatabase,
  partnerNamed,
  send,
} from "../support/platform/api.js";
import { startTestStack, type TestStack } from "../support/platform/stack.js";

let stack: TestStack;

beforeAll(async () => {
  stack = await startTestStack();
  const database = openStackDatabase(stack);
  // Before anybody has asked for this partner, whose settings are remembered for some seconds.
  await database.execute(
    `update borsello.partner set settings = settings || '{"rateLimits":{"callsPerSecond":1}}'
     where partner_key = 'umbrella'`,
  );
  await database.close();
});

afterAll(async () => {
  await stack.stop();
});

const tokenPath = "/sandbox/identity/local/oauth2/v2.0/token";
const keysPath = "/sandbox/identity/local/discovery/v2.0/keys";
const sound = {
  grant_type: "client_credentials",
  client_id: "acme-client",
  client_secret: "acme-local-secret",
  scope: "api://borsello/.default",
};

const ask = (change: Readonly<Record<string, string | undefined>> = {}, path = tokenPath) => {
  const fields: Readonly<Record<string, string | undefined>> = { ...sound, ...change };
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) body.set(name, value);
  return send(stack, path, { method: "POST", body });
};

const anyWallet = { walletId: "01890a5d-ac96-774b-bcce-b302099a8057" };

test.each(sandboxPartners)(
  "$partnerKey gets a token that its keys verify, with its roles",
  async (partner) => {
    const answer = await ask({ client_id: partner.clientId, client_secret: partner.clientSecret });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    const granted = TokenAnswer.parse(answer.body);
    expect([granted.token_type, granted.expires_in]).toEqual(["Bearer", 3599]);
    const { payload } = await jwtVerify(
      granted.access_token,
      createRemoteJWKSet(new URL(keysPath, stack.url)),
      { issuer: `${stack.url}/sandbox/identity/local`, audience: "api://borsello" },
    );
    expect(payload).toMatchObject({ appid: partner.clientId, tid: "local", roles: partner.roles });
    expect(Number(payload.exp) - Number(payload.iat)).toBe(3599);
  },
);

test("the client may prove itself by the Basic header instead", async () => {
  const credentials = Buffer.from("acme-client:acme-local-secret").toString("base64");
  const { status } = await send(stack, tokenPath, {
    method: "POST",
    headers: { authorization: `Basic ${credentials}` },
    body: new URLSearchParams({ grant_type: sound.grant_type, scope: sound.scope }),
  });
  expect(status).toBe(200);
});

test.each([
  [{ grant_type: undefined }, 400, "invalid_request"],
  [{ client_id: undefined }, 400, "invalid_request"],
  [{ client_secret: undefined }, 400, "invalid_request"],
  [{ grant_type: "password" }, 400, "unsupported_grant_type"],
  [{ scope: undefined }, 400, "invalid_scope"],
  [{ scope: "api://other/.default" }, 400, "invalid_scope"],
  [{ client_id: "nobody" }, 401, "invalid_client"],
  [{ client_secret: "wrong" }, 401, "invalid_client"],
  [{ client_secret: "" }, 401, "invalid_client"],
  [{ client_id: "a\0b" }, 401, "invalid_client"],
])("a token request with %j is refused in OAuth's words", async (change, status, error) => {
  const answer = await ask(change);
  expect([answer.status, answer.body]).toMatchObject([
    status,
    { error, error_description: expect.stringMatching(/\.$/) as unknown },
  ]);
});

test("a token request that is no form, repeats a field or names another tenant is refused", async () => {
  const json = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
  expect((await send(stack, tokenPath, json)).status).toBe(400);
  const twice = {
    method: "POST",
    body: new URLSearchParams([...Object.entries(sound), ["scope", "x"]]),
  };
  expect((await send(stack, tokenPath, twice)).status).toBe(400);
  expect((await ask({}, tokenPath.replace("local", "other"))).status).toBe(400);
});

const withV2 = "/sandbox/identity/local/v2.0/.well-known/openid-configuration";

test("tools that discover the issuer find where tokens are asked for and what verifies them", async () => {
  const issuer = `${stack.url}/sandbox/identity/local`;
  const found = await send(stack, "/sandbox/identity/local/.well-known/openid-configuration");
  expect([found.status, found.headers.get("content-type")]).toEqual([200, "application/json"]);
  const told = OpenIdConfiguration.parse(found.body);
  expect(told.issuer).toBe(issuer);
  const [scope = ""] = told.scopes_supported;
  const ways: Readonly<Record<string, RequestInit>> = {
    client_secret_post: { body: new URLSearchParams({ ...sound, scope }) },
    client_secret_basic: {
      headers: { authorization: `Basic ${btoa(`${sound.client_id}:${sound.client_secret}`)}` },
      body: new URLSearchParams({ grant_type: sound.grant_type, scope }),
    },
  };
  expect(Object.keys(ways)).toEqual(told.token_endpoint_auth_methods_supported);
  const keys = createRemoteJWKSet(new URL(told.jwks_uri));
  for (const way of Object.values(ways)) {
    const answer = await fetch(told.token_endpoint, { method: "POST", ...way });
    const { access_token: token } = TokenAnswer.parse(await answer.json());
    const { payload, protectedHeader } = await jwtVerify(token, keys, { issuer: told.issuer });
    expect(told.id_token_signing_alg_values_supported).toEqual([protectedHeader.alg]);
    expect(Object.keys(payload).sort()).toEqual([...told.claims_supported].sort());
  }
  expect((await send(stack, withV2)).body).toEqual(told);
  expect((await send(stack, withV2.replace("local", "other"))).status).toBe(400);
});

const SandboxDocument = z.looseObject({
  "x-borsello-partners": z.array(
    z.object({
      name: z.string(),
      clientId: z.string(),
      clientSecret: z.string(),
      authKey: z.string(),
      may: z.string(),
      roles: z.array(z.string()),
      dealers: z.array(z.string()),
      collectionIban: z.string(),
    }),
  ),
  components: z.looseObject({
    securitySchemes: z.object({
      token: z.looseObject({
        flows: z.object({
          clientCredentials: z.object({
            tokenUrl: z.string(),
            scopes: z.record(z.string(), z.string()),
          }),
        }),
      }),
    }),
  }),
});

test("by what the sandbox's document says of each partner, calls are made in its name", async () => {
  const served = SandboxDocument.parse((await send(stack, "/openapi/sandbox.json")).body);
  const partners = served["x-borsello-partners"];
  expect(partners.map(({ name }) => name)).toEqual(
    sandboxPartners.map(({ partnerKey }) => partnerKey),
  );
  const { tokenUrl, scopes } = served.components.securitySchemes.token.flows.clientCredentials;
  for (const { name, clientId, clientSecret, authKey, roles } of partners) {
    const form = { client_id: clientId, client_secret: clientSecret };
    const scope = Object.keys(scopes).join(" ");
    const granted = await ask({ ...form, scope }, tokenUrl);
    const { access_token: token } = TokenAnswer.parse(granted.body);
    expect(decodeJwt(token)["roles"]).toEqual(roles);
    // Whose one call in a second another test makes.
    if (name === "umbrella") continue;
    const headers = { authorization: `Bearer ${token}`, authkey: authKey, partner: name };
    const answer = await send(stack, "/wallet/diagnostics/info", { headers });
    expect([name, answer.status]).toEqual([name, 200]);
  }
});

test("the clock moves by ten years at most, so that nobody breaks the sandbox for good", async () => {
  const answer = await clientOf(stack, "acme").call(moveClockRoute, {
    body: { now: "9999-12-31T00:00:00Z" },
  });
  expect(answer).toMatchObject({
    status: 400,
    error: {
      errorCode: "QueryParameterInvalid",
      errorProperties: { now: expect.stringMatching(/must not be after 20.*10 years/) as unknown },
    },
  });
});

test("platform time moves forward for dates, not for tokens, and never back", async () => {
  const acme = clientOf(stack, "acme");
  const token = await acme.token();
  const later = new Date(Date.now() + 40 * 24 * 3_600_000).toISOString();
  const moved = await acme.call(moveClockRoute, { body: { now: later } });
  expect(moved).toMatchObject({ ok: true, status: 200 });
  expect(moved.ok && Date.parse(moved.value.now) >= Date.parse(later)).toBe(true);

  const back = await acme.call(moveClockRoute, { body: { now: new Date().toISOString() } });
  expect(back).toMatchObject({
    ok: false,
    status: 400,
    error: { errorCode: "QueryParameterInvalid" },
  });

  const { status } = await send(stack, `/wallet/wallets/${anyWallet.walletId}`, {
    headers: headersOf(getWalletRoute, token),
  });
  expect(status).toBe(404);
});

test("initech, which only reads, may not stand for the outside world", async () => {
  const moved = await clientOf(stack, "initech").call(moveClockRoute, {
    body: { now: "2100-01-01T00:00:00Z" },
  });
  expect(moved).toMatchObject({ status: 403, error: { errorCode: "PermissionMissing" } });
});

test("the operators read for the partner that they name", async () => {
  const get = getWalletRoute;
  const token = await clientOf(stack, "platform").token();
  const as = async (partner: string): Promise<number> => {
    const headers = {
      ...headersOf(get, token),
      authkey: partnerNamed("platform").authKey,
      partner,
    };
    return (await send(stack, `/wallet/wallets/${anyWallet.walletId}`, { headers })).status;
  };
  expect(await as("globex")).toBe(404);
  expect(await as("nobody")).toBe(403);
});

test("a partner's limit is told and held, and neither lists nor other partners wait for it", async () => {
  const token = await clientOf(stack, "umbrella").token();
  const sent = {
    ...headersOf(getWalletRoute, token),
    authkey: partnerNamed("umbrella").authKey,
    partner: "umbrella",
  };
  const get = (path: string) => send(stack, `/wallet/${path}`, { headers: sent });
  const ask = () => get(`wallets/${anyWallet.walletId}`);
  // On a busy machine these take a while, but not the half minute that so many calls may take.
  const answers = await Promise.all(Array.from({ length: 30 }, ask));
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.filter(({ status }) => status === 404).length).toBeGreaterThan(0);
  expect(refused.length).toBeGreaterThan(0);
  for (const { headers } of answers) expect(headers.get("ratelimit-limit")).toBe("1");
  for (const { body, headers } of refused) {
    expect(body).toMatchObject({ errorCode: "RateLimitExceeded" });
    expect([headers.get("retry-after"), headers.get("ratelimit-remaining")]).toEqual(["1", "0"]);
  }
  const list = await get("wallets");
  expect([list.status, list.headers.get("ratelimit-limit")]).toEqual([200, null]);
  const acme = await send(stack, `/wallet/wallets/${anyWallet.walletId}`, {
    headers: headersOf(getWalletRoute, await clientOf(stack, "acme").token()),
  });
  expect([acme.status, acme.headers.get("ratelimit-limit")]).toEqual([404, null]);
});

const Health = getHealthRoute.ok.schema;

test("health tells of every part, with the broker's port", async () => {
  const answer = await send(stack, "/health");
  const health = Health.parse(answer.body);
  expect([answer.status, health.status]).toEqual([200, "ok"]);
  expect([health.database.status, health.broker.status, health.durable.status]).toEqual([
    "ok",
    "ok",
    "ok",
  ]);
  expect(stack.brokerConnectionString).toContain(`:${health.broker.port};`);
});

test.each(["/docs", "/docs/reference/wallet"])(
  "the page %s asks only for what is served, and its policy lets it run",
  async (path) => {
    const page = await send(stack, path);
    expect(page.headers.get("content-security-policy")).toContain("script-src 'self'");
    const html = z.string().parse(page.body);
    const links = html.matchAll(/<(?:script|img|link)[^>]* (?:src|href)="([^"]+)"/g);
    const files = new Set(Array.from(links, ([, file = ""]) => file));
    expect(files.size).toBeGreaterThan(3);
    for (const file of files) {
      const served = await send(stack, file);
      expect([file, served.status]).toEqual([file, 200]);
      const etag = served.headers.get("etag") ?? "";
      expect((await send(stack, file, { headers: { "if-none-match": etag } })).status).toBe(304);
    }
    expect(html).not.toMatch(/<script(?![^>]*src=)/);
  },
);

test.each(["/docs/index.html", "/docs/..%2fpackage.json", "/docs/reference/constructor"])(
  "%s is no page of the documentation",
  async (path) => {
    expect((await send(stack, path)).status).toBe(404);
  },
);

const AsyncApi = z.object({
  asyncapi: z.literal("3.0.0"),
  servers: z.object({ broker: z.object({ host: z.string() }) }),
});

test("the document of the events is everybody's, names the broker, is compressed, and is not sent again", async () => {
  const served = await send(stack, "/asyncapi.json");
  expect([served.status, served.headers.get("content-type")]).toEqual([200, "application/json"]);
  expect(served.headers.get("content-encoding")).toBe("gzip");
  const { servers } = AsyncApi.parse(served.body);
  expect(stack.brokerConnectionString).toContain(`Endpoint=sb://${servers.broker.host};`);
  const etag = served.headers.get("etag") ?? "";
  const again = await send(stack, "/asyncapi.json", { headers: { "if-none-match": etag } });
  expect(again.status).toBe(304);
});

test("a token outlives a restart of the platform", async () => {
  const { access_token: token } = TokenAnswer.parse((await ask()).body);
  await stack.restart();
  const { status } = await send(stack, `/wallet/wallets/${anyWallet.walletId}`, {
    headers: headersOf(getWalletRoute, token),
  });
  expect(status).toBe(404);
});
