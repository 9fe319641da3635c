/** Topic `platform-events`: starts and wakes the flows that a message concerns. */
import type { InvocationContext } from "@azure/functions";
import { app, type DurableClient } from "durable-functions";
import { walletOnboardingId } from "../../orchestrations/wallet-onboarding.flow.js";
import { onboardingAttempt } from "../../shared/database/onboarding/flow-state.js";
import { raise, startOnce, type FlowClient } from "../../shared/durable/flow-client.js";
import type { Services } from "../kit/services.js";
import { flowCommands, type FlowCommand } from "./flow-commands.js";
import { throughOutage } from "./outage-patience.js";

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

/** One by one and in order: an event is raised only after its flow was started. */
export const dispatch = async (
  means: Means,
  client: FlowClient,
  subject: string,
  body: unknown,
): Promise<void> => {
  for (const command of flowCommands(subject, body)) await carryOut(means, client, command);
};

const subjectOf = ({ triggerMetadata }: InvocationContext): string => {
  const { subject } = triggerMetadata ?? {};
  return typeof subject === "string" ? subject : "";
};

export const registerPlatformEvents = (services: Services): void => {
  app.client.serviceBusTopic("platformEvents", {
    connection: "ServiceBus",
    topicName: "platform-events",
    subscriptionName: "flows",
    isSessionsEnabled: true,
    handler: (message: unknown, client: DurableClient, context: InvocationContext) =>
      throughOutage(services, "platformEvents", () =>
        dispatch(services, client, subjectOf(context), message),
      ),
  });
};
