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
import { handleMessage, type MessageSource } from "./handle-message.js";
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

type Reading =
  { readonly commands: readonly FlowCommand[] } | { readonly unreadable: DeadLetterReason };

const read = (subject: string, body: unknown): Reading => {
  try {
    return { commands: flowCommands(subject, body) };
  } catch (error) {
    if (error instanceof z.ZodError) return { unreadable: unreadable(error) };
    throw error;
  }
};

/** One by one and in order: an event is raised only after its flow was started. */
const carryOutAll = async (
  means: Means,
  client: FlowClient,
  commands: readonly FlowCommand[],
): Promise<void> => {
  for (const command of commands) await carryOut(means, client, command);
};

const topic = "platform-events";
const subscription = "flows";
const entity = { topic, subscription };
const source: MessageSource = { name: "platformEvents", entity, hasSessions: true };

export const registerPlatformEvents = (services: Services): void => {
  app.client.serviceBusTopic("platformEvents", {
    connection: "ServiceBus",
    topicName: topic,
    subscriptionName: subscription,
    isSessionsEnabled: true,
    handler: async (message: unknown, client: DurableClient, context: InvocationContext) => {
      const reading = read(incomingOf(context).subject ?? "", message);
      // Most events concern no flow: to note what has no effect would cost each of them two statements.
      if ("commands" in reading && reading.commands.length === 0) return;
      await handleMessage(services, source, context, message, async () => {
        if ("unreadable" in reading) return reading.unreadable;
        await carryOutAll(services, client, reading.commands);
        return undefined;
      });
    },
  });
};
