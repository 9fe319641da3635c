/** The rules of a subscription as resources: listed, read, made, changed and deleted. */
import type { Subscription } from "../entities/routers.js";
import { BrokerError, conditions, entityNotFound } from "../errors.js";
import { RuleSet, type RuleDefinition } from "../filters/rule.js";
import type { EntityStore } from "../storage/entity-store.js";
import { entryDocument, type Entry } from "./atom.js";
import { addressOf, page, type AdministrationRequest, type Answer } from "./requests.js";
import { readRule, writeRule } from "./rule-descriptions.js";
import { child } from "./xml-reader.js";

export interface RuleResource {
  readonly subscription: Subscription;
  readonly entities: EntityStore;
  readonly name: string;
}

const rulesMax = 2_000;
const namePattern = /^[\w.$ -]{1,50}$/;

const ruleEntry = (
  request: AdministrationRequest,
  { queue }: Subscription,
  rule: RuleDefinition,
): Entry => ({
  address: addressOf(request, `${queue.path}/Rules/${rule.name}`),
  title: rule.name,
  createdAtMs: queue.usedAtMs,
  updatedAtMs: queue.usedAtMs,
  root: "RuleDescription",
  content: writeRule(rule),
});

const answerRule = (
  request: AdministrationRequest,
  { subscription, name }: RuleResource,
  status: number,
): Answer => {
  const rule = subscription.rules.definitions.find((each) => each.name === name);
  if (rule === undefined) throw entityNotFound(`${subscription.queue.path}/Rules/${name}`);
  return { status, body: entryDocument(ruleEntry(request, subscription, rule)) };
};

export const listRules = (
  request: AdministrationRequest,
  subscription: Subscription,
): Promise<Answer> =>
  page(
    request,
    subscription.rules.definitions.sort((one, other) => (one.name < other.name ? -1 : 1)),
    async (shown) => shown.map((rule) => ruleEntry(request, subscription, rule)),
  );

export const getRule = (request: AdministrationRequest, resource: RuleResource): Answer =>
  answerRule(request, resource, 200);

export const putRule = async (
  request: AdministrationRequest,
  resource: RuleResource,
): Promise<Answer> => {
  const { subscription, entities, name } = resource;
  const { queue, rules } = subscription;
  const description = child(child(request.body(), "content"), "RuleDescription");
  if (description === undefined || !namePattern.test(name))
    throw new BrokerError(
      conditions.invalidField,
      "SubCode=40000. A rule has a description, and a name of at most 50 letters, digits and . - _",
    );
  const rule = readRule(description, name);
  // A rule that cannot be understood must not be stored.
  new RuleSet([rule]);
  const isUpdate = request.ifMatch !== undefined;
  if (!isUpdate && rules.definitions.length >= rulesMax)
    throw new BrokerError(
      conditions.resourceLimitExceeded,
      `SubCode=40300. The subscription has ${rulesMax} rules, as many as it may have.`,
    );
  const isDone = isUpdate
    ? await entities.changeRule(queue.entityId, rule)
    : await entities.addRule(queue.entityId, rule);
  if (!isDone && isUpdate) throw entityNotFound(`${queue.path}/Rules/${name}`);
  if (!isDone)
    throw new BrokerError(
      conditions.entityExists,
      `SubCode=40900. Conflict. The rule '${name}' already exists.`,
    );
  rules.add(rule);
  return answerRule(request, resource, isUpdate ? 200 : 201);
};

export const deleteRule = async ({
  subscription: { queue, rules },
  entities,
  name,
}: RuleResource): Promise<Answer> => {
  if (!(await entities.removeRule(queue.entityId, name)))
    throw entityNotFound(`${queue.path}/Rules/${name}`);
  rules.remove(name);
  return { status: 200, body: "" };
};
