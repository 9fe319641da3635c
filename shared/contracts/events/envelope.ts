/** What every message to a partner has besides its payload: the envelope in its body, the broker's properties. */
import { z } from "zod";
import { DateTime, Id, Text } from "./fields.js";

const int32Max = 2 ** 31 - 1;

/** Wallet seed, section 6. */
export const envelope = {
  messageVersion: z.int().min(1).max(int32Max).describe("Of the event's fields: 1."),
  messagePublisher: Text.describe("`Borsello`."),
  timestamp: DateTime.describe("As `messageCreationDate`, which new readers prefer."),
  id: Id.describe("Of the event, and of its message: where it comes twice, it is the same event."),
  messageCreationDate: DateTime.describe("When the change was made."),
  messagePublishDate: DateTime.describe("The same: each delivery of the event has the same body."),
  isLastRetry: z.boolean().describe("Always false: a partner sees no retries."),
} as const;

const counted = z.int().positive();

/** The application properties of a message (contract 4.7); CloudEvents' by its AMQP binding. */
export const MessageProperties = z
  .object({
    partnerKey: z.string().describe("Whose event it is."),
    sequence: counted.describe(
      "Numbers all messages of the partner, 1, 2, 3 … without a gap: what is missing is still to come, " +
        "or was lost on the reader's side.",
    ),
    entityVersion: counted
      .nullable()
      .describe("Counts the changes of what the event is about; null where a person forced it."),
    attempt: counted.describe("How often the platform has tried to send it."),
    traceparent: z
      .string()
      .max(55)
      .optional()
      .describe(
        "The trace of the call that the event comes of (W3C Trace Context), where it has one.",
      ),
    "Diagnostic-Id": z
      .string()
      .max(55)
      .optional()
      .describe("The same, under the name that Azure's libraries read."),
    "cloudEvents:specversion": z.literal("1.0"),
    "cloudEvents:id": Id.describe("The event's; a replay's, too."),
    "cloudEvents:source": z.string().describe("`/partners/` and the partner's name."),
    "cloudEvents:type": z.string().describe("The event's name, which is the message's subject."),
  })
  .meta({ id: "MessageProperties" });
