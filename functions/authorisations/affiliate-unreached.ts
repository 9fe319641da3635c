/** Nobody has answered for an affiliate: it was not reached, and has no stand-in. */
import { DependencyUnavailableError } from "../../shared/platform/dependency-unavailable.js";

/** Nothing is kept as answered: the same may be asked for again. */
export class AffiliateUnreachedError extends DependencyUnavailableError {
  constructor() {
    super("the affiliate");
  }
}
