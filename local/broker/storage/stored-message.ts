/** A message as the broker keeps it. */

export type MessageState = "active" | "deferred" | "scheduled";

/** The numbers of the states, on the wire and in the database. */
export const stateCodes = { active: 0, deferred: 1, scheduled: 2 } as const satisfies Record<
  MessageState,
  number
>;

export interface MessageKey {
  readonly entityId: number;
  readonly sequenceNumber: number;
}

export interface StoredMessage extends MessageKey {
  /** The number that the queue or topic gave it when it was sent there. */
  readonly enqueuedSequenceNumber: number;
  readonly messageId: string;
  /** Kept only where the entity requires sessions; elsewhere it is just a field of the message. */
  readonly sessionId: string | null;
  readonly enqueuedAtMs: number;
  readonly expiresAtMs: number | null;
  /** Stays after activation: receivers may see that the message was a scheduled one. */
  readonly scheduledForMs: number | null;
  readonly timeToLiveMs: number | null;
  /** Of the sender's header, where it set them. */
  readonly durable: boolean | null;
  readonly priority: number | null;
  readonly annotations: Buffer | null;
  bare: Buffer;
  state: MessageState;
  /** How many deliveries of it have failed. */
  deliveryCount: number;
  /** Whether it is out with a receiver: after a crash this delivery counts as failed. */
  delivered: boolean;
  /** How often it was forwarded. */
  readonly hops: number;
}
