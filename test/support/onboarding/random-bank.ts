/** A bank made by chance at the platform's queues, with a book of its own of mandates and money. */
import { setTimeout as sleep } from "node:timers/promises";
import { ServiceBusClient, type ServiceBusReceivedMessage } from "@azure/service-bus";
import { z } from "zod";
import {
  bankQueues,
  BankRequestMessage,
  type BankNotificationMessage,
  type BankOutcomeMessage,
} from "../../../shared/contracts/platform/bank-messages.js";
import { openBankMoney, type Word } from "./random-money.js";

const MandateRequest = BankRequestMessage.extend({ mandateUniqueReference: z.string() });

/** The code of the scheme for a mandate that the bank does not have. */
const unknownMandate = "MD01";
const closeMs = 2_000;
const notSpecified = "MS03";

export interface RandomBank {
  /** References of the mandates that may be collected, as the bank sees it. */
  readonly live: ReadonlySet<string>;
  /** What lies on the platform's accounts. */
  readonly balanceCents: bigint;
  /** Lets a credit arrive; what cannot be sent now goes with the next life of the platform. */
  credit(notification: BankNotificationMessage): void;
  /** Connects to the platform's present life. */
  connect(connectionString: string): void;
  disconnect(): Promise<void>;
  /** Answers what it was silent on, and takes some of what it has booked back. */
  answerLate(): void;
  /** From now on every request is answered at once, and none refused without need. */
  calmDown(): void;
  /** Whether everything it has said has reached the broker. */
  readonly isSilent: boolean;
}

const isOfMandate = ({ kind }: BankRequestMessage): boolean => kind.startsWith("mandate");

/** What a credit of the bank's own says of a request: it is no money besides the request's. */
const creditNaming = (
  { requestId, amount, kind }: BankRequestMessage,
  creditorIban: string,
): BankNotificationMessage => ({
  type: kind === "directDebit" ? "IncomingSdd" : "IncomingSctStandard",
  transactionReference: `BANK-${requestId}`,
  paymentGatewayReference: null,
  debtorName: "THE BANK",
  debtorIban: creditorIban,
  creditorName: null,
  creditorIban,
  amount: amount ?? 0,
  reason: kind === "directDebit" ? "collection" : "returned",
  receptionDate: "2026-01-15T09:30:00.000Z",
});

/** `random` gives even numbers from 0 to 1; the account is the one that collections arrive on. */
export const openRandomBank = (random: () => number, account: string): RandomBank => {
  const live = new Set<string>();
  const money = openBankMoney(random);
  /** What was said to each request: a repeat of it hears the same. */
  const said = new Map<string, Word[]>();
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
  const decide = (request: BankRequestMessage): Word[] => {
    const refuse = (reasonCode: string): Word[] => [{ outcome: "refused", reasonCode }];
    const accept: Word[] = [{ outcome: "accepted", reasonCode: null }];
    if (!isOfMandate(request)) return money.decide(request, isCalm);
    const declines = !isCalm && random() < 0.25;
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
  /** Now and then a credit names the request, before its outcome or after. */
  const sayOf = (request: BankRequestMessage, words: readonly Word[], isCredit: boolean): void => {
    const place = isCredit ? Math.floor(random() * (words.length + 4)) : Infinity;
    words.forEach((word, index) => {
      if (index === place) send(bankQueues.notifications, creditNaming(request, account));
      say(request.requestId, word);
    });
    if (place === words.length) send(bankQueues.notifications, creditNaming(request, account));
  };
  const answer = (request: BankRequestMessage): void => {
    const known = said.get(request.requestId);
    const words = known ?? decide(request);
    said.set(request.requestId, words);
    unanswered.delete(request.requestId);
    const isNews = known === undefined && words.at(-1)?.outcome === "booked";
    sayOf(request, words, isNews && request.kind === "directDebit");
    if (!isCalm && random() < 0.2) sayOf(request, words, false);
  };
  const takeBack = (): void => {
    for (const [request, word] of money.takeBack()) {
      said.set(request.requestId, [...(said.get(request.requestId) ?? []), word]);
      sayOf(request, [word], request.kind !== "directDebit");
    }
  };
  const hear = async ({ body }: ServiceBusReceivedMessage): Promise<void> => {
    const request = BankRequestMessage.parse(body);
    const hesitates = !isCalm && random() < 0.3;
    if (hesitates && !said.has(request.requestId)) unanswered.set(request.requestId, request);
    else answer(request);
  };

  return {
    live,
    get balanceCents() {
      return money.balanceCents;
    },
    credit: (notification) => {
      money.arrive(notification);
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
      takeBack();
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
