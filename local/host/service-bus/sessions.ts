/** Session triggers: holds up to `maxConcurrentSessions` sessions, each worked off in its order. */
import type { ServiceBusSessionReceiver } from "@azure/service-bus";
import { setMaxListeners } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { withCallSignal } from "./call-signal.js";
import type { ServiceBusConnections } from "./connections.js";
import { closeReceiver, logReceiveError, type Consumer, type Pump } from "./consumer.js";
import { processMessages } from "./pumps.js";
import { SettlementQueue } from "./settlement-queue.js";

/** So many requests for a next session wait at the broker at the same time. */
const maxWaitingRequests = 4;
const retryMs = 500;

const errorCodeOf = (error: unknown): unknown =>
  error instanceof Error && "code" in error ? error.code : undefined;

/**
 * Works one session off until it has been idle, is lost, or `stopped` says so. What could not be settled
 * ends it, too: that message comes again, and before those behind it.
 */
const workOff = async (
  consumer: Consumer,
  receiver: ServiceBusSessionReceiver,
  isBatch: boolean,
  stopped: AbortSignal,
): Promise<void> => {
  const settlements = new SettlementQueue();
  const { maxMessageBatchSize, sessionIdleTimeout } = consumer.config;
  try {
    while (!stopped.aborted) {
      const messages = await withCallSignal(stopped, async (abortSignal) =>
        receiver.receiveMessages(isBatch ? maxMessageBatchSize : 1, {
          maxWaitTimeInMs: sessionIdleTimeout,
          abortSignal,
        }),
      );
      if (messages.length === 0) return;
      if (!(await processMessages(consumer, receiver, settlements, messages))) return;
    }
  } finally {
    await closeReceiver(consumer, receiver);
  }
};

class SessionPump implements Pump {
  readonly #consumer: Consumer;
  readonly #connections: ServiceBusConnections;
  readonly #isBatch: boolean;
  readonly #stopped = new AbortController();
  readonly #working = new Set<Promise<void>>();
  #waiting = 0;

  constructor(consumer: Consumer, connections: ServiceBusConnections, isBatch: boolean) {
    this.#consumer = consumer;
    this.#connections = connections;
    this.#isBatch = isBatch;
    // As many listen at most: more would be a leak, and Node would say so.
    const listeners = consumer.config.maxConcurrentSessions + maxWaitingRequests;
    setMaxListeners(listeners, this.#stopped.signal);
    this.#askForMore();
  }

  #askForMore(): void {
    const { maxConcurrentSessions } = this.#consumer.config;
    while (
      !this.#stopped.signal.aborted &&
      this.#waiting < maxWaitingRequests &&
      this.#working.size + this.#waiting < maxConcurrentSessions
    ) {
      this.#waiting += 1;
      void this.#acceptOne().finally(() => {
        this.#waiting -= 1;
        this.#askForMore();
      });
    }
  }

  /** Resolves when the wait for a session has ended, with or without one. */
  async #acceptOne(): Promise<void> {
    const signal = this.#stopped.signal;
    try {
      const { address, config } = this.#consumer;
      const receiver = await withCallSignal(signal, async (own) =>
        this.#connections.nextSession(address, config, own),
      );
      const work = workOff(this.#consumer, receiver, this.#isBatch, signal)
        .catch((error: unknown) => this.#report(error))
        .finally(() => {
          this.#working.delete(work);
          this.#askForMore();
        });
      this.#working.add(work);
    } catch (error) {
      // No session became free in time: that is the usual end of waiting, not a failure.
      if (signal.aborted || errorCodeOf(error) === "ServiceTimeout") return;
      this.#report(error);
      await sleep(retryMs);
    }
  }

  #report(thrown: unknown): void {
    if (this.#stopped.signal.aborted) return;
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    logReceiveError(this.#consumer, { error, errorSource: "receive" });
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.allSettled(this.#working);
  }
}

export const pumpSessions = (
  consumer: Consumer,
  connections: ServiceBusConnections,
  isBatch: boolean,
): Pump => new SessionPump(consumer, connections, isBatch);
