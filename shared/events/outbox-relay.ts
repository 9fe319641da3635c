/** Sends what commands left in the outbox: at least once, in order per wallet, soon after commit. */
import { setTimeout as delay } from "node:timers/promises";
import type { Database, Queryable } from "../database/platform/database.js";
import { claimWaiting, recordAttempts } from "../database/outbox/outbox.js";
import type { Attempt, WaitingMessage } from "../database/outbox/outbox.js";
import { numberMessages, type Sequences } from "../database/outbox/sequences.js";
import type { FaultPoints } from "../platform/fault-points.js";
import type { Logger } from "../platform/logger.js";
import { planDeliveries } from "./delivery-plan.js";
import type { Delivery } from "./delivery-plan.js";
import { DestinationHealth } from "./destination-health.js";
import type { OutgoingMessage, ServiceBus } from "./service-bus.js";

export interface OutboxRelay {
  /** Something was committed: send it. Calls while it sends are melted into one further round. */
  nudge(): void;
  /** Like a nudge; settles when nothing is left that could be sent now. */
  sweep(): Promise<void>;
  /** Ends after the round that is under way. */
  close(): Promise<void>;
}

export interface RelayDependencies {
  readonly database: Database;
  readonly bus: Pick<ServiceBus, "send">;
  readonly faults: FaultPoints;
  readonly logger: Logger;
}

/** Encoding them is work of one piece, which every answer of the process waits for. */
const messagesPerRound = 100;
/** What is committed while a round runs gathers so long: a message costs the less, the more go with it. */
const gatheringMs = 10;
const databaseRetryMs = 1_000;
/** What another relay had to leave, because this one held its wallet, is looked for so long after. */
const lookAgainMs = 50;

/** What one round found: nothing, all that waited, or perhaps only a part of it. */
type Round = "nothing" | "all" | "part";

const toOutgoing = (message: WaitingMessage, sequence: bigint | undefined): OutgoingMessage => ({
  messageId: message.messageId,
  subject: message.subject,
  sessionId: message.sessionId,
  body: message.body,
  applicationProperties: {
    partnerKey: message.partnerKey,
    sequence: sequence === undefined ? null : Number(sequence),
    entityVersion: message.entityVersion === null ? null : Number(message.entityVersion),
    attempt: message.attempts + 1,
  },
});

export const startOutboxRelay = ({
  database,
  bus,
  faults,
  logger,
}: RelayDependencies): OutboxRelay => {
  const health = new DestinationHealth(Date.now);
  let asked = false;
  let closed = false;
  let running: Promise<void> | undefined;
  let retry: NodeJS.Timeout | undefined;
  let lookAgain: NodeJS.Timeout | undefined;

  const deliver = async (
    delivery: Delivery<WaitingMessage>,
    sequences: Sequences,
  ): Promise<Attempt[]> => {
    const { destination } = delivery;
    const messages = health.isFailing(destination)
      ? delivery.messages.slice(0, 1)
      : delivery.messages;
    const outgoing = messages.map((message) =>
      toOutgoing(message, sequences.get(message.outboxId)),
    );
    const { acknowledged, failure } = await bus.send(destination, outgoing);
    if (failure === undefined) {
      if (health.succeeded(destination)) logger.info("destination is back", { destination });
    } else if (health.failed(destination) === 1) {
      logger.warn("destination refuses messages; they wait in the outbox", {
        destination,
        error: failure,
      });
    }
    return messages.map(({ outboxId }, index) => ({
      outboxId,
      deliveredTo: index < acknowledged ? destination : null,
    }));
  };

  const round = async (tx: Queryable): Promise<Round> => {
    const suspended = health.suspended();
    const messages = await claimWaiting(tx, suspended, messagesPerRound);
    if (messages.length === 0) return "nothing";
    const sequences = await numberMessages(database, messages);
    const attempts: Attempt[] = [];
    faults.hit("relay.beforeSend");
    const stages = planDeliveries(messages, (name) => suspended.includes(name));
    for (const stage of stages) {
      const delivered = await Promise.all(stage.map((delivery) => deliver(delivery, sequences)));
      attempts.push(...delivered.flat());
    }
    faults.hit("relay.afterSend");
    await recordAttempts(tx, attempts);
    const planned = stages.flat().reduce((sum, delivery) => sum + delivery.messages.length, 0);
    return messages.length < messagesPerRound && attempts.length === planned ? "all" : "part";
  };

  const retryIn = (delayMs: number): void => {
    clearTimeout(retry);
    retry = setTimeout(nudge, delayMs);
    retry.unref();
  };

  /** Until nothing is left, as far as this relay can tell: a last look would cost as much as a round. */
  const drain = async (): Promise<void> => {
    clearTimeout(lookAgain);
    try {
      let found: Round = "part";
      while (!closed && found === "part") {
        found = await database.quietTransaction(round);
        if (found !== "nothing") faults.hit("relay.afterMark");
      }
      if (found === "all" && !closed) lookAgain = setTimeout(nudge, lookAgainMs).unref();
      const waitMs = health.nextRetryInMs();
      if (waitMs !== undefined && !closed) retryIn(waitMs);
    } catch (error) {
      logger.warn("the outbox cannot be read; trying again soon", { error });
      if (!closed) retryIn(databaseRetryMs);
    }
  };

  const isAsked = (): boolean => asked && !closed;

  const run = async (): Promise<void> => {
    while (isAsked()) {
      asked = false;
      await drain();
      if (isAsked()) await delay(gatheringMs);
    }
    running = undefined;
  };

  function nudge(): void {
    asked = true;
    running ??= run();
  }

  return {
    nudge,
    async sweep() {
      nudge();
      await running;
    },
    async close() {
      closed = true;
      clearTimeout(retry);
      clearTimeout(lookAgain);
      await running;
    },
  };
};
