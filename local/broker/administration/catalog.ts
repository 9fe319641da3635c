/** Which entities there are, and how they are described: those of the configuration and those that clients made. */
import type { AccessRule, EntityAccess } from "../access/access-rules.js";
import type { KeyRing } from "../access/key-ring.js";
import { isWithin, keyOf, subscriptionPath, type Directory } from "../entities/directory.js";
import { BrokerError, conditions, entityNotFound } from "../errors.js";
import { matchAll, RuleSet, type RuleDefinition } from "../filters/rule.js";
import type { Definition, DefinitionStore, EntityKind } from "../storage/definition-store.js";
import type { Topology } from "../topology.js";
import { withKeys, type WantedAccessRule } from "./access-descriptions.js";
import {
  describeQueue,
  describeSubscription,
  describeTopic,
  fieldsOf,
  queueDefinition,
  subscriptionDefinition,
  topicDefinition,
  updatedFields,
  type Fields,
} from "./descriptions.js";

export interface CatalogParts {
  readonly topology: Topology;
  /** Of entities that the configuration declares. */
  readonly accessRules: readonly EntityAccess[];
  /** Holds the keys of all entities. */
  readonly keys: KeyRing;
  readonly directory: Directory;
  readonly definitions: DefinitionStore;
  /** Links to what was deleted, or serves no more as they were opened for, have to end. */
  readonly endLinks: (path: string, error: BrokerError) => void;
  /** As have those that were opened by a key that is there no more. */
  readonly checkAccess: () => void;
  /** The real time, but for tests. */
  readonly nowMs: () => number;
}

/** What a request wants made. */
export interface Wanted {
  readonly kind: EntityKind;
  readonly path: string;
  readonly fields: Fields;
  /** Those that a new subscription begins with. */
  readonly rules?: readonly RuleDefinition[];
  /** Undefined where nothing is said of them. */
  readonly accessRules: readonly WantedAccessRule[] | undefined;
}

/** As many as the service allows in a namespace, and below one topic. */
const entitiesMax = 10_000;
const subscriptionsMax = 2_000;
const pathPattern = /^[A-Za-z0-9](?:[\w.-]|\/(?=[\w.-]))*$/;
const lengthMax = { queue: 260, topic: 260, subscription: 50 } as const;

const topicOf = (path: string): string => path.slice(0, path.lastIndexOf("/Subscriptions/"));
const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

