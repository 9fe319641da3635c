/** The keys that sign tokens: those of the namespace, which hold everywhere, and those of its entities. */
import { scopeOf, type AccessRule, type EntityAccess, type Right } from "./access-rules.js";

/** A key as a token was signed by it. What it allows is asked each time: it may have been taken away. */
export interface SigningKey {
  /** Of the entity in lower case; empty for the namespace. */
  readonly scope: string;
  readonly name: string;
  readonly value: string;
}

const namespaceScope = "";

export class KeyRing {
  readonly #rules = new Map<string, readonly AccessRule[]>();

  constructor(namespaceRules: readonly AccessRule[]) {
    this.#rules.set(namespaceScope, namespaceRules);
  }

  set({ path, rules }: EntityAccess): void {
    this.#rules.set(path.toLowerCase(), rules);
  }

  remove(path: string): void {
    this.#rules.delete(path.toLowerCase());
  }

  /** All keys of this name that may sign for a path. */
  keysFor(path: string, name: string): SigningKey[] {
    const scopes = new Set([namespaceScope, scopeOf(path)]);
    return [...scopes].flatMap((scope) =>
      this.#named(scope, name).flatMap(({ primaryKey, secondaryKey }) =>
        [primaryKey, secondaryKey].map((value) => ({ scope, name, value })),
      ),
    );
  }

  /** Whether a token by this key gives a right, or any one, to the path. */
  allows({ scope, name, value }: SigningKey, path: string, right: Right | "any"): boolean {
    if (scope !== namespaceScope && scope !== scopeOf(path)) return false;
    return this.#named(scope, name).some(
      ({ primaryKey, secondaryKey, rights }) =>
        [primaryKey, secondaryKey].includes(value) && (right === "any" || rights.includes(right)),
    );
  }

  #named(scope: string, name: string): AccessRule[] {
    return (this.#rules.get(scope) ?? []).filter((rule) => rule.name === name);
  }
}
