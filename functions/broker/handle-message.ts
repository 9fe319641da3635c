/** What every broker trigger does with a message: handles it once, through outages, or dead-letters it with why. */
import type { InvocationContext } from "@azure/functions";
import {
  entityPath,
  type BusEntity,
  type DeadLetterReason,
} from "../../shared/events/service-bus.js";
import { redact } from "../../shared/platform/logger.js";
import { meters } from "../../shared/platform/telemetry/meters.js";
import { incomingParent, traceIdOf } from "../../shared/platform/telemetry/trace-context.js";
import { tracing, type Span, type SpanStart } from "../../shared/platform/telemetry/tracing.js";
import type { Services } from "../kit/services.js";
import { incomingOf, type Incoming } from "./incoming.js";
import { hashOf, once, type Handle } from "./once.js";
import { throughOutage } from "./outage-patience.js";

export interface MessageSource {
  /** The trigger's. */
  readonly name: string;
  readonly entity: BusEntity;
  readonly hasSessions?: boolean;
}

type Means = Pick<Services, "bus" | "database" | "logger" | "note">;

/** As many as each entity of the broker has: after these it would dead-letter the message without a reason. */
export const deliveriesMax = 10;

/** The broker keeps a description of at most 4,096 characters. */
const descriptionMax = 1_000;

const idReused = (messageId: string): DeadLetterReason => ({
  reason: "MessageIdReused",
  description: `A message with the id ${messageId} and another body was handled before. Resend this one if it counts, too: it then has an id of its own.`,
});

/** The error in a sentence; the whole of it is in the log. */
const handlingFailed = (error: unknown): DeadLetterReason => {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const code = error instanceof Error && "code" in error ? ` ${String(error.code)}` : "";
  return {
    reason: "HandlingFailed",
    description: redact(
      `Its handling failed ${String(deliveriesMax)} times, at last with ${name}${code}: ${message}`,
    ).slice(0, descriptionMax),
  };
};

/** Undefined: it was handled, now or before. What has no id is left to its handler, which is safe to run twice. */
const outcomeOf = async (
  means: Means,
  { name, entity }: MessageSource,
  { messageId, deliveryCount }: Incoming,
  body: unknown,
  handle: Handle,
): Promise<DeadLetterReason | undefined> => {
  const path = entityPath(entity);
  const entry =
    messageId === undefined ? undefined : { entity: path, messageId, bodyHash: hashOf(body) };
  const handleOnce =
    entry === undefined ? handle : () => once(means, entry, idReused(entry.messageId), handle);
  try {
    return await throughOutage(means, name, handleOnce);
  } catch (error) {
    if (deliveryCount < deliveriesMax) throw error;
    means.logger.error("A message could not be handled.", { entity: path, messageId, error });
    return handlingFailed(error);
  }
};

/** The broker dead-letters it with a reason. */
const deadLetter = async (
  means: Means,
  source: MessageSource,
  incoming: Incoming,
  why: DeadLetterReason,
): Promise<void> => {
  const { messageId, lockToken } = incoming;
  const sessionId = source.hasSessions === true ? incoming.sessionId : undefined;
  means.logger.warn("A message is dead-lettered.", {
    ...{ entity: entityPath(source.entity), messageId, ...why },
  });
  await means.bus.deadLetter({ entity: source.entity, lockToken, sessionId }, why);
};

/** By the semantic conventions for messaging, as the Service Bus's are. */
const attributesOf = ({ entity }: MessageSource) => ({
  "messaging.system": "servicebus",
  "messaging.operation.name": "process",
  "messaging.operation.type": "process",
  ...("queue" in entity
    ? { "messaging.destination.name": entity.queue }
    : {
        "messaging.destination.name": entity.topic,
        "messaging.destination.subscription.name": entity.subscription,
      }),
});

const spanOf = (source: MessageSource, { messageId, deliveryCount }: Incoming): SpanStart => ({
  name: `process ${entityPath(source.entity)}`,
  kind: "consumer",
  attributes: {
    ...attributesOf(source),
    "messaging.message.id": messageId,
    "messaging.servicebus.message.delivery_count": deliveryCount,
  },
});

/** What is handled is told of to those who look closely: the call or the flow that it belongs to has a line. */
const logMessage = (
  { logger }: Means,
  { entity }: MessageSource,
  { messageId, subject, deliveryCount, traceParent }: Incoming,
  disposition: string,
  durationMs: number,
): void => {
  const fields = {
    ...{ entity: entityPath(entity), messageId, subject, deliveryCount, disposition },
    durationMs: Math.round(durationMs * 10) / 10,
    ...(traceParent !== undefined && { traceId: traceIdOf(traceParent) }),
  };
  if (disposition === "abandon") logger.warn("A message goes back to the broker.", fields);
  else logger.debug("Message handled.", fields);
};

const measured = async (
  means: Means,
  span: Span,
  source: MessageSource,
  incoming: Incoming,
  work: () => Promise<DeadLetterReason | undefined>,
): Promise<void> => {
  const beganMs = performance.now();
  let disposition = "abandon";
  try {
    const why = await work();
    disposition = why === undefined ? "complete" : "dead_letter";
    if (why !== undefined) span.fail(why.reason);
  } finally {
    const durationMs = performance.now() - beganMs;
    logMessage(means, source, incoming, disposition, durationMs);
    if (tracing.isOn()) {
      const attributes = { "messaging.servicebus.disposition_status": disposition };
      span.set(attributes);
      meters.record("messaging.process.duration", durationMs / 1_000, {
        ...attributesOf(source),
        ...attributes,
      });
    }
  }
};

/**
 * A reason that `handle` returns dead-letters the message. What it throws brings the message back, an outage once
 * it has lasted for minutes; what the last delivery throws is the reason.
 *
 * The host settles messages by itself, and only ever completes or abandons them. So the platform dead-letters by
 * the message's lock token first; the host's own completion then finds the lock gone, which it logs and leaves at
 * that. See docs/decisions/0003-poison-by-lock-token.md.
 */
export const handleMessage = async (
  means: Means,
  source: MessageSource,
  context: Pick<InvocationContext, "triggerMetadata" | "traceContext">,
  body: unknown,
  handle: Handle,
): Promise<void> => {
  const incoming = incomingOf(context);
  const ofHost = tracing.isOn() ? context.traceContext?.traceParent : undefined;
  const parent = incomingParent(incoming.traceParent, ofHost);
  await tracing.within({ ...spanOf(source, incoming), parent }, async (span) => {
    await measured(means, span, source, incoming, async () => {
      const why = await outcomeOf(means, source, incoming, body, handle);
      if (why !== undefined) await deadLetter(means, source, incoming, why);
      return why;
    });
  });
};
