/** All entities that are served, by the addresses under which clients open links to them. */
import { RuleSet, type RuleDefinition } from "../filters/rule.js";
import type { CommitLog } from "../storage/commit-log.js";
import type { EntityStore } from "../storage/entity-store.js";
import type { MessageReader } from "../storage/message-reader.js";
import type {
  QueueDefinition,
  QueueSettings,
  SubscriptionDefinition,
  TopicDefinition,
  Topology,
} from "../topology.js";
import { Scheduler } from "./scheduler.js";
import { Destination, type Router } from "./destination.js";
import { Forwarder } from "./forwarder.js";
import { Queue } from "./queue.js";
import { queueRouter, TopicRouter, type Subscription } from "./routers.js";

export interface DirectoryParts {
  readonly log: CommitLog;
  readonly reader: MessageReader;
  readonly entities: EntityStore;
  readonly report: (error: unknown) => void;
}

/** A topic without its subscriptions. */
export type BareTopic = Omit<TopicDefinition, "subscriptions">;

/** Addresses are compared without regard to case. */
export const keyOf = (address: string): string => address.toLowerCase();
export const subscriptionPath = (topic: string, name: string): string =>
  `${topic}/Subscriptions/${name}`;
export const deadLetterSuffix = "/$DeadLetterQueue";
/** What could not be forwarded. */
export const transferSuffix = "/$Transfer/$DeadLetterQueue";

/**
 * Whether an address is an entity's own or that of something it has: dead letters, management, the
 * subscriptions of a topic. A queue whose name merely begins alike is another entity.
 */
export const isWithin = (address: string, path: string): boolean => {
  const [key, own] = [keyOf(address), keyOf(path)];
  return key === own || key.startsWith(`${own}/$`) || key.startsWith(`${own}/subscriptions/`);
};

const lettersOf = (settings: QueueSettings): QueueSettings => ({
  ...settings,
  requiresSession: false,
  status: "Active",
});

export class Directory {
  readonly #parts: DirectoryParts;
  readonly #queues = new Map<string, Queue>();
  readonly #destinations = new Map<string, Destination>();
  readonly #topics = new Map<string, TopicRouter>();
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #queuesById = new Map<number, Queue>();
  readonly #destinationsById = new Map<number, Destination>();
  readonly #scheduler: Scheduler;
  #isStarted = false;

