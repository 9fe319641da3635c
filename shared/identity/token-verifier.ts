/** Verifies bearer tokens: signature, kind, issuer, tenant, audience, lifetime; remembers what it has verified. */
import { createHash } from "node:crypto";
import { errors, jwtVerify, type JWTVerifyGetKey } from "jose";
import { z } from "zod";
import type { Clock } from "../platform/clock.js";
import { isStorable } from "../platform/storable-text.js";
import { DependencyUnavailableError } from "../platform/dependency-unavailable.js";

export interface VerifiedToken {
  readonly clientId: string;
  /** Of a delegated token: the user, as people write the name. */
  readonly userName: string | undefined;
  readonly roles: readonly string[];
}

export interface TokenVerifier {
  /** Undefined: the token is not valid. Throws only when the keys cannot be had. */
  verify(token: string): Promise<VerifiedToken | undefined>;
}

export interface TokenVerifierSettings {
  readonly issuer: string;
  readonly audience: string;
  /** The directory that a token must come from (`tid`); null where the issuer has none, or one alone. */
  readonly tenant: string | null;
  readonly keys: JWTVerifyGetKey;
  readonly clock: Clock;
}

const tokenCharactersMax = 8_192;
const clientIdCharactersMax = 255;
const clockToleranceSeconds = 10;
const rememberedMax = 10_000;
/** A refused token is refused again for this long without looking at its signature. */
const refusedForMs = 5_000;

/** An access token (`typ`): not what the same issuer signs for other ends, such as logout tokens. */
const accessToken = /^(?:application\/)?(?:at\+)?jwt$/i;

/** An application's id; one that no database can hold is nobody's. */
const clientId = z.string().max(clientIdCharactersMax).refine(isStorable);

const userNameCharactersMax = 255;

/** Whom timelines and the audit name where the platform itself acts. */
const platformNames: readonly string[] = ["systemdaemon", "platformoperator", "platform"];

/** One that is the platform's own, or that no timeline could show is left out: the client's id then stands for the user. */
const userName = z
  .string()
  .max(userNameCharactersMax)
  .regex(/^(?!\s*$)[^\p{C}<>]+$/u)
  .refine((name) => !platformNames.includes(name.trim().toLowerCase()))
  .optional()
  .catch(undefined);

/** Version 1 tokens name the application in `appid`, version 2 tokens in `azp`. */
const claims = z
  .object({
    appid: clientId.optional(),
    azp: clientId.optional(),
    preferred_username: userName,
    roles: z.array(z.string()).default([]),
    tid: z.unknown().optional(),
    exp: z.number(),
  })
  .transform(({ appid, azp, preferred_username, roles, tid, exp }, context) => {
    const application = appid ?? azp;
    if (application === undefined) {
      context.addIssue("names no application");
      return z.NEVER;
    }
    return {
      token: { clientId: application, userName: preferred_username, roles },
      tenant: tid,
      expiresAtMs: (exp + clockToleranceSeconds) * 1000,
    };
  });

interface Remembered {
  readonly token: VerifiedToken | undefined;
  readonly untilMs: number;
}

const unknownKey = [errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys];

/** A key that does not exist refuses the token; keys that cannot be had are an outage. */
const orOutage =
  (keys: JWTVerifyGetKey): JWTVerifyGetKey =>
  async (header, token) => {
    try {
      return await keys(header, token);
    } catch (error) {
      if (unknownKey.some((kind) => error instanceof kind)) throw error;
      if (error instanceof errors.JOSENotSupported) throw error;
      if (error instanceof DependencyUnavailableError) throw error;
      throw new DependencyUnavailableError("the identity provider", error);
    }
  };

export const createTokenVerifier = (settings: TokenVerifierSettings): TokenVerifier => {
  const { issuer, audience, tenant, clock } = settings;
  const keys = orOutage(settings.keys);
  const remembered = new Map<string, Remembered>();

  const check = async (token: string): Promise<Remembered> => {
    const refused = { token: undefined, untilMs: clock.nowMs() + refusedForMs };
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keys, {
        issuer,
        audience,
        algorithms: ["RS256", "ES256"],
        clockTolerance: clockToleranceSeconds,
        requiredClaims: ["exp"],
        currentDate: new Date(clock.nowMs()),
      });
      if (!accessToken.test(protectedHeader.typ ?? "")) return refused;
      const parsed = claims.safeParse(payload);
      if (!parsed.success) return refused;
      if (tenant !== null && parsed.data.tenant !== tenant) return refused;
      return { token: parsed.data.token, untilMs: parsed.data.expiresAtMs };
    } catch (error) {
      if (error instanceof DependencyUnavailableError) throw error;
      return refused;
    }
  };

  return {
    verify: async (token) => {
      if (token.length > tokenCharactersMax) return undefined;
      // The hash is kept and not the token, so that a memory dump holds no live credentials.
      const hash = createHash("sha256").update(token).digest("base64");
      const known = remembered.get(hash);
      if (known !== undefined && clock.nowMs() < known.untilMs) return known.token;
      const checked = await check(token);
      if (remembered.size >= rememberedMax) remembered.clear();
      remembered.set(hash, checked);
      return checked.token;
    },
  };
};
