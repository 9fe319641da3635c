/** Talks to a running platform as partners do, and as those who would like to be one. */
import { importJWK, SignJWT } from "jose";
import { z } from "zod";
import { operatorRoles } from "../../../shared/contracts/roles.js";
import { isBinaryBody, type Route } from "../../../shared/contracts/route.js";
import { openDatabase } from "../../../shared/database/platform/database.js";
import type { Database } from "../../../shared/database/platform/database.js";
import { sandboxPartners } from "../../../shared/database/sandbox/partners.js";
import { sandboxSigningKey } from "../../../shared/database/sandbox/kept-keys.js";
import { accessOf } from "../../../shared/http/access.js";
import { client, type CallResult, type Client } from "../../../shared/http/client.js";
import { fullPath } from "../../../shared/http/paths.js";
import { createLogger } from "../../../shared/platform/logger.js";
import { propertyFaults } from "./refusal-properties.js";
import type { TestStack } from "./stack.js";

export const partnerNamed = (partnerKey: string) => {
  const partner = sandboxPartners.find((known) => known.partnerKey === partnerKey);
  if (partner === undefined) throw new Error(`no sandbox partner ${partnerKey}`);
  return partner;
};

/** The typed client with a partner's own credentials. */
export const clientOf = (stack: TestStack, partnerKey: string): Client =>
  client(stack.url, partnerNamed(partnerKey));

/** The value of a success; a refusal is the test's failure. */
export const valueOf = <Value>(result: CallResult<Value>): Value => {
  if (result.ok) return result.value;
  throw new Error(`${result.status} ${JSON.stringify(result.error)}`);
};

export const openStackDatabase = (stack: TestStack): Database =>
  openDatabase({
    connection: { kind: "url", url: stack.databaseUrl },
    logger: createLogger("error", () => undefined),
    poolSize: 2,
  });

export type Claims = Readonly<Record<string, unknown>>;

/** Signs whatever claims with the sandbox's true key: sound tokens with one thing wrong. */
export const trueSigner = async (
  stack: TestStack,
  database: Database,
): Promise<(change: Claims) => Promise<string>> => {
  const jwk = await sandboxSigningKey(database, () => Promise.reject(new Error("no key yet")));
  const key = await importJWK(jwk, "ES256");
  const kid = z.string().parse(jwk["kid"]);
  return (change) => {
    const now = Math.floor(Date.now() / 1000);
    const sound = {
      iss: `${stack.url}/sandbox/identity/local`,
      aud: "api://borsello",
      appid: "acme-client",
      tid: "local",
      roles: partnerNamed("acme").roles,
      ...{ iat: now, nbf: now, exp: now + 600 },
    };
    return new SignJWT({ ...sound, ...change })
      .setProtectedHeader({ alg: "ES256", typ: "JWT", kid })
      .sign(key);
  };
};

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Rejects what no client expects: a refusal whose properties are not those that its code declares. */
export const send = async (
  stack: TestStack,
  path: string,
  init: RequestInit & { readonly duplex?: "half" } = {},
): Promise<Answer> => {
  const answer = await fetch(new URL(path, stack.url), { redirect: "manual", ...init });
  const text = await answer.text();
  const isJson = answer.headers.get("content-type")?.startsWith("application/json") === true;
  const body = isJson ? (JSON.parse(text) as unknown) : text;
  const faults = answer.status < 400 ? [] : propertyFaults(body);
  if (faults.length > 0) throw new Error(faults.join("\n"));
  return { status: answer.status, headers: answer.headers, body };
};

const anyId = "01890a5d-ac96-774b-bcce-b302099a8057";

/** An address of the route; every parameter is the same well-formed identifier unless given. */
export const addressOf = (route: Route, params: Readonly<Record<string, string>> = {}): string =>
  `/${fullPath(route)}`.replace(/\{(\w+)\}/g, (_match, name: string) => params[name] ?? anyId);

/** The same with a word for each enumeration in the query that must be given. */
export const soundAddressOf = (route: Route): string => {
  const words = Object.entries(route.query ?? {}).flatMap(([name, schema]) =>
    schema instanceof z.ZodEnum ? [`${name}=${String(schema.options[0])}`] : [],
  );
  return words.length === 0 ? addressOf(route) : `${addressOf(route)}?${words.join("&")}`;
};

/** Who makes a sound call: acme, but for what the platform's own operators alone may do. */
export const callerOf = ({ role }: Pick<Route, "role">): "acme" | "platform" =>
  role !== null && operatorRoles.includes(role) ? "platform" : "acme";

/** The headers of a sound call, with the caller's token. */
export const headersOf = (route: Route, token: string): Record<string, string> => ({
  authorization: `Bearer ${token}`,
  ...(accessOf[route.api].authKey ? { authkey: partnerNamed(callerOf(route)).authKey } : {}),
  [(accessOf[route.api].partnerHeaders[0] ?? "Partner").toLowerCase()]: callerOf(route),
  ...(route.body === undefined || isBinaryBody(route.body)
    ? {}
    : { "content-type": "application/json" }),
});
