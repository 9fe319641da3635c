/** Shared access signatures: the tokens by which clients prove that they know a key. */
import { createHmac, timingSafeEqual } from "node:crypto";
import { BrokerError, conditions } from "../errors.js";
import { pathLengthMax, pathOf } from "./access-rules.js";
import type { KeyRing, SigningKey } from "./key-ring.js";

/** What a valid token is for, and until when. */
export interface Claim {
  /** Path of an entity in lower case; empty for all of them. */
  readonly path: string;
  readonly key: SigningKey;
  readonly expiresAtMs: number;
}

const prefix = "SharedAccessSignature ";
/** What a name that no key has is compared with: that there is none takes as long as a wrong signature. */
const noKey: SigningKey = { scope: "", name: "", value: "" };

const unauthorized = (reason: string): BrokerError =>
  new BrokerError(conditions.unauthorized, `Unauthorized access: ${reason}.`);

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw unauthorized("the token is malformed");
  }
};

/** The key signs by its text as it is, not by the bytes that its base64 would stand for. */
const isSignedBy = (signed: string, signature: Buffer, { value }: SigningKey): boolean => {
  const expected = createHmac("sha256", value).update(signed).digest();
  return signature.length === expected.length && timingSafeEqual(signature, expected);
};

/** Throws where the signature is of no key that may sign for the path, or not any more. */
export const verifyToken = (token: string, ring: KeyRing, nowMs: number): Claim => {
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
  const [resource, expiry] = [field("sr"), field("se")];
  const signature = Buffer.from(decode(field("sig")), "base64");
  const path = pathOf(decode(resource));
  if (path.length > pathLengthMax) throw unauthorized("the token names no address");
  const keys = ring.keysFor(path, decode(field("skn")));
  const signed = `${resource}\n${expiry}`;
  const key = (keys.length === 0 ? [noKey] : keys).find((each) =>
    isSignedBy(signed, signature, each),
  );
  // Whether it is the name that is wrong, the key or the entity is nobody's business.
  if (key === undefined || key === noKey) throw unauthorized("the signature is wrong");
  const expiresAtMs = Number(expiry) * 1000;
  if (!(expiresAtMs > nowMs)) throw unauthorized("the token has expired");
  return { path, key, expiresAtMs };
};
