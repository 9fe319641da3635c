/** The sandbox's identity provider: signs tokens with its own key, which the platform trusts. */
import {
  createLocalJWKSet,
  exportJWK,
  generateKeyPair,
  importJWK,
  SignJWT,
  type JWK,
  type JWTVerifyGetKey,
} from "jose";
import { z } from "zod";
import type { Clock } from "../platform/clock.js";
import { sandboxTenant } from "../platform/config.js";
import { uuidv7 } from "../platform/ids.js";

const algorithm = "ES256";

const privateKey = z.looseObject({
  kty: z.literal("EC"),
  crv: z.literal("P-256"),
  kid: z.string(),
  x: z.string(),
  y: z.string(),
});
type PrivateKey = z.output<typeof privateKey>;

export interface PublicKey extends Pick<PrivateKey, "kty" | "crv" | "kid" | "x" | "y"> {
  readonly use: "sig";
  readonly alg: typeof algorithm;
}

export const tokenLifetimeSeconds = 3_599;

/** What a token says; the last four are Entra's. */
export const tokenClaims = [
  ...["iss", "aud", "sub", "jti", "iat", "nbf", "exp"],
  ...["appid", "azp", "roles", "tid"],
] as const;

export interface TokenGrant {
  readonly clientId: string;
  readonly roles: readonly string[];
}

export interface SandboxIdentity {
  issue(grant: TokenGrant): Promise<string>;
  publicKeys(): Promise<{ keys: PublicKey[] }>;
  /** For the token verifier: no request to ourselves to learn our own key. */
  readonly keys: JWTVerifyGetKey;
}

export interface SandboxIdentitySettings {
  readonly issuer: string;
  readonly audience: string;
  readonly clock: Clock;
  /** The stored private key; asked once. */
  readonly loadKey: () => Promise<JWK>;
}

/** A new signing key, as it is stored: an elliptic one, since it is made and signs in no time. */
export const makeSigningKey = async (): Promise<JWK> => {
  const pair = await generateKeyPair(algorithm, { extractable: true });
  return { ...(await exportJWK(pair.privateKey)), kid: uuidv7(), alg: algorithm };
};

const publicPart = ({ kty, crv, kid, x, y }: PrivateKey): PublicKey => ({
  ...{ kty, crv, kid, x, y },
  use: "sig",
  alg: algorithm,
});

const readKey = async (loadKey: SandboxIdentitySettings["loadKey"]) => {
  const jwk = privateKey.parse(await loadKey());
  const published = { keys: [publicPart(jwk)] };
  return {
    kid: jwk.kid,
    signingKey: await importJWK(jwk, algorithm),
    published,
    keySet: createLocalJWKSet(published),
  };
};

export const createSandboxIdentity = (settings: SandboxIdentitySettings): SandboxIdentity => {
  const { issuer, audience, clock, loadKey } = settings;
  let loaded: ReturnType<typeof readKey> | undefined;
  const key = (): ReturnType<typeof readKey> => {
    // A database that was away is asked again by the next call.
    loaded ??= readKey(loadKey).catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
  return {
    issue: async ({ clientId, roles }) => {
      const { kid, signingKey } = await key();
      const issuedAt = Math.floor(clock.nowMs() / 1000);
      return new SignJWT({ appid: clientId, azp: clientId, roles, tid: sandboxTenant })
        .setProtectedHeader({ alg: algorithm, typ: "JWT", kid })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(clientId)
        .setJti(uuidv7())
        .setIssuedAt(issuedAt)
        .setNotBefore(issuedAt)
        .setExpirationTime(issuedAt + tokenLifetimeSeconds)
        .sign(signingKey);
    },
    publicKeys: async () => (await key()).published,
    keys: async (header, token) => (await key()).keySet(header, token),
  };
};
