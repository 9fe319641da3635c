/** Each way in which a send can fail is somebody's fault: the message's, the destination's or the broker's. */
import { ServiceBusError, type ServiceBusErrorCode } from "@azure/service-bus";
import { expect, test } from "vitest";
import { blameFor, UnsendableMessageError } from "../../../shared/events/send-failure.js";

test.each<[ServiceBusErrorCode, string]>([
  ["MessageSizeExceeded", "message"],
  ["MessagingEntityNotFound", "destination"],
  ["MessagingEntityDisabled", "destination"],
  ["UnauthorizedAccess", "destination"],
  ["QuotaExceeded", "destination"],
  ["ServiceBusy", "broker"],
  ["ServiceTimeout", "broker"],
  ["ServiceCommunicationProblem", "broker"],
])("%s is blamed on the %s", (code, blame) => {
  expect(blameFor(new ServiceBusError("words", code))).toBe(blame);
});

test.each([
  ["InvalidFieldError: words", "message"],
  ["DecodeError: words", "message"],
  ["InvalidOperationError: words", "message"],
  ["ArgumentError: words", "message"],
  ["ConnectionForcedError: words", "broker"],
  ["DetachForcedError: words", "broker"],
  ["OperationTimeoutError: words", "broker"],
  ["InternalServerError: words", "unclear"],
  ["words without a name", "unclear"],
])("what has no code of its own and reads '%s' is blamed on the %s", (words, blame) => {
  expect(blameFor(new ServiceBusError(words, "GeneralError"))).toBe(blame);
});

test.each([
  [new UnsendableMessageError("too large"), "message"],
  [new Error("read ECONNRESET"), "broker"],
  ["no error at all", "broker"],
])("%s, which is none of the broker's answers, is blamed on the %s", (failure, blame) => {
  expect(blameFor(failure)).toBe(blame);
});
