/** Topic `platform-events`: starts and wakes the flows that a message concerns. */
import type { InvocationContext } from "@azure/functions";
import { app, type DurableClient } from "durable-functions";
import { z } from "zod";
import { walletOnboardingId } from "../../orchestrations/wallet-onboarding.flow.js";
import { onboardingAttempt } from "../../shared/database/onboarding/flow-state.js";
import { raise, startOnce, type FlowClient } from "../../shared/durable/flow-client.js";
import type { DeadLetterReason } from "../../shared/events/service-bus.js";
import type { Services } from "../kit/services.js";
import { flowCommands, type FlowCommand } from "./flow-commands.js";
import { handleMessage } from "./handle-message.js";
import { incomingOf } from "./incoming.js";
import { unreadable } from "./unreadable.js";

type Means = Pick<Services, "database">;

const carryOut = async (
  { database }: Means,
  client: FlowClient,
  command: FlowCommand,
): Promise<void> => {
  if (command.do === "start") {
    await startOnce(client, command.start);
    return;
  }
  if (command.do === "wakeOnboarding") {
    const { walletId, event } = command;
    const attempt = await onboardingAttempt(database, walletId);
    // A wallet that is gone for good wakes the flow that it began with, which finds that out.
    await raise(client, walletOnboardingId(walletId, attempt ?? 1), event, null);
    return;
  }
  // An instance that is not there needs no waking: whoever starts it reads the present state.
  await raise(client, command.instanceId, command.event, command.data);
};

/** What cannot be read is the reason for its dead letter. */
const commandsOf = (
  subject: string,
  body: unknown,
): readonly FlowCommand[] | { readonly unread: DeadLetterReason } => {
  try {
    return flowCommands(subject, body);
  } catch (error) {
    if (error instanceof z.ZodError) return { unread: unreadable(error) };
    throw error;
  }
};

/** One by one and in order: an event is raised only after its flow was started. */
export const dispatch = async (
  means: Means,
  client: FlowClient,
  subject: string,
  body: unknown,
): Promise<DeadLetterReason | undefined> => {
  const commands = commandsOf(subject, body);
  if ("unread" in commands) return commands.unread;
  for (const command of commands) await carryOut(means, client, command);
  return undefined;
};

const topic = "platform-events";
const subscription = "flows";

export const registerPlatformEvents = (services: Services): void => {
  app.client.serviceBusTopic("platformEvents", {
    connection: "ServiceBus",
    topicName: topic,
    subscriptionName: subscription,
    isSessionsEnabled: true,
    handler: (message: unknown, client: DurableClient, context: InvocationContext) =>
      handleMessage(
        services,
        { name: "platformEvents", entity: { topic, subscription }, hasSessions: true },
        context,
        message,
        () => dispatch(services, client, incomingOf(context).subject ?? "", message),
      ),
  });
};
