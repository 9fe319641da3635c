/** A message of the outbox as it goes to the broker. */
import type { WaitingMessage } from "../database/outbox/outbox.js";
import { cloudEventProperties } from "./cloud-events.js";
import type { OutgoingMessage } from "./service-bus.js";
import { traceProperties } from "./trace-properties.js";

type Sendable = Pick<
  WaitingMessage,
  | "messageId"
  | "subject"
  | "sessionId"
  | "body"
  | "partnerKey"
  | "isNumbered"
  | "entityVersion"
  | "attempts"
  | "traceParent"
>;

/** Messages for queues and for the platform's own flows are no events of a partner. */
const cloudEventOf = ({ isNumbered, partnerKey, messageId, subject }: Sendable) =>
  isNumbered && partnerKey !== null
    ? cloudEventProperties({ id: messageId, name: subject, partnerKey })
    : {};

/** `sequence`: of what goes to a partner's topic. */
export const toOutgoing = (message: Sendable, sequence: bigint | undefined): OutgoingMessage => ({
  messageId: message.messageId,
  subject: message.subject,
  sessionId: message.sessionId,
  body: message.body,
  applicationProperties: {
    partnerKey: message.partnerKey,
    sequence: sequence === undefined ? null : Number(sequence),
    entityVersion: message.entityVersion === null ? null : Number(message.entityVersion),
    attempt: message.attempts + 1,
    ...cloudEventOf(message),
    ...traceProperties(message.traceParent),
  },
});
