/** What the addresses of the management interface stand for, and what is answered there. */
import {
  deadLetterSuffix,
  keyOf,
  subscriptionPath,
  transferSuffix,
  type Directory,
} from "../entities/directory.js";
import { BrokerError, conditions, entityNotFound } from "../errors.js";
import type { EntityStore } from "../storage/entity-store.js";
import type { Definition, EntityKind } from "../storage/definition-store.js";
import type { MessageCounter, MessageCounts } from "../storage/message-counts.js";
import { readAccessRules, writeAccessRules } from "./access-descriptions.js";
import { countDetails, entryDocument, fieldElements, textElement, type Entry } from "./atom.js";
import { eTagOf, type Catalog, type Wanted } from "./catalog.js";
import { readRule } from "./rule-descriptions.js";
import { addressOf, page, type AdministrationRequest, type Answer } from "./requests.js";
import { deleteRule, getRule, listRules, putRule } from "./rule-resources.js";
import { child, childText, type Element } from "./xml-reader.js";

export interface AdministrationParts {
  readonly catalog: Catalog;
  readonly directory: Directory;
  readonly entities: EntityStore;
  readonly counter: MessageCounter;
  readonly startedAtMs: number;
}

const roots: Readonly<Record<EntityKind, string>> = {
  queue: "QueueDescription",
  topic: "TopicDescription",
  subscription: "SubscriptionDescription",
};
const subscriptionAddress =
  /^(?<topic>.+?)\/subscriptions(?:\/(?<name>[^/]+)(?:\/rules(?:\/(?<rule>[^/]+))?)?)?$/i;
const forwarding = ["ForwardTo", "ForwardDeadLetteredMessagesTo"] as const;
const time = (ms: number): string => new Date(ms).toISOString();

export class Resources {
  readonly #parts: AdministrationParts;

  constructor(parts: AdministrationParts) {
    this.#parts = parts;
  }

  async answer(request: AdministrationRequest): Promise<Answer> {
    const { method, path } = request;
    if (path.startsWith("$")) return this.#system(request);
    const { topic, name, rule } = subscriptionAddress.exec(path)?.groups ?? {};
    if (topic !== undefined && (name === undefined || /\/rules$/i.test(path) || rule !== undefined))
      return this.#below(request, { topic, name, rule });
    const known = topic === undefined ? undefined : this.#parts.catalog.get(topic);
    // The path as it is to be known, however this client writes it.
    const own =
      topic === undefined || name === undefined
        ? path
        : subscriptionPath(known?.path ?? topic, name);
    if (method === "GET") return this.#get(request, own);
    if (method === "PUT") return this.#put(request, own, name);
    await this.#parts.catalog.delete(own);
    return { status: 200, body: "" };
  }

