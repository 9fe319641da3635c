/** The sandbox's identity provider: tokens, verification keys and their addresses, as Entra ID words them. */
import { z } from "zod";
import { route, type StandardRefusal } from "../route.js";

const tenant = {
  tenant: z.string().min(1).max(64).describe("The sandbox's directory: `local`, and no other."),
};

export const TokenForm = z
  .object({
    grant_type: z.literal("client_credentials"),
    client_id: z.string().max(255).describe("The partner's client id."),
    client_secret: z.string().max(255).describe("The client's secret."),
    scope: z.string().max(255).describe("The platform's audience, with `/.default` after it."),
  })
  .meta({ id: "TokenRequest" });

export const TokenAnswer = z
  .object({
    token_type: z.literal("Bearer"),
    expires_in: z.int32().describe("Seconds that the token is valid for."),
    ext_expires_in: z.int32().describe("The same, as Entra ID says it once more."),
    access_token: z.string().describe("For the header `Authorization: Bearer …`."),
  })
  .meta({ id: "Token" });

export const oauthErrors = [
  "invalid_request",
  "unsupported_grant_type",
  "invalid_scope",
  "invalid_client",
] as const;

export const OAuthError = z
  .object({
    error: z.enum(oauthErrors),
    error_description: z.string().describe("A sentence that says what to change."),
  })
  .meta({ id: "OAuthError" });

const unknownTenant: StandardRefusal = {
  status: 400,
  schema: OAuthError,
  description: "`invalid_request`: The tenant is not known.",
  example: {
    error: "invalid_request",
    error_description: "The tenant is not known: it is local.",
  },
};

export const issueTokenRoute = route({
  id: "issueToken",
  api: "sandbox",
  method: "POST",
  path: "identity/{tenant}/oauth2/v2.0/token",
  params: tenant,
  form: TokenForm,
  role: null,
  ok: { status: 200, schema: TokenAnswer },
  errors: [],
  standardRefusals: [
    {
      ...unknownTenant,
      description:
        "`invalid_request`: The tenant is not known, or the form lacks a field.\n\n" +
        "`unsupported_grant_type`: Clients get tokens by their credentials alone.\n\n" +
        "`invalid_scope`: The scope is not the platform's.",
    },
    {
      status: 401,
      schema: OAuthError,
      description: "`invalid_client`: The client is not known, or its secret is wrong.",
      example: {
        error: "invalid_client",
        error_description: "client_id or client_secret is wrong.",
      },
    },
  ],
  summary: "A token for a client: the OAuth 2.0 client_credentials grant",
  result: "The token, valid for an hour less a second.",
  description:
    "Client id and secret are form fields, or stand in the header `Authorization: Basic …` instead. " +
    "Refusals are OAuth error bodies.",
});

export const JsonWebKeys = z
  .object({
    keys: z.array(
      z.object({
        kty: z.literal("EC"),
        crv: z.literal("P-256"),
        kid: z.string().describe("The key's name, which the headers of its tokens give."),
        x: z.string(),
        y: z.string(),
        use: z.literal("sig"),
        alg: z.literal("ES256"),
      }),
    ),
  })
  .meta({ id: "JsonWebKeys" });

export const getSigningKeysRoute = route({
  id: "getSigningKeys",
  api: "sandbox",
  method: "GET",
  path: "identity/{tenant}/discovery/v2.0/keys",
  params: tenant,
  role: null,
  ok: { status: 200, schema: JsonWebKeys },
  errors: [],
  standardRefusals: [unknownTenant],
  summary: "The public keys that verify the sandbox's tokens",
  description: "As a JSON Web Key Set (RFC 7517).",
  result: "The keys; a token's header names the one that it is signed by.",
});

const address = z.string();

/** What OpenID Connect Discovery 1.0 and RFC 8414 require, and what a client of the sandbox may use. */
export const OpenIdConfiguration = z
  .object({
    issuer: address.describe("What tokens have as `iss`."),
    token_endpoint: address,
    jwks_uri: address,
    grant_types_supported: z.array(z.literal("client_credentials")),
    token_endpoint_auth_methods_supported: z.array(
      z.enum(["client_secret_post", "client_secret_basic"]),
    ),
    scopes_supported: z.array(z.string()),
    response_types_supported: z
      .array(z.string())
      .max(0)
      .describe("None: there are no users, so no page where they would sign in."),
    subject_types_supported: z.array(z.literal("public")),
    id_token_signing_alg_values_supported: z
      .array(z.literal("ES256"))
      .describe("What the access tokens are signed by; identity tokens are not issued."),
    claims_supported: z.array(z.string()),
  })
  .meta({ id: "OpenIdConfiguration" });

const discovery = {
  api: "sandbox",
  method: "GET",
  params: tenant,
  role: null,
  ok: { status: 200, schema: OpenIdConfiguration },
  errors: [],
  standardRefusals: [unknownTenant],
} as const;

export const getOpenIdConfigurationRoute = route({
  ...discovery,
  id: "getOpenIdConfiguration",
  path: "identity/{tenant}/.well-known/openid-configuration",
  summary: "The addresses of the sandbox's identity provider",
  result: "The addresses and what may be asked of them.",
  description: "Below the issuer, where OpenID Connect Discovery looks.",
});

export const getEntraConfigurationRoute = route({
  ...discovery,
  id: "getEntraOpenIdConfiguration",
  path: "identity/{tenant}/v2.0/.well-known/openid-configuration",
  summary: "The same addresses, where Entra ID has them",
  result: "The addresses and what may be asked of them.",
  description: "For tools that are set up by Entra's form of the address; the issuer is the same.",
});
