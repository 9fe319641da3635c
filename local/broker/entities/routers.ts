/** How a queue and a topic place the messages that are sent to them. */
import type { RuleSet } from "../filters/rule.js";
import type { ParsedMessage } from "../wire/sections.js";
import { entityDisabled } from "../errors.js";
import type { EntityStatus } from "../topology.js";
import type { Origin, Router } from "./destination.js";
import type { StoredMessage } from "../storage/stored-message.js";
import { Numbers, type Entity } from "./numbers.js";
import { shortest, type Queue } from "./queue.js";

export const queueRouter = (queue: Queue): Router => ({
  entityId: queue.entityId,
  numbers: queue.numbers,
  get counted() {
    return [queue.counted];
  },
  check: (message) => {
    queue.checkStatus("SendDisabled");
    queue.checkAcceptable(message);
  },
  place: (message, origin) => [
    queue.place(message, origin?.enqueuedSequenceNumber ?? null, origin?.hops ?? 0),
  ],
  arrived: (messages) => queue.arrived(messages),
  markStale: () => queue.markStale(),
});

export interface Subscription {
  readonly queue: Queue;
  readonly rules: RuleSet;
}

export interface TopicSettings {
  readonly timeToLiveMs: number | null;
  readonly status: EntityStatus;
}

export class TopicRouter implements Router {
  readonly entityId: number;
  readonly path: string;
  readonly numbers: Numbers;
  settings: TopicSettings;
  #subscriptions: readonly Subscription[] = [];
  #last = 0;

  constructor(entity: Entity, settings: TopicSettings) {
    this.entityId = entity.entityId;
    this.path = entity.path;
    this.numbers = new Numbers(entity);
    this.settings = settings;
  }

  get subscriptions(): readonly Subscription[] {
    return this.#subscriptions;
  }

  add(subscription: Subscription): void {
    this.#subscriptions = [...this.#subscriptions, subscription];
  }

  remove(queue: Queue): void {
    this.#subscriptions = this.#subscriptions.filter((each) => each.queue !== queue);
  }

  get counted() {
    const own = { entityId: this.entityId, sequenceNumber: this.#last };
    return [own, ...this.#subscriptions.map(({ queue }) => queue.counted)];
  }

  check(message: ParsedMessage): void {
    const { status } = this.settings;
    if (status === "Disabled" || status === "SendDisabled") throw entityDisabled(this.path);
    for (const { queue } of this.#subscriptions) queue.checkAcceptable(message);
  }

  /** A copy for each subscription with a rule that matches, and one for each rule with an action. */
  place(message: ParsedMessage, origin: Origin | null): StoredMessage[] {
    this.#last = this.numbers.next();
    const timeToLiveMs = shortest(message.timeToLiveMs, this.settings.timeToLiveMs);
    const number = origin?.enqueuedSequenceNumber ?? this.#last;
    return this.#subscriptions.flatMap(({ queue, rules }) =>
      rules
        .copies(message)
        .map((copy) => queue.place({ ...copy, timeToLiveMs }, number, origin?.hops ?? 0)),
    );
  }

  arrived(messages: readonly StoredMessage[]): void {
    for (const { queue } of this.#subscriptions) queue.arrived(messages);
  }

  markStale(): void {
    for (const { queue } of this.#subscriptions) queue.markStale();
  }
}
