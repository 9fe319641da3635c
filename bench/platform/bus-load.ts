/** What the broker alone takes and gives: messages of one kilobyte, by the unmodified Service Bus client. */
import { randomUUID } from "node:crypto";
import { ServiceBusClient, type ServiceBusMessage } from "@azure/service-bus";

/** A partner's topic and subscription, which nobody else reads. */
const topic = "umbrella";
const messageBytes = 1_024;
const perBatch = 100;
/** So many batches are on their way at once. */
const batchesAtOnce = 4;
const callsPerReceiver = 16;

const body = { text: "x".repeat(messageBytes - '{"text":""}'.length) };
const message = (): ServiceBusMessage => ({ messageId: randomUUID(), body });

const batchOf = (count: number): ServiceBusMessage[] => Array.from({ length: count }, message);

const perSecond = (count: number, beganMs: number): number =>
  (count * 1_000) / (performance.now() - beganMs);

/** Messages a second, each acknowledged. */
export const sendMessages = async (connectionString: string, count: number): Promise<number> => {
  const client = new ServiceBusClient(connectionString);
  const sender = client.createSender(topic);
  await sender.sendMessages(batchOf(1));
  let left = count - 1;
  const began = performance.now();
  const sendOn = async (): Promise<void> => {
    while (left > 0) {
      const size = Math.min(perBatch, left);
      left -= size;
      await sender.sendMessages(batchOf(size));
    }
  };
  await Promise.all(Array.from({ length: batchesAtOnce }, sendOn));
  const rate = perSecond(count - 1, began);
  await client.close();
  return rate;
};

/** Messages a second, each locked, handed to its receiver and completed, until so many are gone. */
export const receiveMessages = async (
  connectionString: string,
  count: number,
  receivers: number,
): Promise<number> => {
  const clients = Array.from({ length: receivers }, () => new ServiceBusClient(connectionString));
  let received = 0;
  const began = performance.now();
  await new Promise<void>((resolve, reject) => {
    for (const client of clients)
      client.createReceiver(topic, topic).subscribe(
        {
          processMessage: async () => {
            received += 1;
            if (received === count) resolve();
          },
          processError: async ({ error }) => reject(error),
        },
        { maxConcurrentCalls: callsPerReceiver },
      );
  });
  const rate = perSecond(count, began);
  for (const client of clients) await client.close();
  return rate;
};
