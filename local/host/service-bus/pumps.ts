/** Moves messages from one receiver to a function, one at a time each or in batches. */
import type {
  ProcessErrorArgs,
  ServiceBusReceivedMessage,
  ServiceBusReceiver,
} from "@azure/service-bus";
import { setTimeout as sleep } from "node:timers/promises";
import { withCallSignal } from "./call-signal.js";
import { errorText } from "../app/log.js";
import type { Consumer } from "./triggers.js";
import { SettlementQueue } from "./settlement-queue.js";

export interface Pump {
  /** Takes no more messages, finishes those in work, closes what it opened. */
  stop(): Promise<void>;
}

const retryMs = 500;

/** A settlement that fails is the lock's loss: the message comes again by itself. */
const settle = async (
  consumer: Consumer,
  settlements: SettlementQueue,
  work: () => Promise<void>,
): Promise<void> => {
  await settlements.add(work).catch((error: unknown) => {
    consumer.log.host(
      "warning",
      "ServiceBus",
      `${consumer.name}: not settled: ${errorText(error)}`,
    );
  });
};

/** Runs the function for `messages`, then completes them all, or abandons them all. */
export const processMessages = async (
  consumer: Consumer,
  receiver: ServiceBusReceiver,
  settlements: SettlementQueue,
  messages: readonly ServiceBusReceivedMessage[],
): Promise<void> => {
  const succeeded = await consumer.run(messages).then(
    () => true,
    () => false,
  );
  if (succeeded && !consumer.config.autoCompleteMessages) return;
  for (const message of messages)
    await settle(consumer, settlements, () =>
      succeeded ? receiver.completeMessage(message) : receiver.abandonMessage(message),
    );
};

/** What went wrong between messages; the client reconnects by itself. */
export const logReceiveError = (
  consumer: Consumer,
  { error, errorSource }: ProcessErrorArgs,
): void =>
  consumer.log.host("warning", "ServiceBus", `${consumer.name}: ${errorSource}: ${error.message}`);

/** Up to `maxConcurrentCalls` messages at the same time. */
export const pumpMessages = (consumer: Consumer, receiver: ServiceBusReceiver): Pump => {
  const settlements = new SettlementQueue();
  const running = new Set<Promise<void>>();
  let stopping = false;
  const subscription = receiver.subscribe(
    {
      processMessage: async (message) => {
        const work = processMessages(consumer, receiver, settlements, [message]);
        running.add(work);
        await work.finally(() => running.delete(work));
      },
      processError: async (args) => {
        // A receiver that is being closed complains that it can take no more: that is the aim.
        if (!stopping) logReceiveError(consumer, args);
      },
    },
    { autoCompleteMessages: false, maxConcurrentCalls: consumer.config.maxConcurrentCalls },
  );
  return {
    stop: async () => {
      stopping = true;
      await subscription.close();
      await Promise.allSettled(running);
      await receiver.close();
    },
  };
};

/** Up to `maxMessageBatchSize` messages in one call, one call at a time. */
export const pumpBatches = (consumer: Consumer, receiver: ServiceBusReceiver): Pump => {
  const stopped = new AbortController();
  const isStopped = (): boolean => stopped.signal.aborted;
  const settlements = new SettlementQueue();

  const receiveOnce = async (): Promise<void> => {
    const { maxMessageBatchSize, maxBatchWaitTime: maxWaitTimeInMs } = consumer.config;
    const messages = await withCallSignal(stopped.signal, async (abortSignal) =>
      receiver.receiveMessages(maxMessageBatchSize, { maxWaitTimeInMs, abortSignal }),
    );
    if (messages.length > 0) await processMessages(consumer, receiver, settlements, messages);
  };
  const loop = async (): Promise<void> => {
    while (!isStopped()) {
      try {
        await receiveOnce();
      } catch (error) {
        if (isStopped()) return;
        const text = error instanceof Error ? error.message : String(error);
        consumer.log.host("warning", "ServiceBus", `${consumer.name}: ${text}`);
        await sleep(retryMs);
      }
    }
  };
  const finished = loop();
  return {
    stop: async () => {
      stopped.abort();
      await finished;
      await receiver.close();
    },
  };
};
