/** Management operations on messages: locks, peeking, scheduling, deferred messages. */
import { z } from "zod";
import { deadLetterChanges } from "../entities/dead-letter.js";
import type { Dispatcher } from "../entities/dispatcher.js";
import { encodeDelivery } from "../entities/delivery.js";
import { types } from "../wire/rhea.js";
import { parseMessage } from "../wire/sections.js";
import { longArray, swapGuidOrder, timestampArray } from "../wire/values.js";
import { destinationOf, queueOf, type Operation } from "./management.js";
import { messageBytesMax, messageTooLarge } from "../links/sender-link.js";
import { Bytes, LockTokens, parseBody, SequenceNumbers, SessionId } from "./request-body.js";

const peekCountMax = 250;
/** One answer is one message, so that what it holds has to stay small. */
const peekBytesMax = 1024 * 1024;
const receiveAndDeleteMode = 0;

const RenewLock = z.object({ "lock-tokens": LockTokens, "session-id": SessionId });
const Peek = z.object({
  "from-sequence-number": z.int().default(1),
  "message-count": z.int().min(1).default(1),
  "session-id": SessionId,
  "omit-message-body": z.boolean().nullish(),
});
const Schedule = z.object({ messages: z.array(z.object({ message: Bytes })) });
const Numbers = z.object({ "sequence-numbers": SequenceNumbers });
const Receive = Numbers.extend({
  "receiver-settle-mode": z.number().default(1),
  "session-id": SessionId,
});
const Disposition = z.object({
  "lock-tokens": LockTokens,
  "disposition-status": z.enum(["completed", "abandoned", "defered", "suspended"]),
  "deadletter-reason": z.string().nullish(),
  "deadletter-description": z.string().nullish(),
  "properties-to-modify": z.record(z.string(), z.unknown()).nullish(),
  "session-id": SessionId,
});

const settle = async (
  dispatcher: Dispatcher,
  token: Buffer,
  disposition: z.output<typeof Disposition>,
): Promise<void> => {
  const changes = new Map(
    Object.entries(disposition["properties-to-modify"] ?? {}).map(([key, value]) => [
      key,
      types.wrap(value),
    ]),
  );
  switch (disposition["disposition-status"]) {
    case "completed":
      return dispatcher.complete(token);
    case "abandoned":
      return dispatcher.abandon(token, changes);
    case "defered":
      return dispatcher.defer(token, changes);
    case "suspended": {
      const reasons = deadLetterChanges(
        disposition["deadletter-reason"] ?? undefined,
        disposition["deadletter-description"] ?? undefined,
      );
      return dispatcher.deadLetter(token, new Map([...changes, ...reasons]));
    }
  }
};

const renewLock: Operation = async (entity, body) => {
  const { "lock-tokens": tokens, "session-id": sessionId } = parseBody(RenewLock, body);
  const dispatcher = queueOf(entity).dispatcherFor(sessionId, entity.linkName);
  const locks = tokens.map((token) => dispatcher.renew(swapGuidOrder(token)));
  return { expirations: timestampArray(locks.map(({ lockedUntilMs }) => lockedUntilMs)) };
};

/** In a topic itself there are its scheduled messages. */
const peekMessage: Operation = async (entity, body) => {
  const request = parseBody(Peek, body);
  const { entityId, reader } = entity.queue ?? destinationOf(entity);
  const found = await reader.peek({
    entityId,
    sessionId: request["session-id"],
    from: request["from-sequence-number"],
    countMax: Math.min(request["message-count"], peekCountMax),
    nowMs: Date.now(),
  });
  let bytes = 0;
  const shown = found.filter((message, index) => {
    bytes += message.bare.length;
    return index === 0 || bytes <= peekBytesMax;
  });
  if (shown.length === 0) return null;
  const shape = { omitsBody: request["omit-message-body"] === true };
  return { messages: shown.map((message) => ({ message: encodeDelivery(message, null, shape) })) };
};

const scheduleMessage: Operation = async (entity, body) => {
  const { messages } = parseBody(Schedule, body);
  if (messages.some(({ message }) => message.length > messageBytesMax)) throw messageTooLarge();
  const parsed = messages.map(({ message }) => parseMessage(message));
  return { "sequence-numbers": longArray(await destinationOf(entity).send(parsed)) };
};

const cancelScheduledMessage: Operation = async (entity, body) => {
  const { "sequence-numbers": numbers } = parseBody(Numbers, body);
  await destinationOf(entity).cancelScheduled(numbers);
  return {};
};

const receiveBySequenceNumber: Operation = async (entity, body) => {
  const request = parseBody(Receive, body);
  const queue = queueOf(entity);
  const received = await queue.receiveDeferred(request["sequence-numbers"], {
    dispatcher: queue.dispatcherFor(request["session-id"], entity.linkName),
    locks: request["receiver-settle-mode"] !== receiveAndDeleteMode,
  });
  return {
    messages: received.map(({ message, lock }) => ({
      message: encodeDelivery(message, lock?.lockedUntilMs ?? null),
      ...(lock === null ? {} : { "lock-token": types.wrap_uuid(swapGuidOrder(lock.token)) }),
    })),
  };
};

const updateDisposition: Operation = async (entity, body) => {
  const disposition = parseBody(Disposition, body);
  const dispatcher = queueOf(entity).dispatcherFor(disposition["session-id"], entity.linkName);
  for (const token of disposition["lock-tokens"])
    await settle(dispatcher, swapGuidOrder(token), disposition);
  return {};
};

export const sendingOperations = {
  "schedule-message": scheduleMessage,
  "cancel-scheduled-message": cancelScheduledMessage,
} satisfies Record<string, Operation>;

export const receivingOperations = {
  "renew-lock": renewLock,
  "peek-message": peekMessage,
  "receive-by-sequence-number": receiveBySequenceNumber,
  "update-disposition": updateDisposition,
} satisfies Record<string, Operation>;
