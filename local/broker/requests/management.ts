/** What management operations are about, and what they are. */
import { BrokerError, conditions } from "../errors.js";
import type { Destination } from "../entities/destination.js";
import type { Queue } from "../entities/queue.js";
import type { Subscription } from "../entities/routers.js";
import type { EntityStore } from "../storage/entity-store.js";

/** What an address stands for: a topic has no queue, only a subscription has rules. */
export interface ManagedEntity {
  readonly queue: Queue | undefined;
  readonly destination: Destination | undefined;
  readonly subscription: Subscription | undefined;
  readonly entities: EntityStore;
}

/** An entity as one request is about it. */
export interface Managed extends ManagedEntity {
  /** The receiver for which the request is made, where the client says so. */
  readonly linkName: string | undefined;
}

/** Answers the body of the reply; null stands for "there is none". */
export type Operation = (
  entity: Managed,
  body: unknown,
) => Promise<Readonly<Record<string, unknown>> | null>;

export const queueOf = ({ queue }: ManagedEntity): Queue => {
  if (queue !== undefined) return queue;
  throw new BrokerError(
    conditions.notAllowed,
    "A topic has no messages to take; ask a subscription.",
  );
};

export const destinationOf = ({ destination }: ManagedEntity): Destination => {
  if (destination !== undefined) return destination;
  throw new BrokerError(conditions.notAllowed, "Messages are sent to queues and topics only.");
};
