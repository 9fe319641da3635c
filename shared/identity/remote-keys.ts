/** The identity provider's verification keys, fetched when needed and kept for a while. */
import { createRemoteJWKSet, type JWTVerifyGetKey } from "jose";

export const remoteKeys = (jwksUrl: string): JWTVerifyGetKey =>
  createRemoteJWKSet(new URL(jwksUrl), { timeoutDuration: 5_000, cooldownDuration: 30_000 });
