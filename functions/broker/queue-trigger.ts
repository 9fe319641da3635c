/** Binds a queue of the outside world to its handler; what cannot be read is dead-lettered, with why. */
import { app } from "@azure/functions";
import type { FunctionInput, InvocationContext } from "@azure/functions";
import { z } from "zod";
import type { DeadLetterReason } from "../../shared/events/service-bus.js";
import { issueProperties } from "../../shared/http/schema-issues.js";
import type { Services } from "../kit/services.js";
import { throughOutage } from "./outage-patience.js";

export interface QueueTrigger<Message extends z.ZodType> {
  readonly name: string;
  readonly queue: string;
  readonly message: Message;
  readonly extraInputs?: readonly FunctionInput[];
  /**
   * A returned reason dead-letters the message; what it throws brings the message back, an outage once it has
   * lasted for minutes.
   */
  readonly handle: (
    services: Services,
    message: z.output<Message>,
    context: InvocationContext,
  ) => Promise<DeadLetterReason | undefined>;
}

const Metadata = z.object({ messageId: z.string().default("?"), lockToken: z.string() });

/** The broker keeps a description of at most 4,096 characters. */
const descriptionMax = 1_000;

const unreadable = ({ issues }: z.ZodError): DeadLetterReason => ({
  reason: "MessageInvalid",
  description: Object.entries(issueProperties(issues))
    .map(([place, sentence]) => `${place === "" ? "The body" : place} ${sentence}`)
    .join(" ")
    .slice(0, descriptionMax),
});

/**
 * The host settles messages by itself, and only ever completes or abandons them. So the platform
 * dead-letters by the message's lock token first; the host's own completion then finds the lock
 * gone, which it logs and leaves at that. See docs/decisions/0003-poison-by-lock-token.md.
 */
const deadLetter = async (
  { bus, logger }: Services,
  queue: string,
  context: InvocationContext,
  why: DeadLetterReason,
): Promise<void> => {
  const { messageId, lockToken } = Metadata.parse(context.triggerMetadata);
  logger.warn("A message is dead-lettered.", { queue, messageId, ...why });
  await bus.deadLetter(queue, lockToken, why);
};

export const registerQueueTrigger = <Message extends z.ZodType>(
  services: Services,
  trigger: QueueTrigger<Message>,
): void => {
  app.serviceBusQueue(trigger.name, {
    connection: "ServiceBus",
    queueName: trigger.queue,
    extraInputs: [...(trigger.extraInputs ?? [])],
    handler: async (body, context) => {
      const parsed = trigger.message.safeParse(body);
      const why = parsed.success
        ? await throughOutage(services, trigger.name, () =>
            trigger.handle(services, parsed.data, context),
          )
        : unreadable(parsed.error);
      if (why !== undefined) await deadLetter(services, trigger.queue, context, why);
    },
  });
};
