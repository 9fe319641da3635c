/** A bank made by chance at the platform's queues, with a book of its own of the mandates it holds. */
import { setTimeout as sleep } from "node:timers/promises";
import { ServiceBusClient, type ServiceBusReceivedMessage } from "@azure/service-bus";
import { z } from "zod";
import {
  bankQueues,
  BankRequestMessage,
  type BankNotificationMessage,
  type BankOutcomeMessage,
} from "../../../shared/contracts/platform/bank-messages.js";

type Word = Pick<BankOutcomeMessage, "outcome" | "reasonCode">;

const MandateRequest = BankRequestMessage.extend({ mandateUniqueReference: z.string() });

/** The code of the scheme for a mandate that the bank does not have. */
const unknownMandate = "MD01";
const closeMs = 2_000;
const notSpecified = "MS03";

export interface RandomBank {
  /** References of the mandates that may be collected, as the bank sees it. */
  readonly live: ReadonlySet<string>;
  /** Lets a credit arrive; what cannot be sent now goes with the next life of the platform. */
  credit(notification: BankNotificationMessage): void;
  /** Connects to the platform's present life. */
  connect(connectionString: string): void;
  disconnect(): Promise<void>;
  /** Answers what it was silent on. */
  answerLate(): void;
  /** From now on every request is answered at once, and none refused without need. */
  calmDown(): void;
  /** Whether everything it has said has reached the broker. */
  readonly isSilent: boolean;
}

const isOfMandate = ({ kind }: BankRequestMessage): boolean => kind.startsWith("mandate");

/** `random` gives even numbers from 0 to 1. */
export const openRandomBank = (random: () => number): RandomBank => {
  const live = new Set<string>();
  /** What was said to each request: a repeat of it hears the same. */
  const said = new Map<string, Word>();
  const unanswered = new Map<string, BankRequestMessage>();
  const toSend: { queue: string; message: { messageId: string; body: unknown } }[] = [];
  let isCalm = false;
  let messages = 0;
  let connection: { client: ServiceBusClient; close: () => Promise<void> } | undefined;
  let sending = Promise.resolve();

  const flush = (): void => {
    const through = connection;
    sending = sending.then(async () => {
      for (let next = toSend[0]; next && through && connection === through; next = toSend[0]) {
        const sender = through.client.createSender(next.queue);
        try {
          await sender.sendMessages({ ...next.message, contentType: "application/json" });
          if (toSend[0] === next) toSend.shift();
        } catch {
          // The platform is between two lives: the next connection sends it.
          return;
        } finally {
          await sender.close();
        }
      }
    });
  };
  const send = (queue: string, body: BankOutcomeMessage | BankNotificationMessage): void => {
    messages += 1;
    toSend.push({ queue, message: { messageId: `bank-${messages}`, body } });
    flush();
  };
  const say = (requestId: string, word: Word): void => {
    const transactionReference = `BANK-${requestId}`;
    send(bankQueues.outcomes, { requestId, ...word, transactionReference, bookingDate: null });
  };

  /** The bank's own decision: what it does from now on, not what the platform has asked for. */
  const decide = (request: BankRequestMessage): Word => {
    const refuse = (reasonCode: string): Word => ({ outcome: "refused", reasonCode });
    const accept: Word = { outcome: "accepted", reasonCode: null };
    const declines = !isCalm && random() < 0.25;
    if (!isOfMandate(request)) return accept;
    const { mandateUniqueReference: reference } = MandateRequest.parse(request);
    if (request.kind === "mandateRevocation") {
      if (!live.has(reference)) return refuse(unknownMandate);
      if (declines) return refuse(notSpecified);
      live.delete(reference);
      return accept;
    }
    if (declines) return refuse(notSpecified);
    live.add(reference);
    return accept;
  };
  const answer = (request: BankRequestMessage): void => {
    const word = said.get(request.requestId) ?? decide(request);
    said.set(request.requestId, word);
    unanswered.delete(request.requestId);
    say(request.requestId, word);
    if (!isOfMandate(request)) say(request.requestId, { ...word, outcome: "booked" });
    if (!isCalm && random() < 0.2) say(request.requestId, word);
  };
  const hear = async ({ body }: ServiceBusReceivedMessage): Promise<void> => {
    const request = BankRequestMessage.parse(body);
    const hesitates = !isCalm && isOfMandate(request) && random() < 0.3;
    if (hesitates && !said.has(request.requestId)) unanswered.set(request.requestId, request);
    else answer(request);
  };

  return {
    live,
    credit: (notification) => {
      send(bankQueues.notifications, notification);
    },
    connect: (connectionString) => {
      const client = new ServiceBusClient(connectionString, {
        retryOptions: { retryDelayInMs: 200, maxRetries: 1, timeoutInMs: 5_000 },
      });
      const receiver = client.createReceiver(bankQueues.requests);
      const subscription = receiver.subscribe(
        // What ends the connection comes again in the platform's next life.
        { processMessage: hear, processError: async () => undefined },
        { maxConcurrentCalls: 1 },
      );
      connection = {
        client,
        close: async () => {
          await subscription.close();
          await receiver.close();
          await client.close();
        },
      };
      flush();
    },
    disconnect: async () => {
      const gone = connection;
      connection = undefined;
      // A client whose broker was killed may wait for it without end.
      await Promise.race([sending.then(() => gone?.close()), sleep(closeMs)]);
      sending = Promise.resolve();
    },
    answerLate: () => {
      for (const request of [...unanswered.values()]) answer(request);
    },
    calmDown: () => {
      isCalm = true;
      for (const request of [...unanswered.values()]) answer(request);
    },
    get isSilent() {
      return toSend.length === 0;
    },
  };
};
