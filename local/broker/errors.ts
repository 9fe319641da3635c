/** What the broker refuses, in the error conditions that client libraries turn into codes of their own. */
import { isOutage } from "../../shared/platform/outage.js";

export const conditions = {
  entityNotFound: "amqp:not-found",
  unauthorized: "amqp:unauthorized-access",
  notAllowed: "amqp:not-allowed",
  notImplemented: "amqp:not-implemented",
  invalidField: "amqp:invalid-field",
  decodeError: "amqp:decode-error",
  illegalState: "amqp:illegal-state",
  internalError: "amqp:internal-error",
  resourceLimitExceeded: "amqp:resource-limit-exceeded",
  preconditionFailed: "amqp:precondition-failed",
  detachForced: "amqp:link:detach-forced",
  connectionForced: "amqp:connection:forced",
  framingError: "amqp:connection:framing-error",
  handleInUse: "amqp:session:handle-in-use",
  messageTooLarge: "amqp:link:message-size-exceeded",
  transferLimitExceeded: "amqp:link:transfer-limit-exceeded",
  serverBusy: "com.microsoft:server-busy",
  timeout: "com.microsoft:timeout",
  entityExists: "com.microsoft:entity-already-exists",
  entityDisabled: "com.microsoft:entity-disabled",
  messageLockLost: "com.microsoft:message-lock-lost",
  messageNotFound: "com.microsoft:message-not-found",
  sessionLockLost: "com.microsoft:session-lock-lost",
  sessionCannotBeLocked: "com.microsoft:session-cannot-be-locked",
} as const;

export type Condition = (typeof conditions)[keyof typeof conditions];

/** A refusal that goes back over the wire: the condition picks the client's code, the message is for people. */
export class BrokerError extends Error {
  override readonly name = "BrokerError";
  readonly condition: Condition;

  constructor(condition: Condition, message: string) {
    super(message);
    this.condition = condition;
  }
}

/*
 * The sentences are the service's own where it is known to say them: people look for them, and code
 * compares them.
 */

/** The clients recognise a missing entity by this sentence, not by the condition alone. */
export const entityNotFound = (address: string): BrokerError =>
  new BrokerError(
    conditions.entityNotFound,
    `The messaging entity '${address}' could not be found.`,
  );

export const entityDisabled = (address: string): BrokerError =>
  new BrokerError(
    conditions.entityDisabled,
    `The messaging entity '${address}' is currently disabled for this operation.`,
  );

export const messageLockLost = (): BrokerError =>
  new BrokerError(
    conditions.messageLockLost,
    "The lock supplied is invalid. Either the lock expired, or the message has already been removed " +
      "from the queue, or was received by a different receiver instance.",
  );

export const sessionLockLost = (): BrokerError =>
  new BrokerError(
    conditions.sessionLockLost,
    "The session lock has expired on the MessageSession. Accept a new MessageSession.",
  );

export const messageNotFound = (): BrokerError =>
  new BrokerError(
    conditions.messageNotFound,
    "Failed to lock one or more specified messages. Either the message is already locked or does not " +
      "exist.",
  );

/** The clients try again by themselves. */
export const serverBusy = (): BrokerError =>
  new BrokerError(
    conditions.serverBusy,
    "The broker's database does not answer at the moment. Try again.",
  );

/** Anything thrown, as a refusal: an outage passes, anything else is a defect, told by its message alone. */
export const asBrokerError = (error: unknown): BrokerError => {
  if (error instanceof BrokerError) return error;
  if (isOutage(error)) return serverBusy();
  return new BrokerError(
    conditions.internalError,
    error instanceof Error ? error.message : "The broker failed.",
  );
};
