/** Function keys: who may call a function, by its `authLevel`. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

export interface FunctionKeys {
  readonly functionKey: string;
  readonly masterKey: string;
}

export type AuthLevel = "anonymous" | "function" | "admin";

/** The keys of a local host are no secret; settings may name others. */
export const functionKeys = (settings: Readonly<Record<string, string>>): FunctionKeys => ({
  functionKey: settings["LOCAL_FUNCTION_KEY"] ?? "local-function-key",
  masterKey: settings["LOCAL_MASTER_KEY"] ?? "local-master-key",
});

export const authLevelOf = (option: unknown): AuthLevel => {
  const level = typeof option === "string" ? option.toLowerCase() : "anonymous";
  return level === "anonymous" || level === "function" ? level : "admin";
};

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
const sameKey = (given: string, key: string): boolean =>
  timingSafeEqual(digest(given), digest(key));

/** The key that a request brings, by header or by query. */
export const keyOf = (incoming: IncomingMessage): string | undefined => {
  const header = incoming.headers["x-functions-key"];
  if (typeof header === "string") return header;
  const query = (incoming.url ?? "").split("?", 2)[1];
  return new URLSearchParams(query).get("code") ?? undefined;
};

export const isAllowed = (
  incoming: IncomingMessage,
  level: AuthLevel,
  keys: FunctionKeys,
): boolean => {
  if (level === "anonymous") return true;
  const key = keyOf(incoming);
  if (key === undefined) return false;
  return sameKey(key, keys.masterKey) || (level === "function" && sameKey(key, keys.functionKey));
};
