/** A message as the broker keeps it, and as it goes out to a receiver. */
import { encodeAnnotations, encodeHeader } from "../wire/sections.js";
import { types, type Typed } from "../wire/rhea.js";

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
  readonly annotations: Buffer | null;
  bare: Buffer;
  state: MessageState;
  /** How many deliveries of it have failed. */
  deliveryCount: number;
  /** Whether it is out with a receiver: after a crash this delivery counts as failed. */
  delivered: boolean;
}

/** The header's field is 32 bits wide; a longer life cannot be told. */
const longestTimeToLiveMs = 0xffff_ffff;

/** The bytes of one delivery: header and annotations are ours, the bare message is the sender's. */
export const encodeDelivery = (message: StoredMessage, lockedUntilMs: number | null): Buffer => {
  const { timeToLiveMs } = message;
  const state = message.scheduledForMs === null ? stateCodes[message.state] : stateCodes.scheduled;
  const own = new Map<string, Typed>([
    ["x-opt-sequence-number", types.Long(message.sequenceNumber)],
    ["x-opt-enqueue-sequence-number", types.Long(message.enqueuedSequenceNumber)],
    ["x-opt-enqueued-time", types.Timestamp(message.enqueuedAtMs)],
    ["x-opt-message-state", types.wrap_int(state)],
  ]);
  if (lockedUntilMs !== null) own.set("x-opt-locked-until", types.Timestamp(lockedUntilMs));
  return Buffer.concat([
    encodeHeader(
      timeToLiveMs !== null && timeToLiveMs <= longestTimeToLiveMs ? timeToLiveMs : null,
      message.deliveryCount,
    ),
    encodeAnnotations(message.annotations, own),
    message.bare,
  ]);
};
