/** The host's keys: who may call a function, by its `authLevel`, the administration and the durable API. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isProduction, keyNamed } from "../../keys.js";

export interface FunctionKeys {
  readonly functionKey: string;
  readonly masterKey: string;
  /** Of the durable API. */
  readonly durableKey: string;
  /** Whether the clock asks for the master key; elsewhere it is moved by whoever is on this machine. */
  readonly clockNeedsKey: boolean;
}

export type AuthLevel = "anonymous" | "function" | "admin";

/** The keys of a local host are no secret outside production; settings may name others. */
export const functionKeys = (settings: Readonly<Record<string, string>>): FunctionKeys => ({
  functionKey: keyNamed(settings, "LOCAL_FUNCTION_KEY"),
  masterKey: keyNamed(settings, "LOCAL_MASTER_KEY"),
  durableKey: keyNamed(settings, "LOCAL_DURABLE_KEY"),
  clockNeedsKey: isProduction(settings),
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
