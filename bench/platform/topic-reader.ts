/** Reads a partner's topic with the unmodified Service Bus client, as the partner's own system would. */
import { ServiceBusClient } from "@azure/service-bus";
import { z } from "zod";
import { receivedDeviations } from "./event-check.js";

export interface ReceivedEvent {
  readonly id: string;
  /** The event's id; of a replay with a mark behind it. */
  readonly messageId: string;
  readonly name: string;
  readonly walletId: string;
  /** Its place among all events of the partner: 1, 2, 3 … */
  readonly sequence: number;
  /** From the change that the event reports to its arrival here. */
  readonly delayMs: number;
  /** The body as text, to compare deliveries. */
  readonly body: string;
}

const Envelope = z.object({ id: z.uuid(), messageCreationDate: z.iso.datetime() });
const Properties = z.object({ sequence: z.int() });

export interface TopicReader {
  readonly events: readonly ReceivedEvent[];
  /** Rejects where a message was not as the catalogue of events says. */
  stop(): Promise<void>;
}

const toldMax = 10;

/** The partner's own key for the local broker, which reads this topic alone, in place of the one that may all. */
export const partnerConnectionString = (brokerConnectionString: string, partner: string): string =>
  brokerConnectionString.replace(
    /SharedAccessKeyName=[^;]*;SharedAccessKey=[^;]*/,
    `SharedAccessKeyName=${partner};SharedAccessKey=${partner}-local-key`,
  );

/** Completes every message of topic and subscription `partner`, and keeps it. */
export const readTopic = (
  connectionString: string,
  partner: string,
  hear: (event: ReceivedEvent) => void = () => undefined,
  /** The time now on the clock that dated an event; of importance where the sandbox's was moved meanwhile. */
  nowMs: (datedMs: number) => number = Date.now,
): TopicReader => {
  const client = new ServiceBusClient(connectionString, { retryOptions: { retryDelayInMs: 200 } });
  const receiver = client.createReceiver(partner, partner);
  const events: ReceivedEvent[] = [];
  const deviations: string[] = [];
  // One call at a time: the client merges settlements that are made in one tick.
  const subscription = receiver.subscribe(
    {
      processMessage: async (message) => {
        const { subject, sessionId, applicationProperties } = message;
        const body: unknown = message.body;
        deviations.push(...receivedDeviations(message));
        const { id, messageCreationDate } = Envelope.parse(body);
        const datedMs = Date.parse(messageCreationDate);
        const event = {
          id,
          messageId: String(message.messageId),
          name: subject ?? "",
          walletId: sessionId ?? "",
          sequence: Properties.parse(applicationProperties).sequence,
          delayMs: nowMs(datedMs) - datedMs,
          body: JSON.stringify(body),
        };
        events.push(event);
        hear(event);
      },
      processError: async () => undefined, // the client reconnects by itself
    },
    { maxConcurrentCalls: 1 },
  );
  return {
    events,
    stop: async () => {
      await subscription.close();
      await receiver.close();
      await client.close();
      if (deviations.length > 0)
        throw new Error(`Events are not as declared:\n${deviations.slice(0, toldMax).join("\n")}`);
    },
  };
};
