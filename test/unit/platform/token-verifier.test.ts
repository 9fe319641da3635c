/** Tokens: each known attack is refused, a sound token is verified once, an outage is no refusal. */
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import {
  createSandboxIdentity,
  makeSigningKey,
  type SandboxIdentity,
} from "../../../shared/identity/sandbox-identity.js";
import {
  createTokenVerifier,
  type TokenVerifier,
} from "../../../shared/identity/token-verifier.js";
import { DependencyUnavailableError } from "../../../shared/platform/dependency-unavailable.js";

const issuer = "https://issuer.example/local";
const audience = "api://borsello";
const tenant = "local";
const startMs = Date.UTC(2030, 0, 1);
let nowMs = startMs;
const clock = { nowMs: () => nowMs };
const nowSeconds = (): number => Math.floor(nowMs / 1000);

let identity: SandboxIdentity;
let verifier: TokenVerifier;
let publicPem: string;
let publicJwk: Awaited<ReturnType<typeof exportJWK>>;
let sign: (claims: Record<string, unknown>, header?: Record<string, unknown>) => Promise<string>;

const sound = (): Record<string, unknown> => ({
  appid: "acme-client",
  tid: tenant,
  roles: ["Wallet.Read"],
  iss: issuer,
  aud: audience,
  iat: nowSeconds(),
  nbf: nowSeconds(),
  exp: nowSeconds() + 3_599,
});

beforeAll(async () => {
  const pair = await generateKeyPair("ES256", { extractable: true });
  const jwk = { ...(await exportJWK(pair.privateKey)), kid: "own" };
  identity = createSandboxIdentity({ issuer, audience, clock, loadKey: async () => jwk });
  verifier = createTokenVerifier({ issuer, audience, tenant, clock, keys: identity.keys });
  publicPem = await exportSPKI(pair.publicKey);
  publicJwk = await exportJWK(pair.publicKey);
  sign = (claims, header = {}) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: "ES256", typ: "JWT", kid: "own", ...header })
      .sign(pair.privateKey);
});

test("a token of the sandbox names its client and roles", async () => {
  const token = await identity.issue({ clientId: "acme-client", roles: ["Wallet.Read"] });
  expect(await verifier.verify(token)).toEqual({ clientId: "acme-client", roles: ["Wallet.Read"] });
});

test("a signing key is made with a key id, and its private part is never published", async () => {
  const made = await makeSigningKey();
  const fresh = createSandboxIdentity({
    issuer,
    audience,
    clock,
    loadKey: async () => made,
  });
  const { keys } = await fresh.publicKeys();
  expect(keys[0]?.kid).toBe(made.kid);
  expect(Object.keys(keys[0] ?? {}).sort()).toEqual(["alg", "crv", "kid", "kty", "use", "x", "y"]);
});

