/** Client secrets and AuthKeys: made, hashed, and compared in constant time. */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/**
 * Salted SHA-256. Both secrets are random and long, handed out by the platform's administrators and
 * never chosen by people, so a slow password hash would only slow down every call.
 */
export const hashSecret = (secret: string, salt: Uint8Array): Buffer =>
  createHmac("sha256", salt).update(secret, "utf8").digest();

export const secretMatches = (presented: string, salt: Uint8Array, hash: Uint8Array): boolean => {
  const computed = hashSecret(presented, salt);
  return computed.length === hash.length && timingSafeEqual(computed, hash);
};

/** A secret as it is kept. */
export interface HashedSecret {
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/** 256 random bits, as letters and digits that need no quoting anywhere. */
export const newSecret = (): string => randomBytes(32).toString("base64url");

export const hashedSecret = (secret: string): HashedSecret => {
  const salt = randomBytes(16);
  return { salt, hash: hashSecret(secret, salt) };
};
