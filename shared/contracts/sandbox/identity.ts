/** The sandbox's identity provider: tokens and verification keys, as Entra ID words them. */
import { z } from "zod";
import { route } from "../route.js";

const tenant = { tenant: z.string().min(1).max(64) };

export const TokenAnswer = z.object({
  token_type: z.literal("Bearer"),
  expires_in: z.int(),
  ext_expires_in: z.int(),
  access_token: z.string(),
});

export const issueTokenRoute = route({
  id: "issueToken",
  api: "sandbox",
  method: "POST",
  path: "identity/{tenant}/oauth2/v2.0/token",
  params: tenant,
  role: null,
  ok: { status: 200, schema: TokenAnswer },
  errors: [],
  summary: "A token for a client: the OAuth 2.0 client_credentials grant",
  description:
    "Form fields `grant_type`, `client_id`, `client_secret`, `scope`. Refusals are OAuth error bodies.",
});

export const JsonWebKeys = z.object({
  keys: z.array(
    z.object({
      kty: z.literal("EC"),
      crv: z.literal("P-256"),
      kid: z.string(),
      x: z.string(),
      y: z.string(),
      use: z.literal("sig"),
      alg: z.literal("ES256"),
    }),
  ),
});

export const getSigningKeysRoute = route({
  id: "getSigningKeys",
  api: "sandbox",
  method: "GET",
  path: "identity/{tenant}/discovery/v2.0/keys",
  params: tenant,
  role: null,
  ok: { status: 200, schema: JsonWebKeys },
  errors: [],
  summary: "The public keys that verify the sandbox's tokens",
});