const checkName = ({ kind, path }: Wanted): void => {
  const name = kind === "subscription" ? nameOf(path) : path;
  if (name.length > lengthMax[kind] || !pathPattern.test(name) || /\/subscriptions\//i.test(name))
    throw new BrokerError(
      conditions.invalidField,
      `SubCode=40000. '${name}' is no name: letters, digits and . - _ are, ${lengthMax[kind]} at most.`,
    );
};

const accessRulesOf = (
  { kind, accessRules: wanted }: Wanted,
  before: readonly AccessRule[],
): readonly AccessRule[] => {
  if (wanted === undefined) return before;
  if (kind === "subscription" && wanted.length > 0)
    throw new BrokerError(
      conditions.invalidField,
      "SubCode=40000. A subscription has no authorization rules: those of its topic hold for it.",
    );
  return withKeys(wanted, before);
};

export class Catalog {
  readonly #parts: CatalogParts;
  readonly #entries = new Map<string, Definition>();
  /** Those that the configuration declares: they are there again after the next start. */
  readonly #declared = new Set<string>();
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(parts: CatalogParts) {
    this.#parts = parts;
  }

  /** Adds what clients made to the directory, unless the configuration has it by now. */
  static async open(parts: CatalogParts): Promise<Catalog> {
    const catalog = new Catalog(parts);
    catalog.#declare(parts.topology);
    for (const made of await parts.definitions.all()) {
      // A subscription waits for its topic to be configured again, as its messages do.
      const isLost =
        made.kind === "subscription" && !catalog.#entries.has(keyOf(topicOf(made.path)));
      if (isLost || catalog.#declared.has(keyOf(made.path))) continue;
      await catalog.#add(made, []);
    }
    return catalog;
  }

  get(path: string): Definition | undefined {
    return this.#entries.get(keyOf(path));
  }

  /** In the order of their names. */
  list(kind: EntityKind, topic?: string): Definition[] {
    const prefix = topic === undefined ? "" : keyOf(subscriptionPath(topic, ""));
    return [...this.#entries]
      .filter(([key, entry]) => entry.kind === kind && key.startsWith(prefix))
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, entry]) => entry);
  }

  /** In no order. */
  get all(): Iterable<Definition> {
    return this.#entries.values();
  }

  create(wanted: Wanted): Promise<Definition> {
    return this.#inTurn(async () => {
      checkName(wanted);
      const { kind, path, rules = [matchAll] } = wanted;
      if (this.get(path) !== undefined)
        throw new BrokerError(
          conditions.entityExists,
          `SubCode=40900. Conflict. The messaging entity '${path}' already exists.`,
        );
      this.#checkRoom(wanted);
      const fields = fieldsOf(kind, wanted.fields);
      this.#checkForwarding(path, fields);
      // A rule that cannot be understood must not be stored.
      new RuleSet(rules);
      const accessRules = accessRulesOf(wanted, []);
      const nowMs = this.#parts.nowMs();
      const made = { kind, path, fields, accessRules, createdAtMs: nowMs, updatedAtMs: nowMs };
      await this.#parts.definitions.put(made);
      await this.#add(made, rules);
      return made;
    });
  }

  update(wanted: Wanted, eTag: string): Promise<Definition> {
    return this.#inTurn(async () => {
      const { kind, path, fields: given } = wanted;
      const before = this.get(path);
      if (before?.kind !== kind) throw entityNotFound(path);
      if (eTag !== "*" && eTag !== eTagOf(before))
        throw new BrokerError(
          conditions.preconditionFailed,
          "SubCode=41200. The entity was changed meanwhile: If-Match names another version.",
        );
      const fields = updatedFields(kind, before.fields, given);
      this.#checkForwarding(before.path, fields);
      const accessRules = accessRulesOf(wanted, before.accessRules);
      const updatedAtMs = Math.max(this.#parts.nowMs(), before.updatedAtMs + 1);
      const updated = { ...before, fields, accessRules, updatedAtMs };
      if (!this.#declared.has(keyOf(path))) await this.#parts.definitions.put(updated);
      this.#enter(updated);
      this.#apply(updated);
      this.#parts.checkAccess();
      if (["Status", "ForwardTo"].some((name) => fields[name] !== before.fields[name]))
        this.#parts.endLinks(
          before.path,
          new BrokerError(conditions.detachForced, `The entity '${before.path}' was changed.`),
        );
      return updated;
    });
  }

  delete(path: string): Promise<void> {
    return this.#inTurn(() => this.#delete(path));
  }

  /** Deletes it unless it turns out to be used, or was deleted already. */
  deleteIf(path: string, isUnused: () => boolean): Promise<void> {
    return this.#inTurn(async () => {
      if (this.get(path) !== undefined && isUnused()) await this.#delete(path);
    });
  }

  async #delete(path: string): Promise<void> {
    const { directory, definitions, endLinks, keys } = this.#parts;
    const entry = this.get(path);
    if (entry === undefined) throw entityNotFound(path);
    for (const key of [...this.#entries.keys()].filter((each) => isWithin(each, path)))
      this.#entries.delete(key);
    keys.remove(entry.path);
    const removed = directory.remove(entry.path);
    endLinks(entry.path, entityNotFound(entry.path));
    await removed;
    await definitions.remove(entry.path);
  }

  #declare({ queues, topics }: Topology): void {
    const nowMs = this.#parts.nowMs();
    const given = new Map(this.#parts.accessRules.map(({ path, rules }) => [keyOf(path), rules]));
    const declare = (kind: EntityKind, path: string, fields: Fields): void => {
      const accessRules = given.get(keyOf(path)) ?? [];
      this.#enter({ kind, path, fields, accessRules, createdAtMs: nowMs, updatedAtMs: nowMs });
      this.#declared.add(keyOf(path));
    };
    for (const queue of queues) declare("queue", queue.path, describeQueue(queue));
    for (const topic of topics) {
      declare("topic", topic.path, describeTopic(topic));
      for (const subscription of topic.subscriptions)
        declare(
          "subscription",
          subscriptionPath(topic.path, subscription.name),
          describeSubscription(subscription),
        );
    }
  }

  async #add(made: Definition, rules: readonly RuleDefinition[]): Promise<void> {
    const { directory } = this.#parts;
    const { kind, path, fields } = made;
    if (kind === "queue") await directory.addQueue(queueDefinition(path, fields));
    else if (kind === "topic") await directory.addTopic(topicDefinition(path, fields));
    else
      await directory.addSubscription(
        topicOf(path),
        subscriptionDefinition(nameOf(path), fields, rules),
      );
    this.#enter(made);
  }

  #enter(entry: Definition): void {
    const { path, accessRules: rules } = entry;
    this.#entries.set(keyOf(path), entry);
    this.#parts.keys.set({ path, rules });
  }

  #apply({ kind, path, fields }: Definition): void {
    const { directory } = this.#parts;
    if (kind === "queue") directory.updateQueue(queueDefinition(path, fields));
    else if (kind === "topic") directory.updateTopic(topicDefinition(path, fields));
    else
      directory.updateSubscription(topicOf(path), subscriptionDefinition(nameOf(path), fields, []));
  }

  #checkRoom({ kind, path }: Wanted): void {
    const tooMany = (what: string): BrokerError =>
      new BrokerError(conditions.resourceLimitExceeded, `SubCode=40300. ${what}`);
    if (this.#entries.size >= entitiesMax)
      throw tooMany(`There are ${entitiesMax} entities, which is as many as there may be.`);
    if (kind !== "subscription") return;
    const topic = topicOf(path);
    if (this.get(topic)?.kind !== "topic") throw entityNotFound(topic);
    if (this.list("subscription", topic).length >= subscriptionsMax)
      throw tooMany(`The topic has ${subscriptionsMax} subscriptions, as many as it may have.`);
  }

  #checkForwarding(path: string, fields: Fields): void {
    const wrong = (why: string): BrokerError =>
      new BrokerError(conditions.invalidField, `SubCode=40000. ${why}`);
    for (const name of ["ForwardTo", "ForwardDeadLetteredMessagesTo"]) {
      const target = fields[name];
      if (target === undefined) continue;
      const { kind } = this.get(target) ?? {};
      if (kind !== "queue" && kind !== "topic")
        throw wrong(`${name}: there is no queue or topic '${target}'.`);
      if (keyOf(target) === keyOf(path)) throw wrong(`${name}: an entity forwards to another.`);
    }
    if (fields["ForwardTo"] !== undefined && fields["RequiresSession"] === "true")
      throw wrong("An entity that requires sessions cannot forward.");
  }

  /** One change at a time: what is checked still holds when it is done. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    // Its failure is for whoever asked for it; the next one in turn begins all the same.
    this.#turn = result.catch(() => undefined);
    return result;
  }
}

/** Changes with each update. */
export const eTagOf = ({ updatedAtMs }: Definition): string => `"${updatedAtMs}"`;
