/** What every broker trigger does with a message: handles it once, through outages, or dead-letters it with why. */
import { createHash } from "node:crypto";
import type { InvocationContext } from "@azure/functions";
import { inboxState, noteHandled, type InboxEntry } from "../../shared/database/platform/inbox.js";
import {
  entityPath,
  type BusEntity,
  type DeadLetterReason,
} from "../../shared/events/service-bus.js";
import { redact } from "../../shared/platform/logger.js";
import type { Services } from "../kit/services.js";
import { incomingOf, type Incoming } from "./incoming.js";
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

const hashOf = (body: unknown): Buffer =>
  createHash("sha256")
    .update(body instanceof Uint8Array ? body : JSON.stringify([body]))
    .digest();

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

type Handle = () => Promise<DeadLetterReason | undefined>;

/** What has no id that could be kept is left to its handler alone, which is safe to run twice in any case. */
const once = async (
  { database, logger }: Means,
  entry: InboxEntry | undefined,
  handle: Handle,
): Promise<DeadLetterReason | undefined> => {
  if (entry === undefined) return handle();
  const { entity, messageId } = entry;
  switch (await inboxState(database, entry)) {
    case "handled":
      logger.info("A message came again and was passed over.", { entity, messageId });
      return undefined;
    case "reused":
      return idReused(messageId);
    case "unknown": {
      const why = await handle();
      if (why === undefined && !(await noteHandled(database, entry)))
        logger.error("Two messages with one id and different bodies were handled at once.", {
          ...{ entity, messageId },
        });
      return why;
    }
  }
};

/** Undefined: it was handled, now or before. */
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
  try {
    return await throughOutage(means, name, () => once(means, entry, handle));
  } catch (error) {
    if (deliveryCount < deliveriesMax) throw error;
    means.logger.error("A message could not be handled.", { entity: path, messageId, error });
    return handlingFailed(error);
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
  context: Pick<InvocationContext, "triggerMetadata">,
  body: unknown,
  handle: Handle,
): Promise<void> => {
  const incoming = incomingOf(context);
  const why = await outcomeOf(means, source, incoming, body, handle);
  if (why === undefined) return;
  const { messageId, lockToken } = incoming;
  const sessionId = source.hasSessions === true ? incoming.sessionId : undefined;
  means.logger.warn("A message is dead-lettered.", {
    ...{ entity: entityPath(source.entity), messageId, ...why },
  });
  await means.bus.deadLetter({ entity: source.entity, lockToken, sessionId }, why);
};
