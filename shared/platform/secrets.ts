/** Hashes of client secrets and AuthKeys, and their comparison in constant time. */
import { createHmac, timingSafeEqual } from "node:crypto";

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
