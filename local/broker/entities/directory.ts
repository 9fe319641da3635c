/** All entities of the topology, by the addresses under which clients open links to them. */
import { RuleSet, type RuleDefinition } from "../filters/rule.js";
import type { CommitLog } from "../storage/commit-log.js";
import type { EntityStore } from "../storage/entity-store.js";
import type { MessageReader } from "../storage/message-reader.js";
import type { QueueSettings, Topology, SubscriptionDefinition } from "../topology.js";
import { Scheduler } from "./scheduler.js";
import { Destination, type Router } from "./destination.js";
import { Queue } from "./queue.js";
import { queueRouter, TopicRouter, type Subscription } from "./routers.js";

export interface DirectoryParts {
  readonly log: CommitLog;
  readonly reader: MessageReader;
  readonly entities: EntityStore;
  readonly report: (error: unknown) => void;
}

/** Addresses are compared without regard to case. */
const keyOf = (address: string): string => address.toLowerCase();
const deadLetterSuffix = "/$DeadLetterQueue";
/** Nothing is forwarded here, so nothing can fail on its way: these are always empty. */
const transferSuffix = "/$Transfer/$DeadLetterQueue";

export class Directory {
  readonly #parts: DirectoryParts;
  readonly #queues = new Map<string, Queue>();
  readonly #destinations = new Map<string, Destination>();
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #queuesById = new Map<number, Queue>();
  readonly #destinationsById = new Map<number, Destination>();
  readonly #scheduler: Scheduler;

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
    for (const { path, settings, duplicateWindowMs } of topology.queues) {
      const queue = await directory.#addQueue(path, settings);
      directory.#addDestination(path, queueRouter(queue), duplicateWindowMs);
    }
    for (const { path, timeToLiveMs, duplicateWindowMs, subscriptions } of topology.topics) {
      const copies: Subscription[] = [];
      for (const definition of subscriptions)
        copies.push(await directory.#addSubscription(path, definition));
      const entity = { path, ...(await parts.entities.register(path)) };
      const router = new TopicRouter(entity, timeToLiveMs, copies);
      directory.#addDestination(path, router, duplicateWindowMs);
    }
    directory.#scheduler.start();
    return directory;
  }

  /** Where receivers of this address take messages from. */
  queue(address: string): Queue | undefined {
    return this.#queues.get(keyOf(address));
  }

  /** Where senders to this address put messages. */
  destination(address: string): Destination | undefined {
    return this.#destinations.get(keyOf(address));
  }

  subscription(address: string): Subscription | undefined {
    return this.#subscriptions.get(keyOf(address));
  }

  get size(): number {
    return this.#destinations.size + this.#subscriptions.size;
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
    const withoutSessions = { ...settings, requiresSession: false };
    const letters = await open(path + deadLetterSuffix, withoutSessions, null);
    await open(path + transferSuffix, withoutSessions, null);
    return open(path, settings, letters);
  }

  async #addSubscription(
    topic: string,
    { name, settings, rules }: SubscriptionDefinition,
  ): Promise<Subscription> {
    const path = `${topic}/Subscriptions/${name}`;
    const queue = await this.#addQueue(path, settings, rules);
    // The configured rules are those of a new subscription; afterwards clients may change them.
    const kept = await this.#parts.entities.rules(queue.entityId);
    const subscription = { queue, rules: new RuleSet(kept) };
    this.#subscriptions.set(keyOf(path), subscription);
    return subscription;
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
  }
}
