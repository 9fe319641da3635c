/** By what the platform proves itself to an affiliate: nothing, a key in a header, or a bearer token. */
import type { O2iAuth } from "../contracts/platform/o2i-settings.js";
import { tokenSource } from "./access-token.js";
import type { Connections } from "./connections.js";

type Headers = Readonly<Record<string, string>>;

export interface Authorization {
  /** Rejects where there is no secret, or no token to be had. */
  readonly headers: () => Promise<Headers>;
  /** The affiliate did not take them. */
  readonly refused: () => void;
}

export interface AuthorizationMeans {
  readonly connections: Connections;
  /** A secret by the name of its setting. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly nowMs: () => number;
}

const nobody: Authorization = { headers: () => Promise.resolve({}), refused: () => undefined };

const failing = (sentence: string): Authorization => ({
  headers: () => Promise.reject(new Error(sentence)),
  refused: () => undefined,
});

export const authorizationOf = (
  auth: O2iAuth,
  { connections, secrets, nowMs }: AuthorizationMeans,
): Authorization => {
  if (auth.kind === "none") return nobody;
  const secret = secrets.get(auth.secretSetting);
  if (secret === undefined) return failing(`the setting ${auth.secretSetting} is missing`);
  if (auth.kind === "key")
    return { ...nobody, headers: () => Promise.resolve({ [auth.header]: secret }) };
  const { clientId, scope } = auth;
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  const url = new URL(auth.tokenUrl);
  const tokens = tokenSource(
    { clientId, secret, scope },
    (body) => connections.post({ url, headers, body }),
    nowMs,
  );
  return {
    headers: async () => ({ Authorization: `Bearer ${await tokens.get()}` }),
    refused: tokens.forget,
  };
};
