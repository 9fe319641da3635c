/** What the links of one connection were opened for: they end when its tokens allow that no more. */
import { accessDenied, Claims } from "../access/claims.js";
import type { Right } from "../access/access-rules.js";
import type { KeyRing } from "../access/key-ring.js";
import { verifyToken } from "../access/signatures.js";
import { DueTimer } from "../entities/due-timer.js";
import type { BrokerError } from "../errors.js";
import type { Link } from "../wire/rhea.js";

interface Need {
  readonly address: string;
  readonly right: Right | "any";
}

export interface LinkAccessParts {
  readonly keys: KeyRing;
  /** Called for each valid token. */
  readonly onAuthorized: () => void;
  /** Ends a link for which there is no token any more. */
  readonly end: (link: Link, error: BrokerError) => void;
  readonly report: (error: unknown) => void;
}

/** Tokens that end one after the other are looked at together. */
const lookEveryMs = 100;

export class LinkAccess {
  readonly #parts: LinkAccessParts;
  readonly #claims: Claims;
  readonly #needs = new Map<Link, Need>();
  /** Its time is when the next token ends. */
  readonly #timer: DueTimer;

  constructor(parts: LinkAccessParts) {
    this.#parts = parts;
    this.#claims = new Claims(parts.keys);
    this.#timer = new DueTimer({
      everyMs: lookEveryMs,
      report: parts.report,
      work: async () => {
        this.check();
        return this.#claims.nextEndMs(Date.now());
      },
    });
  }

  /** Throws where the token is not valid. */
  takeToken(token: string): void {
    const nowMs = Date.now();
    const claim = verifyToken(token, this.#parts.keys, nowMs);
    this.#claims.add(claim, nowMs);
    this.#timer.wake(claim.expiresAtMs);
    this.#parts.onAuthorized();
  }

  /** Throws where no token gives this right, or any one, to what is at the address. */
  require(address: string, right: Right | "any"): void {
    this.#claims.require(address, right, Date.now());
  }

  /** As `require`, not once but for as long as the link is open. */
  open(link: Link, address: string, right: Right | "any"): void {
    this.require(address, right);
    this.#needs.set(link, { address, right });
  }

  closed(link: Link): void {
    this.#needs.delete(link);
  }

  closeAll(isGone: (link: Link) => boolean): void {
    for (const link of [...this.#needs.keys()].filter(isGone)) this.#needs.delete(link);
  }

  /** A token has ended, or a key was taken away. */
  check(): void {
    const nowMs = Date.now();
    for (const [link, { address, right }] of [...this.#needs])
      if (!this.#claims.allows(address, right, nowMs))
        this.#parts.end(link, accessDenied(address, right));
  }

  async stop(): Promise<void> {
    this.#needs.clear();
    await this.#timer.stop();
  }
}
