/** How a queue and a topic place the messages that are sent to them. */
import type { RuleSet } from "../filters/rule.js";
import type { ParsedMessage } from "../wire/sections.js";
import type { Router } from "./destination.js";
import type { StoredMessage } from "../storage/stored-message.js";
import { Numbers, type Entity } from "./numbers.js";
import { shortest, type Queue } from "./queue.js";

export const queueRouter = (queue: Queue): Router => ({
  entityId: queue.entityId,
  numbers: queue.numbers,
  get counted() {
    return [queue.counted];
  },
  check: (message) => queue.checkAcceptable(message),
  place: (message) => [queue.place(message, null)],
  arrived: (messages) => queue.arrived(messages),
  markStale: () => queue.markStale(),
});

export interface Subscription {
  readonly queue: Queue;
  readonly rules: RuleSet;
}

export class TopicRouter implements Router {
  readonly entityId: number;
  readonly numbers: Numbers;
  readonly #timeToLiveMs: number | null;
  readonly #subscriptions: readonly Subscription[];
  #last = 0;

  constructor(entity: Entity, timeToLiveMs: number | null, subscriptions: readonly Subscription[]) {
    this.entityId = entity.entityId;
    this.numbers = new Numbers(entity);
    this.#timeToLiveMs = timeToLiveMs;
    this.#subscriptions = subscriptions;
  }

  get counted() {
    const own = { entityId: this.entityId, sequenceNumber: this.#last };
    return [own, ...this.#subscriptions.map(({ queue }) => queue.counted)];
  }

  check(message: ParsedMessage): void {
    for (const { queue } of this.#subscriptions) queue.checkAcceptable(message);
  }

  /** One copy for each subscription with a rule that matches; perhaps none. */
  place(message: ParsedMessage): StoredMessage[] {
    this.#last = this.numbers.next();
    const timeToLiveMs = shortest(message.timeToLiveMs, this.#timeToLiveMs);
    return this.#subscriptions
      .filter(({ rules }) => rules.matches(message.bare))
      .map(({ queue }) => queue.place({ ...message, timeToLiveMs }, this.#last));
  }

  arrived(messages: readonly StoredMessage[]): void {
    for (const { queue } of this.#subscriptions) queue.arrived(messages);
  }

  markStale(): void {
    for (const { queue } of this.#subscriptions) queue.markStale();
  }
}
