/** Subscription rules: what they say, as configured and stored, and whether a message matches. */
import { z } from "zod";
import { fieldsOf, type FieldValue, type MessageFields } from "./fields.js";
import { parseSqlFilter } from "./sql-filter.js";

const Text = z.string().optional();

export const RuleFilter = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("sql"), expression: z.string() }),
  z.object({
    kind: z.literal("correlation"),
    correlationId: Text,
    messageId: Text,
    to: Text,
    replyTo: Text,
    subject: Text,
    sessionId: Text,
    replyToSessionId: Text,
    contentType: Text,
    /** JSON has no times: milliseconds since the epoch. */
    properties: z.record(
      z.string(),
      z.union([z.string(), z.number(), z.boolean(), z.object({ timeMs: z.int() })]),
    ),
  }),
]);
export type RuleFilter = z.output<typeof RuleFilter>;

export interface RuleDefinition {
  readonly name: string;
  readonly filter: RuleFilter;
}

/** The rule of a subscription for which none is configured. */
export const matchAll: RuleDefinition = {
  name: "$Default",
  filter: { kind: "sql", expression: "1=1" },
};

type Predicate = (fields: MessageFields) => boolean;

const correlationPredicate = (filter: Extract<RuleFilter, { kind: "correlation" }>): Predicate => {
  const { properties, ...system } = filter;
  const wanted = Object.entries({ ...system, kind: undefined }).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  const wantedUser = Object.entries(properties).map(
    ([name, value]) =>
      [name.toLowerCase(), typeof value === "object" ? value.timeMs : value] as const,
  );
  const fits = (found: ReadonlyMap<string, FieldValue>, name: string, value: unknown): boolean =>
    value === undefined || found.get(name) === value;
  return (fields) =>
    wanted.every(([name, value]) => fits(fields.system, name, value)) &&
    wantedUser.every(([name, value]) => fits(fields.user, name, value));
};

/** The rules of one subscription, compiled. */
export class RuleSet {
  readonly #rules = new Map<
    string,
    { readonly rule: RuleDefinition; readonly matches: Predicate }
  >();
  #matchesAll = false;

  constructor(rules: readonly RuleDefinition[]) {
    for (const rule of rules) this.add(rule);
  }

  /** By name, as the service lists them. */
  get definitions(): RuleDefinition[] {
    return [...this.#rules.values()]
      .map(({ rule }) => rule)
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  /** Throws where the filter cannot be understood. */
  add(rule: RuleDefinition): void {
    const matches =
      rule.filter.kind === "sql"
        ? parseSqlFilter(rule.filter.expression)
        : correlationPredicate(rule.filter);
    this.#rules.set(rule.name, { rule, matches });
    this.#recheck();
  }

  remove(name: string): void {
    this.#rules.delete(name);
    this.#recheck();
  }

  /** Whether any rule takes the message; its fields are read only if a rule needs them. */
  matches(bare: Buffer): boolean {
    if (this.#matchesAll) return true;
    const fields = fieldsOf(bare);
    return [...this.#rules.values()].some(({ matches }) => matches(fields));
  }

  #recheck(): void {
    this.#matchesAll = this.definitions.some(
      ({ filter }) => filter.kind === "sql" && /^\s*1\s*=\s*1\s*$/.test(filter.expression),
    );
  }
}
