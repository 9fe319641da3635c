/** What one connection has proved so far, by the tokens that it has presented. */
import { BrokerError, conditions } from "../errors.js";
import { pathLengthMax, pathOf, type Right } from "./access-rules.js";
import type { KeyRing } from "./key-ring.js";
import type { Claim } from "./signatures.js";

const claimsMax = 10_000;

/** A path and all that it lies below, the namespace at last; without those too long for a claim. */
const upwards = function* (path: string): Generator<string> {
  const first = path.length > pathLengthMax ? path.lastIndexOf("/", pathLengthMax) : path.length;
  for (let at = first; at > 0; at = path.lastIndexOf("/", at - 1)) yield path.slice(0, at);
  yield "";
};

export class Claims {
  readonly #ring: KeyRing;
  readonly #claims = new Map<string, Claim>();

  constructor(ring: KeyRing) {
    this.#ring = ring;
  }

  /** Takes the place of an earlier claim on the same path. */
  add(claim: Claim, nowMs: number): void {
    const { path } = claim;
    if (this.#claims.size >= claimsMax && !this.#claims.has(path)) this.#forgetExpired(nowMs);
    if (this.#claims.size >= claimsMax && !this.#claims.has(path))
      throw new BrokerError(
        conditions.resourceLimitExceeded,
        `A connection holds tokens for ${claimsMax} paths at most.`,
      );
    this.#claims.set(path, claim);
  }

  /** A claim on a path holds for what lies below it, as far as its key is for that, too. */
  allows(address: string, right: Right | "any", nowMs: number): boolean {
    const path = pathOf(address);
    for (const above of upwards(path)) {
      const claim = this.#claims.get(above);
      if (claim === undefined || claim.expiresAtMs <= nowMs) continue;
      if (this.#ring.allows(claim.key, path, right)) return true;
    }
    return false;
  }

  /** Throws the same sentence whatever is missing, and whether there is such an entity or not. */
  require(address: string, right: Right | "any", nowMs: number): void {
    if (!this.allows(address, right, nowMs)) throw accessDenied(address, right);
  }

  /** When the next of the claims ends that hold now; Infinity where there is none. */
  nextEndMs(nowMs: number): number {
    let nextMs = Infinity;
    for (const { expiresAtMs } of this.#claims.values())
      if (expiresAtMs > nowMs && expiresAtMs < nextMs) nextMs = expiresAtMs;
    return nextMs;
  }

  #forgetExpired(nowMs: number): void {
    for (const [path, { expiresAtMs }] of this.#claims)
      if (expiresAtMs <= nowMs) this.#claims.delete(path);
  }
}

/** In the service's own words where one right is missing. */
export const accessDenied = (address: string, right: Right | "any"): BrokerError =>
  new BrokerError(
    conditions.unauthorized,
    `Unauthorized access. ${right === "any" ? "A valid token is" : `'${right}' claim(s) are`} ` +
      `required to perform this operation. Resource: '${address}'.`,
  );
