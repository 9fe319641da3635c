/** The sandbox's identity provider: client credentials in, a signed token out, OAuth's own errors. */
import type { HttpRequest } from "@azure/functions";
import type { z } from "zod";
import type { Route } from "../../shared/contracts/route.js";
import {
  getEntraConfigurationRoute,
  getOpenIdConfigurationRoute,
  getSigningKeysRoute,
  issueTokenRoute,
  type oauthErrors,
  type OpenIdConfiguration,
} from "../../shared/contracts/sandbox/identity.js";
import { BodyCutError, readBounded } from "../../shared/http/bounded-body.js";
import { fullPath } from "../../shared/http/paths.js";
import { isStorable } from "../../shared/platform/storable-text.js";
import { pathReader } from "../../shared/http/text-parameters.js";
import { tokenClaims, tokenLifetimeSeconds } from "../../shared/identity/sandbox-identity.js";
import { sandboxTenant } from "../../shared/platform/config.js";
import { secretMatches } from "../../shared/platform/secrets.js";
import { openEndpoint, type Endpoint } from "../kit/endpoint.js";
import type { Reply } from "../kit/reply.js";
import type { Services } from "../kit/services.js";

const formBytesMax = 16 * 1024;
const formSentence = `The body must be application/x-www-form-urlencoded, whole, and of at most ${formBytesMax} bytes.`;

type OAuthError = (typeof oauthErrors)[number];

const oauthRefusal = (error: OAuthError, description: string): Reply => ({
  status: error === "invalid_client" ? 401 : 400,
  errorCode: error,
  headers: {
    "Content-Type": "application/json",
    ...(error === "invalid_client" ? { "WWW-Authenticate": "Basic" } : {}),
  },
  body: JSON.stringify({ error, error_description: description }),
});

const formType = /^application\/x-www-form-urlencoded\s*(;|$)/i;

/** A caller that went away is no failure of ours. */
const noneIfCut = (error: unknown): undefined => {
  if (!(error instanceof BodyCutError)) throw error;
};

const readForm = async (request: HttpRequest): Promise<URLSearchParams | undefined> => {
  if (!formType.test(request.headers.get("content-type") ?? "")) return undefined;
  const bytes = await readBounded(request, formBytesMax).catch(noneIfCut);
  return bytes === undefined ? undefined : new URLSearchParams(Buffer.from(bytes).toString("utf8"));
};

interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

const basic = /^Basic ([A-Za-z0-9+/]+=*)$/i;

/** Client id and secret: form fields as the seeds show, or the Basic header that OAuth also allows. */
const credentialsOf = (request: HttpRequest, form: URLSearchParams): Credentials | undefined => {
  const clientId = form.get("client_id");
  const clientSecret = form.get("client_secret");
  if (clientId !== null && clientSecret !== null) return { clientId, clientSecret };
  const encoded = basic.exec(request.headers.get("authorization") ?? "")?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon === -1
    ? undefined
    : { clientId: text.slice(0, colon), clientSecret: text.slice(colon + 1) };
};

const scopeOf = (audience: string): string => `${audience}/.default`;

const fields = ["grant_type", "client_id", "client_secret", "scope"] as const;

const grant = async (
  services: Services,
  request: HttpRequest,
  form: URLSearchParams,
): Promise<Reply> => {
  const repeated = fields.find((name) => form.getAll(name).length > 1);
  if (repeated !== undefined)
    return oauthRefusal("invalid_request", `The field ${repeated} must be given once.`);
  const grantType = form.get("grant_type");
  if (grantType === null)
    return oauthRefusal("invalid_request", "The field grant_type is missing.");
  if (grantType !== "client_credentials")
    return oauthRefusal("unsupported_grant_type", "grant_type must be client_credentials.");
  const credentials = credentialsOf(request, form);
  if (credentials === undefined)
    return oauthRefusal("invalid_request", "The fields client_id and client_secret are required.");
  const scope = scopeOf(services.config.identity.audience);
  if (form.get("scope") !== scope) return oauthRefusal("invalid_scope", `scope must be ${scope}.`);

  const { clientId, clientSecret } = credentials;
  const partner = isStorable(clientId) ? await services.partners.byClient(clientId) : undefined;
  const { sandboxIdentity } = services;
  if (
    sandboxIdentity === null ||
    partner === undefined ||
    partner.clientSecretSalt === null ||
    partner.clientSecretHash === null ||
    !secretMatches(clientSecret, partner.clientSecretSalt, partner.clientSecretHash)
  )
    return oauthRefusal("invalid_client", "client_id or client_secret is wrong.");
  const token = await sandboxIdentity.issue(partner);
  return {
    status: 200,
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      token_type: "Bearer",
      expires_in: tokenLifetimeSeconds,
      ext_expires_in: tokenLifetimeSeconds,
      access_token: token,
    }),
  };
};

const tenantOfToken = pathReader(fullPath(issueTokenRoute));
const tenantOfKeys = pathReader(fullPath(getSigningKeysRoute));

const unknownTenant = (): Reply =>
  oauthRefusal("invalid_request", `The tenant is not known: it is ${sandboxTenant}.`);

const issueToken = openEndpoint(issueTokenRoute, async (services, request) => {
  if (tenantOfToken(request.url)["tenant"] !== sandboxTenant) return unknownTenant();
  const form = await readForm(request);
  return form === undefined
    ? oauthRefusal("invalid_request", formSentence)
    : grant(services, request, form);
});

const getSigningKeys = openEndpoint(getSigningKeysRoute, async (services, request) => {
  if (tenantOfKeys(request.url)["tenant"] !== sandboxTenant) return unknownTenant();
  const keys = (await services.sandboxIdentity?.publicKeys()) ?? { keys: [] };
  return {
    status: 200,
    headers: { "Content-Type": "application/json", "Cache-Control": "public, max-age=300" },
    body: JSON.stringify(keys),
  };
});

/** Absolute, as discovery demands: what lies below the issuer. */
const configurationOf = (
  issuer: string,
  audience: string,
): z.output<typeof OpenIdConfiguration> => ({
  issuer,
  token_endpoint: `${issuer}/oauth2/v2.0/token`,
  jwks_uri: `${issuer}/discovery/v2.0/keys`,
  grant_types_supported: ["client_credentials"],
  token_endpoint_auth_methods_supported: ["client_secret_post", "client_secret_basic"],
  scopes_supported: [scopeOf(audience)],
  response_types_supported: [],
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: ["ES256"],
  claims_supported: [...tokenClaims],
});

const discoveryEndpoint = (route: Route): Endpoint => {
  const tenantOf = pathReader(fullPath(route));
  return openEndpoint(route, async (services, request): Promise<Reply> => {
    if (tenantOf(request.url)["tenant"] !== sandboxTenant) return unknownTenant();
    if (services.sandboxIdentity === null)
      return oauthRefusal("invalid_request", "Another identity provider issues the tokens here.");
    const { issuer, audience } = services.config.identity;
    return {
      status: 200,
      headers: { "Content-Type": "application/json", "Cache-Control": "public, max-age=300" },
      body: JSON.stringify(configurationOf(issuer, audience)),
    };
  });
};

export const identityEndpoints = [
  issueToken,
  getSigningKeys,
  discoveryEndpoint(getOpenIdConfigurationRoute),
  discoveryEndpoint(getEntraConfigurationRoute),
] as const;
