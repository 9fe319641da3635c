/** Brings claimed messages to one destination, and writes down what became of them. */
import {
  holdRefused,
  retryWaits,
  type HeldMessage,
  type Refusal,
} from "../database/outbox/held.js";
import { recordAttempts, type Attempt, type WaitingMessage } from "../database/outbox/outbox.js";
import type { Sequences } from "../database/outbox/sequences.js";
import type { Queryable } from "../database/platform/database.js";
import { redact, type Logger } from "../platform/logger.js";
import { tracing, type Span } from "../platform/telemetry/tracing.js";
import type { Destinations } from "./destinations.js";
import { toOutgoing } from "./outgoing-message.js";

/** What became of messages at one destination or more. */
export interface Delivered {
  readonly attempts: readonly Attempt[];
  readonly refusals: readonly Refusal[];
}

const errorLengthMax = 500;

/** As a column keeps it: short, without secrets. */
const errorText = (error: unknown): string => {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return redact(text.replaceAll("\0", "")).slice(0, errorLengthMax);
};

/** Messages of many traces go in one batch: each has a span in its own. What has no trace begins none. */
const beginSending = (
  destination: string,
  messages: readonly WaitingMessage[],
): ReadonlyMap<bigint, Span> => {
  const spans = new Map<bigint, Span>();
  for (const { outboxId, messageId, traceParent } of messages)
    if (traceParent !== null) {
      const attributes = {
        "messaging.system": "servicebus",
        "messaging.operation.name": "send",
        "messaging.operation.type": "send",
        "messaging.destination.name": destination,
        "messaging.message.id": messageId,
        "messaging.batch.message_count": messages.length,
      };
      const name = `send ${destination}`;
      spans.set(
        outboxId,
        tracing.begin({ name, kind: "producer", parent: traceParent, attributes }),
      );
    }
  return spans;
};

export const deliver = async (
  destinations: Destinations,
  destination: string,
  messages: readonly WaitingMessage[],
  sequences: Sequences,
): Promise<Delivered> => {
  const spans = beginSending(destination, messages);
  const { accepted, refused, tried } = await destinations.send(destination, messages, (message) => {
    const traceParent = spans.get(message.outboxId)?.traceParent ?? null;
    return toOutgoing({ ...message, traceParent }, sequences.get(message.outboxId));
  });
  for (const { message } of refused) spans.get(message.outboxId)?.fail("refused");
  for (const { outboxId } of tried) spans.get(outboxId)?.fail("unavailable");
  for (const span of spans.values()) span.end();
  const inVain = [...refused.map(({ message }) => message), ...tried];
  return {
    attempts: [
      ...accepted.map(({ outboxId }) => ({ outboxId, deliveredTo: destination })),
      ...inVain.map(({ outboxId }) => ({ outboxId, deliveredTo: null })),
    ],
    refusals: refused.map(({ message: { outboxId }, error }) => ({
      outboxId,
      destination,
      error: errorText(error),
    })),
  };
};

const tell = (logger: Logger, held: HeldMessage, refusals: readonly Refusal[]): void => {
  const { outboxId, destination, failures, isGivenUp } = held;
  const refusal = refusals.find(
    (one) => one.outboxId === outboxId && one.destination === destination,
  );
  const fields = { outboxId, destination, failures, error: refusal?.error };
  if (failures === 1)
    logger.warn("a destination refuses a message; its session waits there", fields);
  if (isGivenUp && failures === retryWaits.length + 1)
    logger.error("a message that its destination refuses is given up on", fields);
};

/** In the session that claimed the messages. */
export const recordDelivered = async (
  session: Queryable,
  logger: Logger,
  claimed: readonly WaitingMessage[],
  delivered: readonly Delivered[],
): Promise<void> => {
  await recordAttempts(
    session,
    delivered.flatMap(({ attempts }) => attempts),
  );
  const refusals = delivered.flatMap((one) => one.refusals);
  if (refusals.length === 0 && claimed.every(({ heldAt }) => heldAt.length === 0)) return;
  for (const held of await holdRefused(session, refusals, claimed)) tell(logger, held, refusals);
};
