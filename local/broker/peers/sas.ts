/** Shared access signatures: the tokens by which clients prove that they know the key. */
import { createHmac, timingSafeEqual } from "node:crypto";
import { BrokerError, conditions } from "../errors.js";

export interface SharedKey {
  readonly name: string;
  readonly value: string;
}

/** What a valid token allows, and until when. */
export interface Claim {
  /** Path of an entity in lower case; empty for all of them. */
  readonly path: string;
  readonly expiresAtMs: number;
}

const prefix = "SharedAccessSignature ";
const claimsMax = 10_000;

const unauthorized = (reason: string): BrokerError =>
  new BrokerError(conditions.unauthorized, `Unauthorized access: ${reason}.`);

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw unauthorized("the token is malformed");
  }
};

/** `sb://host:port/some/entity` names the entity; the host is not ours to judge. */
const pathOf = (audience: string): string =>
  audience
    .replace(/^[a-z]+:\/\/[^/]*\/?/i, "")
    .replace(/\?.*$/s, "")
    .replace(/\/+$/, "")
    .toLowerCase();

/** Throws where the signature is not of this key, or not any more. */
export const verifyToken = (token: string, key: SharedKey, nowMs: number): Claim => {
  if (!token.startsWith(prefix)) throw unauthorized("only shared access signatures are taken");
  const fields = new Map(
    token
      .slice(prefix.length)
      .split("&")
      .map((field) => {
        const at = field.indexOf("=");
        return [field.slice(0, at), field.slice(at + 1)] as const;
      }),
  );
  const field = (name: string): string => fields.get(name) ?? "";
  const [resource, signature, expiry] = [field("sr"), field("sig"), field("se")];
  if (decode(field("skn")) !== key.name) throw unauthorized("the key name is not known");
  // The key signs by its text as it is, not by the bytes that its base64 would stand for.
  const expected = createHmac("sha256", key.value).update(`${resource}\n${expiry}`).digest();
  const given = Buffer.from(decode(signature), "base64");
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw unauthorized("the signature is wrong");
  const expiresAtMs = Number(expiry) * 1000;
  if (!(expiresAtMs > nowMs)) throw unauthorized("the token has expired");
  return { path: pathOf(decode(resource)), expiresAtMs };
};

/** What one connection has proved so far. */
export class Claims {
  readonly #expiryByPath = new Map<string, number>();
  readonly #onFirst: () => void;

  constructor(onFirst: () => void) {
    this.#onFirst = onFirst;
  }

  add({ path, expiresAtMs }: Claim): void {
    if (this.#expiryByPath.size >= claimsMax && !this.#expiryByPath.has(path))
      throw new BrokerError(
        conditions.resourceLimitExceeded,
        `A connection holds tokens for ${claimsMax} paths at most.`,
      );
    if (this.#expiryByPath.size === 0) this.#onFirst();
    this.#expiryByPath.set(path, expiresAtMs);
  }

  /** A claim on a path holds for everything below it. */
  require(address: string, nowMs: number): void {
    const path = pathOf(address);
    for (const [claimed, expiresAtMs] of this.#expiryByPath)
      if (expiresAtMs > nowMs && (claimed === "" || `${path}/`.startsWith(`${claimed}/`))) return;
    throw unauthorized(`no valid token for '${address}' was presented`);
  }
}