  private constructor(parts: DirectoryParts) {
    this.#parts = parts;
    this.#scheduler = new Scheduler({
      ...parts,
      destinations: this.#destinationsById,
      queues: this.#queuesById,
    });
  }

  static async open(topology: Topology, parts: DirectoryParts): Promise<Directory> {
    await parts.entities.returnDelivered();
    const directory = new Directory(parts);
    for (const queue of topology.queues) await directory.addQueue(queue);
    for (const { subscriptions, ...topic } of topology.topics) {
      await directory.addTopic(topic);
      for (const subscription of subscriptions)
        await directory.addSubscription(topic.path, subscription);
    }
    return directory;
  }

  /** Begins with what is due, and to forward: when all that is kept has been added. */
  start(): void {
    this.#isStarted = true;
    this.#scheduler.start();
    this.#retryForwarding();
  }

  /** Where receivers of this address take messages from. */
  queue(address: string): Queue | undefined {
    return this.#queues.get(keyOf(address));
  }

  /** Where senders to this address put messages. */
  destination(address: string): Destination | undefined {
    return this.#destinations.get(keyOf(address));
  }

  topic(address: string): TopicRouter | undefined {
    return this.#topics.get(keyOf(address));
  }

  subscription(address: string): Subscription | undefined {
    return this.#subscriptions.get(keyOf(address));
  }

  get size(): number {
    return this.#destinations.size + this.#subscriptions.size;
  }

  async addQueue({ path, settings, duplicateWindowMs }: QueueDefinition): Promise<void> {
    const queue = await this.#addQueue(path, settings);
    this.#addDestination(path, queueRouter(queue), duplicateWindowMs);
  }

  async addTopic({ path, duplicateWindowMs, ...settings }: BareTopic): Promise<void> {
    const entity = { path, ...(await this.#parts.entities.register(path)) };
    const router = new TopicRouter(entity, settings);
    this.#topics.set(keyOf(path), router);
    this.#addDestination(path, router, duplicateWindowMs);
  }

  /** Throws where there is no such topic. */
  async addSubscription(topic: string, definition: SubscriptionDefinition): Promise<void> {
    const { name, settings, rules } = definition;
    const router = this.topic(topic);
    if (router === undefined) throw new Error(`There is no topic '${topic}'.`);
    const path = subscriptionPath(router.path, name);
    const queue = await this.#addQueue(path, settings, rules);
    // The given rules are those of a new subscription; afterwards clients may change them.
    const kept = await this.#parts.entities.rules(queue.entityId);
    const subscription = { queue, rules: new RuleSet(kept) };
    this.#subscriptions.set(keyOf(path), subscription);
    router.add(subscription);
  }

  updateQueue({ path, settings, duplicateWindowMs }: QueueDefinition): void {
    this.#updateSettings(path, settings);
    const destination = this.destination(path);
    if (destination !== undefined) destination.duplicateWindowMs = duplicateWindowMs;
    this.#retryForwarding();
  }

  updateTopic({ path, duplicateWindowMs, ...settings }: BareTopic): void {
    const [router, destination] = [this.topic(path), this.destination(path)];
    if (router !== undefined) router.settings = settings;
    if (destination !== undefined) destination.duplicateWindowMs = duplicateWindowMs;
    this.#retryForwarding();
  }

  updateSubscription(topic: string, { name, settings }: SubscriptionDefinition): void {
    this.#updateSettings(subscriptionPath(topic, name), settings);
  }

  /** Ends an entity with all that it holds, a topic with its subscriptions. */
  async remove(path: string): Promise<void> {
    const { log, entities } = this.#parts;
    const isGone = (key: string): boolean => isWithin(key, path);
    const ids = new Set<number>();
    for (const [key, queue] of [...this.#queues].filter(([each]) => isGone(each))) {
      queue.forwarder?.stop();
      queue.stop();
      ids.add(queue.entityId);
      this.#queues.delete(key);
      this.#queuesById.delete(queue.entityId);
      const topic = key.slice(0, Math.max(0, key.lastIndexOf("/subscriptions/")));
      this.#topics.get(topic)?.remove(queue);
    }
    for (const key of [...this.#subscriptions.keys()].filter(isGone))
      this.#subscriptions.delete(key);
    const destination = this.destination(path);
    if (destination !== undefined) {
      destination.isRemoved = true;
      ids.add(destination.entityId);
      this.#destinationsById.delete(destination.entityId);
      this.#destinations.delete(keyOf(path));
      this.#topics.delete(keyOf(path));
    }
    // What was on its way to the disk is committed before this, and nothing comes after it.
    await log.commit({});
    await entities.forget([...ids]);
  }

  async stop(): Promise<void> {
    await this.#scheduler.stop();
    for (const queue of this.#queuesById.values()) queue.stop();
  }

  async #addQueue(
    path: string,
    settings: QueueSettings,
    rules: readonly RuleDefinition[] = [],
  ): Promise<Queue> {
    const { entities, log, reader, report } = this.#parts;
    const open = async (ownPath: string, own: QueueSettings, deadLetters: Queue | null) => {
      const ownRules = ownPath === path ? rules : [];
      const entity = { path: ownPath, ...(await entities.register(ownPath, ownRules)) };
      const queue = new Queue({ entity, settings: own, log, reader, deadLetters, report });
      this.#queues.set(keyOf(ownPath), queue);
      this.#queuesById.set(entity.entityId, queue);
      return queue;
    };
    const letters = await open(path + deadLetterSuffix, lettersOf(settings), null);
    await open(path + transferSuffix, lettersOf(settings), null);
    const queue = await open(path, settings, letters);
    this.#setForwarding(queue, settings);
    return queue;
  }

  #addDestination(path: string, router: Router, duplicateWindowMs: number | null): void {
    const { log, reader } = this.#parts;
    const destination = new Destination({
      path,
      router,
      duplicateWindowMs,
      log,
      reader,
      wake: (times) => this.#scheduler.wake(times),
    });
    this.#destinations.set(keyOf(path), destination);
    this.#destinationsById.set(router.entityId, destination);
    this.#retryForwarding();
  }

  #updateSettings(path: string, settings: QueueSettings): void {
    const queue = this.queue(path);
    if (queue === undefined) return;
    queue.settings = settings;
    for (const suffix of [deadLetterSuffix, transferSuffix]) {
      const letters = this.queue(path + suffix);
      if (letters !== undefined) letters.settings = lettersOf(settings);
    }
    this.#setForwarding(queue, settings);
    this.#retryForwarding();
  }

  #setForwarding(queue: Queue, { forwardTo, forwardDeadLettersTo }: QueueSettings): void {
    const { path, deadLetters } = queue;
    const transferLetters = this.queue(path + transferSuffix);
    if (deadLetters === null || transferLetters === undefined) return;
    const find = (target: string): Destination | undefined => this.destination(target);
    const set = (from: Queue, target: string | null, deadLettersOf: string | null): void => {
      from.forwarder?.stop();
      if (target !== null)
        new Forwarder({ queue: from, target, transferLetters, deadLettersOf, find }).start();
    };
    set(queue, forwardTo, null);
    set(deadLetters, forwardDeadLettersTo, path);
  }

  /** Only once everything is there is a target that is missing really missing. */
  #retryForwarding(): void {
    if (!this.#isStarted) return;
    for (const { forwarder } of this.#queuesById.values()) forwarder?.retry();
  }
}