describe("refused:", () => {
  const changed = async (change: Record<string, unknown>): Promise<string> =>
    sign({ ...sound(), ...change });
  /** Signed by a key that is not the issuer's. */
  const foreign = async (header: Record<string, unknown>): Promise<string> => {
    const { privateKey } = await generateKeyPair("ES256");
    return new SignJWT(sound()).setProtectedHeader({ alg: "ES256", ...header }).sign(privateKey);
  };
  const tampered = async (): Promise<string> => {
    const [header = "", , signature = ""] = (await sign(sound())).split(".");
    const claims = Buffer.from(JSON.stringify({ ...sound(), appid: "operator-client" }));
    return [header, claims.toString("base64url"), signature].join(".");
  };
  const hmac = async (secret: string): Promise<string> =>
    new SignJWT(sound())
      .setProtectedHeader({ alg: "HS256", kid: "own" })
      .sign(new TextEncoder().encode(secret));
  const attacks: Record<string, () => Promise<string> | string> = {
    "an empty text": () => "",
    "no token at all": () => "abc",
    "three empty parts": () => "..",
    "alg none": () => new UnsecuredJWT(sound()).encode(),
    "another signature": () => foreign({ kid: "own" }),
    "an unknown key id": () => foreign({ kid: "other" }),
    "no key id and another signature": () => foreign({}),
    "a key id that is a path": () => foreign({ kid: "../../etc/passwd" }),
    "its own key in the header": () => foreign({ jwk: publicJwk, kid: "own" }),
    "a key address in the header": () => foreign({ jku: "https://evil.example/keys", kid: "own" }),
    "a certificate address in the header": () =>
      foreign({ x5u: "https://evil.example/c", kid: "own" }),
    "an HMAC made with the public key": () => hmac(publicPem),
    "an HMAC made with the key's coordinate": () => hmac(publicJwk.x ?? ""),
    "changed claims under an old signature": tampered,
    "an unknown critical header": async () => {
      const [, claims = "", signature = ""] = (await sign(sound())).split(".");
      const header = { alg: "ES256", kid: "own", crit: ["x"], x: 1 };
      return [Buffer.from(JSON.stringify(header)).toString("base64url"), claims, signature].join(
        ".",
      );
    },
    "another audience": () => changed({ aud: "api://other" }),
    "no audience": () => changed({ aud: undefined }),
    "another issuer": () => changed({ iss: "https://evil.example" }),
    "an issuer that only begins alike": () => changed({ iss: `${issuer}.evil.example` }),
    "no end": () => changed({ exp: undefined }),
    "an end that is no number": () => changed({ exp: "tomorrow" }),
    "an end a minute ago": () => changed({ exp: nowSeconds() - 60 }),
    "a begin a minute ahead": () => changed({ nbf: nowSeconds() + 60 }),
    "no application": () => changed({ appid: undefined }),
    "roles that are no list": () => changed({ roles: "Wallet.Read" }),
    "another kind of token": () => sign(sound(), { typ: "logout+jwt" }),
    "no kind": () => sign(sound(), { typ: undefined }),
    "another tenant": () => changed({ tid: "other" }),
    "no tenant": () => changed({ tid: undefined }),
    "a tenant that is no text": () => changed({ tid: [tenant] }),
    "more text than any token has": () => "a".repeat(9_000),
  };
  test.each(Object.keys(attacks))("%s", async (name) => {
    const token = (await attacks[name]?.()) ?? "";
    expect(await verifier.verify(token)).toBeUndefined();
    // Remembered refusals refuse as well.
    expect(await verifier.verify(token)).toBeUndefined();
  });
});

test("clocks may differ by ten seconds", async () => {
  const late = await sign({ ...sound(), exp: nowSeconds() - 5 });
  const early = await sign({ ...sound(), nbf: nowSeconds() + 5 });
  expect(await verifier.verify(late)).toBeDefined();
  expect(await verifier.verify(early)).toBeDefined();
});

test.each(["JWT", "jwt", "at+jwt", "application/at+jwt"])(
  "a token of kind %s is taken",
  async (typ) => {
    expect(await verifier.verify(await sign(sound(), { typ }))).toBeDefined();
  },
);

test("where no tenant is asked for, a token may name any or none", async () => {
  const open = createTokenVerifier({ issuer, audience, tenant: null, clock, keys: identity.keys });
  for (const tid of [undefined, "other"])
    expect(await open.verify(await sign({ ...sound(), tid }))).toBeDefined();
});

test("a token of version 2 names its application in azp", async () => {
  const token = await sign({ ...sound(), appid: undefined, azp: "globex-client" });
  expect((await verifier.verify(token))?.clientId).toBe("globex-client");
});

test("a verified token is not verified again, and ends when it ends all the same", async () => {
  let looks = 0;
  const counting = createTokenVerifier({
    issuer,
    audience,
    tenant,
    clock,
    keys: async (header, token) => {
      looks += 1;
      return identity.keys(header, token);
    },
  });
  const token = await sign(sound());
  for (let call = 0; call < 5; call += 1) expect(await counting.verify(token)).toBeDefined();
  expect(looks).toBe(1);
  nowMs += 3_620_000;
  expect(await counting.verify(token)).toBeUndefined();
  nowMs = startMs;
});

test("keys that cannot be had are an outage, not a refusal, and it is not remembered", async () => {
  let away = true;
  const shaky = createTokenVerifier({
    issuer,
    audience,
    tenant,
    clock,
    keys: async (header, token) => {
      if (away) throw new TypeError("fetch failed");
      return identity.keys(header, token);
    },
  });
  const token = await sign(sound());
  await expect(shaky.verify(token)).rejects.toThrow(DependencyUnavailableError);
  away = false;
  expect(await shaky.verify(token)).toBeDefined();
});
