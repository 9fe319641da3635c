/** Management operations on the rules of a subscription. */
import { z } from "zod";
import { BrokerError, conditions } from "../errors.js";
import type { Subscription } from "../entities/routers.js";
import { RuleSet, type RuleDefinition, type RuleFilter } from "../filters/rule.js";
import { types, type Typed } from "../wire/rhea.js";
import { described } from "../wire/values.js";
import type { ManagedEntity, Operation } from "./management.js";
import { parseBody } from "./request-body.js";

const code = {
  ruleDescription: 0x13700000004,
  emptyAction: 0x13700000005,
  sqlAction: 0x13700000006,
  sqlFilter: 0x1370000006,
  correlationFilter: 0x1370000009,
} as const;

const Text = z.string().nullish();
/** The service's own limit; PostgreSQL has no text with NUL. */
const RuleName = z
  .string()
  .min(1)
  .max(50, "the name of a rule has at most 50 characters")
  .regex(/^[^\0]*$/, "the name of a rule has no NUL character");
const AddRule = z.object({
  "rule-name": RuleName,
  "rule-description": z.object({
    "sql-filter": z.object({ expression: z.string() }).nullish(),
    "correlation-filter": z
      .object({
        "correlation-id": Text,
        "message-id": Text,
        to: Text,
        "reply-to": Text,
        label: Text,
        "session-id": Text,
        "reply-to-session-id": Text,
        "content-type": Text,
        properties: z
          .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.date()]))
          .nullish(),
      })
      .nullish(),
    "sql-rule-action": z.object({ expression: z.string() }).nullish(),
  }),
});
const RemoveRule = z.object({ "rule-name": z.string() });
const EnumerateRules = z.object({ top: z.int().default(100), skip: z.int().default(0) });

type RuleDescription = z.output<typeof AddRule>["rule-description"];

const subscriptionOf = ({ subscription }: ManagedEntity): Subscription => {
  if (subscription !== undefined) return subscription;
  throw new BrokerError(conditions.notAllowed, "Only subscriptions have rules.");
};

const filterOf = (description: RuleDescription): RuleFilter => {
  const { "sql-filter": sql, "correlation-filter": correlation } = description;
  if (sql) return { kind: "sql", expression: sql.expression };
  if (!correlation)
    throw new BrokerError(conditions.invalidField, "A rule needs a SQL or a correlation filter.");
  return {
    kind: "correlation",
    correlationId: correlation["correlation-id"] ?? undefined,
    messageId: correlation["message-id"] ?? undefined,
    to: correlation.to ?? undefined,
    replyTo: correlation["reply-to"] ?? undefined,
    subject: correlation.label ?? undefined,
    sessionId: correlation["session-id"] ?? undefined,
    replyToSessionId: correlation["reply-to-session-id"] ?? undefined,
    contentType: correlation["content-type"] ?? undefined,
    properties: Object.fromEntries(
      Object.entries(correlation.properties ?? {}).map(([name, value]) => [
        name,
        value instanceof Date ? { timeMs: value.getTime() } : value,
      ]),
    ),
  };
};

const describeFilter = (filter: RuleFilter): Typed =>
  filter.kind === "sql"
    ? described(code.sqlFilter, [filter.expression])
    : described(code.correlationFilter, [
        filter.correlationId,
        filter.messageId,
        filter.to,
        filter.replyTo,
        filter.subject,
        filter.sessionId,
        filter.replyToSessionId,
        filter.contentType,
        Object.fromEntries(
          Object.entries(filter.properties).map(([name, value]) => [
            name,
            typeof value === "object" ? types.Timestamp(value.timeMs) : value,
          ]),
        ),
      ]);

const addRule: Operation = async (entity, body) => {
  const request = parseBody(AddRule, body);
  const { queue, rules } = subscriptionOf(entity);
  const rule: RuleDefinition = {
    name: request["rule-name"],
    filter: filterOf(request["rule-description"]),
    action: request["rule-description"]["sql-rule-action"]?.expression ?? null,
  };
  // A rule that cannot be compiled must not be stored.
  new RuleSet([rule]);
  if (!(await entity.entities.addRule(queue.entityId, rule)))
    throw new BrokerError(
      conditions.entityExists,
      `The messaging entity '${queue.path}/Rules/${rule.name}' already exists.`,
    );
  rules.add(rule);
  return {};
};

const removeRule: Operation = async (entity, body) => {
  const { "rule-name": name } = parseBody(RemoveRule, body);
  const { queue, rules } = subscriptionOf(entity);
  if (!(await entity.entities.removeRule(queue.entityId, name)))
    throw new BrokerError(
      conditions.entityNotFound,
      `The messaging entity '${queue.path}/Rules/${name}' could not be found.`,
    );
  rules.remove(name);
  return {};
};

const enumerateRules: Operation = async (entity, body) => {
  const { top, skip } = parseBody(EnumerateRules, body);
  const shown = subscriptionOf(entity).rules.definitions.slice(skip, skip + top);
  if (shown.length === 0) return null;
  return {
    rules: shown.map(({ name, filter, action }) => ({
      "rule-description": described(code.ruleDescription, [
        describeFilter(filter),
        action === null ? described(code.emptyAction, []) : described(code.sqlAction, [action]),
        name,
      ]),
    })),
  };
};

export const ruleOperations = {
  "add-rule": addRule,
  "remove-rule": removeRule,
  "enumerate-rules": enumerateRules,
} satisfies Record<string, Operation>;