  async #system(request: AdministrationRequest): Promise<Answer> {
    const { method, path } = request;
    const { catalog } = this.#parts;
    if (method === "GET" && keyOf(path) === "$namespaceinfo") return this.#namespace(request);
    const kind = /^\$resources\/(queue|topic)s$/i.exec(path)?.[1]?.toLowerCase();
    if (method !== "GET" || (kind !== "queue" && kind !== "topic")) throw entityNotFound(path);
    return this.#page(request, catalog.list(kind));
  }

  /** The lists that hang below topics and subscriptions, and the rules. */
  async #below(
    request: AdministrationRequest,
    at: {
      readonly topic: string;
      readonly name: string | undefined;
      readonly rule: string | undefined;
    },
  ): Promise<Answer> {
    const { catalog, directory, entities } = this.#parts;
    const { method } = request;
    if (at.name === undefined) {
      if (catalog.get(at.topic)?.kind !== "topic" || method !== "GET")
        throw entityNotFound(at.topic);
      return this.#page(request, catalog.list("subscription", at.topic));
    }
    const path = subscriptionPath(at.topic, at.name);
    const subscription = directory.subscription(path);
    if (subscription === undefined) throw entityNotFound(path);
    if (at.rule === undefined && method === "GET") return listRules(request, subscription);
    if (at.rule === undefined) throw entityNotFound(request.path);
    const ruled = { subscription, entities, name: at.rule };
    if (method === "GET") return getRule(request, ruled);
    return method === "PUT" ? putRule(request, ruled) : deleteRule(ruled);
  }

  #namespace(request: AdministrationRequest): Answer {
    const { startedAtMs } = this.#parts;
    const title = new URL(request.origin).hostname;
    const content = fieldElements({
      CreatedTime: time(startedAtMs),
      MessagingSKU: "Standard",
      ModifiedTime: time(startedAtMs),
      Name: title,
      NamespaceType: "Messaging",
    });
    const address = addressOf(request, request.path);
    const times = { createdAtMs: startedAtMs, updatedAtMs: startedAtMs };
    const body = entryDocument({ address, title, ...times, root: "NamespaceInfo", content });
    return { status: 200, body };
  }

  async #get(request: AdministrationRequest, path: string): Promise<Answer> {
    const entry = this.#parts.catalog.get(path);
    if (entry === undefined) throw entityNotFound(path);
    return this.#one(request, entry, 200);
  }

  async #put(
    request: AdministrationRequest,
    path: string,
    subscription: string | undefined,
  ): Promise<Answer> {
    const { catalog } = this.#parts;
    const description = child(request.body(), "content")?.children[0];
    const kinds = Object.entries(roots).map(([kind, root]) => [root, kind as EntityKind] as const);
    const kind = new Map(kinds).get(description?.name ?? "");
    if (kind === undefined || (kind === "subscription") !== (subscription !== undefined))
      throw new BrokerError(
        conditions.invalidField,
        `SubCode=40000. The body describes no entity that could be at '${path}'.`,
      );
    const wanted = wantedOf(kind, path, description);
    // What is forwarded comes to the target as if it had been sent there.
    for (const name of forwarding) {
      const target = wanted.fields[name];
      if (target !== undefined) request.requireManage(target);
    }
    return request.ifMatch === undefined
      ? this.#one(request, await catalog.create(wanted), 201)
      : this.#one(request, await catalog.update(wanted, request.ifMatch), 200);
  }

  async #one(request: AdministrationRequest, entry: Definition, status: number): Promise<Answer> {
    const [shown] = await this.#entries(request, [entry]);
    if (shown === undefined) throw entityNotFound(entry.path);
    return { status, body: entryDocument(shown), eTag: eTagOf(entry) };
  }

  #page(request: AdministrationRequest, entries: readonly Definition[]): Promise<Answer> {
    return page(request, entries, (shown) => this.#entries(request, shown));
  }

  async #entries(
    request: AdministrationRequest,
    entries: readonly Definition[],
  ): Promise<readonly Entry[]> {
    const ids = entries.flatMap(({ path }) => this.#entityIds(path));
    const countOf = await this.#parts.counter.count(ids);
    return entries.map((entry) => ({
      address: addressOf(request, entry.path),
      title: entry.path,
      createdAtMs: entry.createdAtMs,
      updatedAtMs: entry.updatedAtMs,
      root: roots[entry.kind],
      content: this.#content(request, entry, countOf),
    }));
  }

  #entityIds(path: string): number[] {
    const { directory } = this.#parts;
    const queues = ["", deadLetterSuffix, transferSuffix].map((suffix) =>
      directory.queue(path + suffix),
    );
    const ids = [...queues, directory.destination(path)].map((each) => each?.entityId);
    return ids.filter((id) => id !== undefined);
  }

  #content(
    { origin }: AdministrationRequest,
    { kind, path, fields, accessRules, createdAtMs, updatedAtMs }: Definition,
    countOf: (entityId: number) => MessageCounts,
  ): string {
    const { directory } = this.#parts;
    const target = (name: string): Record<string, string> =>
      fields[name] === undefined
        ? {}
        : { [name]: `${origin.replace(/^https?/, "sb")}/${fields[name]}` };
    const counts = (suffix: string): MessageCounts =>
      countOf(directory.queue(path + suffix)?.entityId ?? 0);
    const own = countOf((directory.queue(path) ?? directory.destination(path))?.entityId ?? 0);
    const [letters, transfer] = [counts(deadLetterSuffix), counts(transferSuffix)];
    const usedAtMs = Math.max(
      createdAtMs,
      directory.queue(path)?.usedAtMs ?? 0,
      directory.destination(path)?.usedAtMs ?? 0,
    );
    const subscriptions = directory.topic(path)?.subscriptions.length;
    return (
      fieldElements({
        ...fields,
        ...target("ForwardTo"),
        ...target("ForwardDeadLetteredMessagesTo"),
        SizeInBytes: String(own.bytes + letters.bytes + transfer.bytes),
        MessageCount: String(own.total + letters.total + transfer.total),
        CreatedAt: time(createdAtMs),
        UpdatedAt: time(updatedAtMs),
        AccessedAt: time(usedAtMs),
        ...(subscriptions === undefined ? {} : { SubscriptionCount: String(subscriptions) }),
      }) +
      countDetails({
        ActiveMessageCount: kind === "topic" ? 0 : own.active,
        DeadLetterMessageCount: letters.total,
        ScheduledMessageCount: own.scheduled,
        TransferMessageCount: 0,
        TransferDeadLetterMessageCount: transfer.total,
      }) +
      (kind === "subscription" ? "" : writeAccessRules(accessRules)) +
      textElement("EntityAvailabilityStatus", "Available")
    );
  }
}

/** What has elements in it is not a field. */
const wantedOf = (kind: EntityKind, path: string, description: Element | undefined): Wanted => {
  const { children = [] } = description ?? {};
  const fields = children.filter((each) => each.children.length === 0 && each.text.trim() !== "");
  const first = child(description, "DefaultRuleDescription");
  return {
    kind,
    path,
    fields: Object.fromEntries(fields.map(({ name, text }) => [name, text.trim()])),
    accessRules: readAccessRules(description),
    ...(first === undefined
      ? {}
      : { rules: [readRule(first, childText(first, "Name") ?? "$Default")] }),
  };
};
