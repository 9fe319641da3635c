/** Subscription rules: what they say, as configured and stored, and whether a message matches. */
import { z } from "zod";
import { fieldsOf, type FieldValue, type MessageFields } from "./fields.js";
import type { ParsedMessage } from "../wire/sections.js";
import { parseSqlAction, type Action } from "./sql-action.js";
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
  /** What is set and removed on the copy that the rule makes; null where that is nothing. */
  readonly action: string | null;
}

/** The rule of a subscription for which none is configured. */
export const matchAll: RuleDefinition = {
  name: "$Default",
  filter: { kind: "sql", expression: "1=1" },
  action: null,
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

interface CompiledRule {
  readonly rule: RuleDefinition;
  readonly matches: Predicate;
  readonly act: Action | null;
}

/** Throws where the filter or the action cannot be understood. */
const compile = (rule: RuleDefinition): CompiledRule => ({
  rule,
  matches:
    rule.filter.kind === "sql"
      ? parseSqlFilter(rule.filter.expression)
      : correlationPredicate(rule.filter),
  act: rule.action === null ? null : parseSqlAction(rule.action),
});

/** The rules of one subscription, compiled. */
export class RuleSet {
  readonly #rules = new Map<string, CompiledRule>();
  /** A rule that lets everything pass as it is, with none beside it that acts: nothing is read. */
  #passesAll = false;

  constructor(rules: readonly RuleDefinition[]) {
    for (const rule of rules) this.add(rule);
  }

  /** By name, as the service lists them. */
  get definitions(): RuleDefinition[] {
    return [...this.#rules.values()]
      .map(({ rule }) => rule)
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  /** In place of one of the same name. Throws where the rule cannot be understood. */
  add(rule: RuleDefinition): void {
    this.#rules.set(rule.name, compile(rule));
    this.#recheck();
  }

  remove(name: string): void {
    this.#rules.delete(name);
    this.#recheck();
  }

  /** One for all matching rules without action, and one for each with: its name is in `RuleName`. */
  copies(message: ParsedMessage): ParsedMessage[] {
    if (this.#passesAll) return [message];
    const fields = fieldsOf(message.bare);
    const matching = [...this.#rules.values()].filter(({ matches }) => matches(fields));
    const isPassed = matching.some(({ act }) => act === null);
    return [
      ...(isPassed ? [message] : []),
      ...matching.flatMap(({ rule, act }) => (act === null ? [] : act(message, fields, rule.name))),
    ];
  }

  #recheck(): void {
    const rules = [...this.#rules.values()];
    this.#passesAll =
      rules.every(({ act }) => act === null) &&
      rules.some(
        ({ rule: { filter } }) =>
          filter.kind === "sql" && /^\s*1\s*=\s*1\s*$/.test(filter.expression),
      );
  }
}
