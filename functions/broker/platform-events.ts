/** Topic `platform-events`: starts and wakes the flows that a message concerns. */
import type { InvocationContext } from "@azure/functions";
import { app, type DurableClient } from "durable-functions";
import { raise, startOnce, type FlowClient } from "../../shared/durable/flow-client.js";
import { flowCommands, type FlowCommand } from "./flow-commands.js";

const carryOut = async (client: FlowClient, command: FlowCommand): Promise<void> => {
  if (command.do === "start") {
    await startOnce(client, command.start);
    return;
  }
  // An instance that is not there needs no waking: whoever starts it reads the present state.
  await raise(client, command.instanceId, command.event, command.data);
};

/** One by one and in order: an event is raised only after its flow was started. */
export const dispatch = async (
  client: FlowClient,
  subject: string,
  body: unknown,
): Promise<void> => {
  for (const command of flowCommands(subject, body)) await carryOut(client, command);
};

const subjectOf = ({ triggerMetadata }: InvocationContext): string => {
  const { subject } = triggerMetadata ?? {};
  return typeof subject === "string" ? subject : "";
};

export const registerPlatformEvents = (): void => {
  app.client.serviceBusTopic("platformEvents", {
    connection: "ServiceBus",
    topicName: "platform-events",
    subscriptionName: "flows",
    isSessionsEnabled: true,
    handler: (message: unknown, client: DurableClient, context: InvocationContext) =>
      dispatch(client, subjectOf(context), message),
  });
};
