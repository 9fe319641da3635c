/** A partner's events as an iterator: each settled by what becomes of the loop's body. */
import { RetryMode, ServiceBusClient, type ServiceBusReceivedMessage } from "@azure/service-bus";
import { handOver } from "./hand-over.js";
import { memoryOf } from "./memory.js";

/** Numbers of events that have not come yet, both included: on their way, or to be read from the log. */
export interface Gap {
  readonly from: number;
  readonly to: number;
}

export interface Delivered<Type extends string = string, Body = unknown> {
  readonly type: Type;
  /** The event's own: the same however often it is delivered or replayed. */
  readonly id: string;
  /** The event's fields, envelope included. */
  readonly body: Body;
  /** Its place among all events of the partner: 1, 2, 3 … without a gap. */
  readonly sequence: number;
  /** Of two events of one record, the higher one is the later view; null where a person forced it. */
  readonly entityVersion: number | null;
  /** What it is about: events of one have ascending numbers. */
  readonly sessionId: string;
  /** How often the broker has delivered it: 1 the first time. */
  readonly deliveryCount: number;
  /** Numbers below this one's that were passed over; null where none was, or where lower ones come late. */
  readonly gap: Gap | null;
}

export interface ReadEventsOptions {
  /** The connection string of the partner's own key; or a client, which stays open. */
  readonly broker: string | ServiceBusClient;
  /** The partner's name, which topic and subscription have, too. */
  readonly partner: string;
  /** Ends the iterator once the event in hand is settled. */
  readonly signal?: AbortSignal;
  /** The highest number that an earlier run has seen: gaps are counted from there. */
  readonly after?: number;
  /** So many events are known again, completed and passed by when they come twice: 10,000. */
  readonly remembered?: number;
  /** Hears of broken connections and of settlements that failed; both mend themselves. */
  readonly onTrouble?: (error: Error) => void;
}

/** Reading cannot go on: the key is wrong, or the subscription is not there. */
export class EventReadingError extends Error {
  override readonly name = "EventReadingError";
}

const hopeless: readonly unknown[] = [
  "UnauthorizedAccess",
  "MessagingEntityNotFound",
  "MessagingEntityDisabled",
];

const isHopeless = (error: Error): boolean => "code" in error && hopeless.includes(error.code);

const numberIn = (value: unknown): number => (typeof value === "number" ? value : 0);

const deliveredBy = (message: ServiceBusReceivedMessage, gap: Gap | null): Delivered => {
  const { sequence, entityVersion } = message.applicationProperties ?? {};
  const body: unknown = message.body;
  return {
    type: message.subject ?? "",
    id: idOf(message),
    body,
    sequence: numberIn(sequence),
    entityVersion: typeof entityVersion === "number" ? entityVersion : null,
    sessionId: message.sessionId ?? "",
    deliveryCount: (message.deliveryCount ?? 0) + 1,
    gap,
  };
};

/** The body's, which replays share. */
const idOf = ({ body, messageId }: ServiceBusReceivedMessage): string => {
  const { id } = (body ?? {}) as { readonly id?: unknown };
  return typeof id === "string" ? id : String(messageId);
};

const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error));

/** Of a connection's attempts that failed one after the other, the last one. */
const lastOf = (error: Error): Error =>
  error instanceof AggregateError ? asError(error.errors.at(-1)) : error;

const defaultRemembered = 10_000;

/** Azure's own wait for half a minute after a connection that failed, and tell of a wrong key after three of them. */
const retryOptions = {
  mode: RetryMode.Exponential,
  retryDelayInMs: 500,
  maxRetryDelayInMs: 30_000,
} as const;

export async function* readEvents(
  options: ReadEventsOptions,
): AsyncGenerator<Delivered, void, undefined> {
  const { broker, partner, signal, onTrouble = () => undefined } = options;
  const own =
    typeof broker === "string" ? new ServiceBusClient(broker, { retryOptions }) : undefined;
  const receiver = (own ?? (broker as ServiceBusClient)).createReceiver(partner, partner);
  const known = memoryOf(options.remembered ?? defaultRemembered);
  const queue = handOver<ServiceBusReceivedMessage>(signal);
  // Else a connection that is being made, or tried again, is waited for.
  const ending = new AbortController();
  let highest = options.after ?? null;
  let givenBack: Promise<void> = Promise.resolve();

  const gapBefore = (sequence: number): Gap | null => {
    const from = (highest ?? sequence - 1) + 1;
    highest = Math.max(highest ?? 0, sequence);
    return from < sequence ? { from, to: sequence - 1 } : null;
  };
  // One that fails is delivered again, and known by then.
  const settle = async (settlement: Promise<void>): Promise<void> =>
    settlement.catch((error: unknown) => onTrouble(asError(error)));

  const subscription = receiver.subscribe(
    {
      // One at a time: the client merges settlements that are made in one tick.
      processMessage: async (message) => {
        if (!(await queue.offer(message)))
          await (givenBack = settle(receiver.abandonMessage(message)));
      },
      processError: async ({ error: told }) => {
        const error = lastOf(told);
        if (isHopeless(error)) queue.fail(new EventReadingError(error.message, { cause: error }));
        else if (!ending.signal.aborted) onTrouble(error);
      },
    },
    { autoCompleteMessages: false, maxConcurrentCalls: 1, abortSignal: ending.signal },
  );
  try {
    for (;;) {
      const message = await queue.take();
      if (message === undefined) return;
      const event = deliveredBy(message, null);
      let isHandled = known.has(event.id);
      try {
        if (!isHandled) {
          yield { ...event, gap: gapBefore(event.sequence) };
          isHandled = true;
          known.add(event.id);
        }
      } finally {
        await settle(
          isHandled ? receiver.completeMessage(message) : receiver.abandonMessage(message),
        );
        queue.settled();
      }
    }
  } finally {
    queue.close();
    ending.abort();
    await subscription.close();
    await givenBack;
    await receiver.close();
    await own?.close();
  }
}
