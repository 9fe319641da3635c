/** The client's tokens: asked for once for all calls, renewed before they end, replaced when refused. */
import { expect, test } from "vitest";
import { issuer, keptTokens, type Issued } from "../../client/src/tokens.js";
import { callRoute, connectionTo, json, refused } from "../support/client/lines.js";

const signal = new AbortController().signal;
const hourMs = 3_600_000;

/** Numbers its tokens; each lives for an hour. */
const counting = () => {
  let count = 0;
  return async (): Promise<Issued> => {
    count += 1;
    return { token: `token-${count}`, lifetimeMs: hourMs };
  };
};

test("calls that come together share one request for a token", async () => {
  const tokens = keptTokens(counting());
  const together = await Promise.all([1, 2, 3].map(() => tokens.current(signal)));
  expect(together).toEqual(["token-1", "token-1", "token-1"]);
});

test("a token is renewed a minute before it ends, once", async () => {
  let nowMs = 0;
  const tokens = keptTokens(counting(), () => nowMs);
  expect(await tokens.current(signal)).toBe("token-1");
  nowMs = hourMs - 60_001;
  expect(await tokens.current(signal)).toBe("token-1");
  nowMs = hourMs - 60_000;
  expect(await Promise.all([tokens.current(signal), tokens.current(signal)])).toEqual([
    "token-2",
    "token-2",
  ]);
});

test("a request for a token that failed is not kept", async () => {
  const answers = [
    Promise.reject(new Error("away")),
    Promise.resolve({ token: "t", lifetimeMs: 1 }),
  ];
  const tokens = keptTokens(() => answers.shift() ?? Promise.reject(new Error("too often")));
  await expect(tokens.current(signal)).rejects.toThrow("away");
  expect(await tokens.current(signal)).toBe("t");
});

test("whoever leaves does not end the request for the others", async () => {
  let give: (issued: Issued) => void = () => undefined;
  const tokens = keptTokens(() => new Promise((resolve) => (give = resolve)));
  const stop = new AbortController();
  const leaving = tokens.current(stop.signal);
  const staying = tokens.current(signal);
  stop.abort(new Error("left"));
  await expect(leaving).rejects.toThrow("left");
  give({ token: "t", lifetimeMs: hourMs });
  expect(await staying).toBe("t");
});

test("a token that the platform refuses is replaced once, also where the call is not repeatable", async () => {
  const seen: (string | null)[] = [];
  const send: typeof fetch = async (_input, init) => {
    const token = new Headers(init?.headers).get("authorization");
    seen.push(token);
    return token === "Bearer token-1" ? refused(401, "TokenInvalid") : json(200, {});
  };
  const walletId = "01980d3c-93a5-7cc4-8a63-5f2a8f0e1b77";
  const connection = connectionTo(send, { tokens: keptTokens(counting()) });
  expect(await callRoute(connection, "suspendWallet", { walletId })).toMatchObject({ ok: true });
  expect(seen).toEqual(["Bearer token-1", "Bearer token-2"]);

  const always: typeof fetch = async () => refused(401, "AuthKeyInvalid");
  const wrong = connectionTo(always, { tokens: keptTokens(counting()) });
  expect(await callRoute(wrong, "getWallet", { walletId })).toMatchObject({
    error: { code: "AuthKeyInvalid" },
  });
});

const request = {
  tokenUrl: "http://identity.test/token",
  clientId: "a",
  clientSecret: "b",
  scope: "c",
};
const policy = { attempts: 3, firstDelayMs: 1, delayMsMax: 10 };
const granted = { access_token: "t", expires_in: 3599 };

test("an identity provider that is away is asked again, one that refuses is not", async () => {
  const answers = [json(503, {}), json(429, {}), json(200, granted)];
  const away = issuer(request, async () => answers.shift() ?? json(500, {}), policy);
  expect(await away()).toEqual({ token: "t", lifetimeMs: 3_599_000 });
  let times = 0;
  const refusing = issuer(
    request,
    async () => {
      times += 1;
      return json(401, { error: "invalid_client", error_description: "Wrong secret." });
    },
    policy,
  );
  await expect(refusing()).rejects.toMatchObject({
    name: "TokenRefusedError",
    message: "No token (401) invalid_client: Wrong secret.",
  });
  expect(times).toBe(1);
});
