/** Binds a queue of the outside world to its handler; what cannot be read is dead-lettered, with why. */
import { app } from "@azure/functions";
import type { FunctionInput, InvocationContext } from "@azure/functions";
import type { z } from "zod";
import type { DeadLetterReason } from "../../shared/events/service-bus.js";
import type { Services } from "../kit/services.js";
import { handleMessage } from "./handle-message.js";
import { unreadable } from "./unreadable.js";

export interface QueueTrigger<Message extends z.ZodType> {
  readonly name: string;
  readonly queue: string;
  readonly message: Message;
  readonly extraInputs?: readonly FunctionInput[];
  /**
   * A returned reason dead-letters the message; what it throws brings the message back, an outage once it has
   * lasted for minutes. Safe to run twice: a message may come again before it is known to be handled.
   */
  readonly handle: (
    services: Services,
    message: z.output<Message>,
    context: InvocationContext,
  ) => Promise<DeadLetterReason | undefined>;
}

export const registerQueueTrigger = <Message extends z.ZodType>(
  services: Services,
  { name, queue, message, extraInputs = [], handle }: QueueTrigger<Message>,
): void => {
  app.serviceBusQueue(name, {
    connection: "ServiceBus",
    queueName: queue,
    extraInputs: [...extraInputs],
    handler: (body, context) =>
      handleMessage(services, { name, entity: { queue } }, context, body, async () => {
        const parsed = message.safeParse(body);
        return parsed.success ? handle(services, parsed.data, context) : unreadable(parsed.error);
      }),
  });
};
