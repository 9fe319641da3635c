/** How a caller proves who it is, in OpenAPI's words. */
import type { Api } from "../../contracts/route.js";
import { accessOf } from "../access.js";
import type { Json } from "../json-schemas.js";

export type DocumentedApi = Exclude<Api, "platform">;

export interface OpenApiSettings {
  readonly version: string;
  /** Where a client gets its token; null where that is the administrators' to say. */
  readonly tokenPath: string | null;
  readonly scope: string;
}

const partnerHeader = (api: DocumentedApi): string => accessOf[api].partnerHeaders[0] ?? "Partner";

/** All of them together. */
export const securityRequirement = (api: DocumentedApi): Json => ({
  token: [],
  ...(accessOf[api].authKey ? { authKey: [] } : {}),
  ...(accessOf[api].partnerRequired ? { partner: [] } : {}),
});

/** The ticketing API's document declares a flow for users, too (ticketing seed, 5). */
const userFlow = (api: DocumentedApi, tokenPath: string): Json =>
  api === "ticketing"
    ? {
        authorizationCode: {
          authorizationUrl: tokenPath.replace(/token$/, "authorize"),
          tokenUrl: tokenPath,
          scopes: { user_impersonation: "What the user may do, in the user's name." },
        },
      }
    : {};

const tokenScheme = (api: DocumentedApi, { tokenPath, scope }: OpenApiSettings): Json =>
  tokenPath === null
    ? {
        type: "http",
        scheme: "bearer",
        bearerFormat: "JWT",
        description: "A token of the identity provider that the administrators name.",
      }
    : {
        type: "oauth2",
        description:
          "Outside production the sandbox issues the tokens; it has clients and no users, so that it " +
          "answers client credentials alone.",
        flows: {
          clientCredentials: {
            tokenUrl: tokenPath,
            scopes: { [scope]: "Everything that the client's partner may do." },
          },
          ...userFlow(api, tokenPath),
        },
      };

export const securitySchemes = (api: DocumentedApi, settings: OpenApiSettings): Json => ({
  token: tokenScheme(api, settings),
  ...(accessOf[api].authKey
    ? {
        authKey: {
          type: "apiKey",
          in: "header",
          name: "AuthKey",
          description: "The partner's own key, beside its token.",
        },
      }
    : {}),
  ...(accessOf[api].partnerRequired
    ? {
        partner: {
          type: "apiKey",
          in: "header",
          name: partnerHeader(api),
          description: "The partner's name: the one that the token is about.",
        },
      }
    : {}),
});
