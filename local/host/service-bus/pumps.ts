/** Moves messages from one receiver to a function, one at a time each or in batches. */
import type { ServiceBusReceivedMessage, ServiceBusReceiver } from "@azure/service-bus";
import { setTimeout as sleep } from "node:timers/promises";
import { withCallSignal } from "./call-signal.js";
import { errorText } from "../../failures.js";
import { withTimeLimit } from "../app/time-limit.js";
import { closeReceiver, logReceiveError, warn, type Consumer, type Pump } from "./consumer.js";
import { SettlementQueue } from "./settlement-queue.js";

const retryMs = 500;
const settleLimitMs = 30_000;

/** False where it failed: that is the lock's loss, and the message comes again by itself. */
const settle = async (
  consumer: Consumer,
  settlements: SettlementQueue,
  work: () => Promise<void>,
): Promise<boolean> => {
  try {
    await settlements.add(() => withTimeLimit(settleLimitMs, "Settling a message", work()));
    return true;
  } catch (error) {
    warn(consumer, `not settled: ${errorText(error)}`);
    return false;
  }
};

/**
 * Runs the function for `messages`, then completes them all, or abandons them all. False where one of
 * them could not be settled.
 */
export const processMessages = async (
  consumer: Consumer,
  receiver: ServiceBusReceiver,
  settlements: SettlementQueue,
  messages: readonly ServiceBusReceivedMessage[],
): Promise<boolean> => {
  const succeeded = await consumer.run(messages).then(
    () => true,
    () => false,
  );
  if (succeeded && !consumer.config.autoCompleteMessages) return true;
  let allSettled = true;
  for (const message of messages) {
    const settled = await settle(consumer, settlements, () =>
      succeeded ? receiver.completeMessage(message) : receiver.abandonMessage(message),
    );
    allSettled &&= settled;
  }
  return allSettled;
};

/** Up to `maxConcurrentCalls` messages at the same time. */
export const pumpMessages = (consumer: Consumer, receiver: ServiceBusReceiver): Pump => {
  const settlements = new SettlementQueue();
  const running = new Set<Promise<boolean>>();
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
      await closeReceiver(consumer, subscription);
      await Promise.allSettled(running);
      await closeReceiver(consumer, receiver);
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
        warn(consumer, error instanceof Error ? error.message : String(error));
        await sleep(retryMs);
      }
    }
  };
  const finished = loop();
  return {
    stop: async () => {
      stopped.abort();
      await finished;
      await closeReceiver(consumer, receiver);
    },
  };
};
