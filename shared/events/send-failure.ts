/** Whose fault it is that a message was not taken: its own, its destination's or the broker's. */
import { isServiceBusError } from "@azure/service-bus";

/** The client finds that a message cannot be sent, whoever it is sent to. */
export class UnsendableMessageError extends Error {
  override readonly name = "UnsendableMessageError";
}

/**
 * `message`: refused for its own sake, and will be again; `destination`: it takes nothing until somebody
 * mends it; `broker`: away or busy, and back by itself; `unclear`: the broker fails, which may be due to
 * this message or to nothing in it.
 */
export type Blame = "message" | "destination" | "broker" | "unclear";

/** By the client's code. */
const blames: Readonly<Record<string, Blame>> = {
  MessageSizeExceeded: "message",
  MessagingEntityNotFound: "destination",
  MessagingEntityDisabled: "destination",
  UnauthorizedAccess: "destination",
  QuotaExceeded: "destination",
};

/** By the name that the client puts before the broker's words where it has no code for them. */
const generalBlames: Readonly<Record<string, Blame>> = {
  ArgumentError: "message",
  ArgumentOutOfRangeError: "message",
  DecodeError: "message",
  InvalidFieldError: "message",
  InvalidOperationError: "message",
  NotImplementedError: "message",
  FramingError: "unclear",
  IllegalStateError: "unclear",
  InternalServerError: "unclear",
};

export const blameFor = (failure: unknown): Blame => {
  if (failure instanceof UnsendableMessageError) return "message";
  if (!isServiceBusError(failure)) return "broker";
  if (failure.code !== "GeneralError") return blames[failure.code] ?? "broker";
  const name = /^(\w+Error): /.exec(failure.message)?.[1];
  return name === undefined ? "unclear" : (generalBlames[name] ?? "broker");
};
