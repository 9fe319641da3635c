/** The broker as the platform uses it: sends in order, and dead-letters what nobody can read. */
import { ServiceBusClient } from "@azure/service-bus";
import type {
  ServiceBusClientOptions,
  ServiceBusMessage,
  ServiceBusMessageBatch,
  ServiceBusReceivedMessage,
  ServiceBusReceiver,
  ServiceBusSender,
} from "@azure/service-bus";
import type { ServiceBusConnection } from "../platform/config.js";
import { DependencyUnavailableError } from "../platform/dependency-unavailable.js";
import { tracing } from "../platform/telemetry/tracing.js";
import { traceProperties } from "./trace-properties.js";
import { UnsendableMessageError } from "./send-failure.js";

export interface OutgoingMessage {
  readonly messageId: string;
  readonly subject: string;
  readonly sessionId?: string;
  /** JSON, sent as these very bytes. */
  readonly body: string;
  readonly applicationProperties?: Readonly<Record<string, string | number | null>>;
}

export interface SendResult {
  /** So many messages, counted from the first, are stored by the broker for sure. */
  readonly acknowledged: number;
  readonly failure?: unknown;
}

export interface DeadLetterReason {
  readonly reason: string;
  readonly description: string;
}

/** What messages are received from. */
export type BusEntity =
  { readonly queue: string } | { readonly topic: string; readonly subscription: string };

/** As the broker and its metrics name it. */
export const entityPath = (entity: BusEntity): string =>
  "queue" in entity ? entity.queue : `${entity.topic}/Subscriptions/${entity.subscription}`;

/** A message that another receiver has locked. */
export interface LockedMessage {
  readonly entity: BusEntity;
  readonly lockToken: string;
  /** Undefined where the entity has no sessions. */
  readonly sessionId?: string | undefined;
}

export interface ServiceBus {
  send(destination: string, messages: readonly OutgoingMessage[]): Promise<SendResult>;
  /** Moves a message that another receiver has locked to its entity's dead letters. */
  deadLetter(message: LockedMessage, reason: DeadLetterReason): Promise<void>;
  /** Looks at a queue's first message: resolves once the broker has answered. */
  ask(queue: string): Promise<void>;
  close(): Promise<void>;
}

/** For senders that have no outbox: what triggered them comes back if the broker is away. */
export const sendNow = async (
  bus: Pick<ServiceBus, "send">,
  destination: string,
  messages: readonly OutgoingMessage[],
): Promise<void> => {
  const properties = traceProperties(tracing.current());
  const traced = messages.map((message) => ({
    ...message,
    applicationProperties: { ...message.applicationProperties, ...properties },
  }));
  const { failure } = await bus.send(destination, traced);
  if (failure !== undefined) throw new DependencyUnavailableError("the broker", failure);
};

// Whoever sends has a longer breath than the client: the relay tries again, a trigger's message
// comes back. So the client gives up soon instead of its default of four tries of a minute each.
const clientOptions: ServiceBusClientOptions = {
  retryOptions: { maxRetries: 0, timeoutInMs: 10_000 },
};

/** Gives up soon: whoever uses it tries again. */
export const openClient = async (connection: ServiceBusConnection): Promise<ServiceBusClient> => {
  if (connection.kind === "connectionString") {
    return new ServiceBusClient(connection.connectionString, clientOptions);
  }
  // Loaded only where it is needed: the identity library costs more start time than all the rest.
  const { DefaultAzureCredential } = await import("@azure/identity");
  const credential = new DefaultAzureCredential();
  return new ServiceBusClient(connection.fullyQualifiedNamespace, credential, clientOptions);
};

const toBusMessage = ({ body, applicationProperties, ...rest }: OutgoingMessage) => {
  const message: ServiceBusMessage = {
    ...rest,
    // A string would be encoded as JSON once more.
    body: Buffer.from(body),
    contentType: "application/json",
  };
  if (applicationProperties !== undefined) {
    message.applicationProperties = { ...applicationProperties };
  }
  return message;
};

/** Whether a message has a place in the batch; throws where it has none in any. */
const isAdded = (batch: ServiceBusMessageBatch, message: OutgoingMessage): boolean => {
  const { messageId } = message;
  try {
    if (batch.tryAddMessage(toBusMessage(message))) return true;
  } catch (cause) {
    if (batch.count === 0)
      throw new UnsendableMessageError(`message ${messageId} cannot be written`, { cause });
  }
  if (batch.count > 0) return false;
  throw new UnsendableMessageError(`message ${messageId} is larger than the broker takes`);
};

/**
 * As few batches as the broker's size limit allows; entities must not be partitioned. What stands before a
 * message that cannot be sent is sent first, so that this one is the first of those without acknowledgement.
 */
const sendInBatches = async (
  sender: ServiceBusSender,
  messages: readonly OutgoingMessage[],
): Promise<SendResult> => {
  let acknowledged = 0;
  try {
    let batch = await sender.createMessageBatch();
    for (const message of messages) {
      if (isAdded(batch, message)) continue;
      await sender.sendMessages(batch);
      acknowledged += batch.count;
      batch = await sender.createMessageBatch();
      isAdded(batch, message);
    }
    await sender.sendMessages(batch);
    return { acknowledged: acknowledged + batch.count };
  } catch (failure) {
    return { acknowledged, failure };
  }
};

/**
 * The library settles a message through the entity's management link when no receive link of its
 * own brought it: then the lock token alone names the message. A message without a link is that.
 */
const lockedElsewhere = ({ lockToken, sessionId }: LockedMessage) => {
  const message: Pick<ServiceBusReceivedMessage, "body" | "lockToken" | "sessionId" | "state"> & {
    delivery: object;
    _rawAmqpMessage: ServiceBusReceivedMessage["_rawAmqpMessage"];
  } = {
    lockToken,
    ...(sessionId === undefined ? {} : { sessionId }),
    body: undefined,
    state: "active",
    delivery: {},
    _rawAmqpMessage: { body: undefined, bodyType: "data" },
  };
  return message;
};

/** Connects on first use: an application that sends nothing needs no broker. */
export const openServiceBus = (connection: ServiceBusConnection): ServiceBus => {
  let client: Promise<ServiceBusClient> | undefined;
  const senders = new Map<string, ServiceBusSender>();
  const receivers = new Map<string, ServiceBusReceiver>();
  const connected = (): Promise<ServiceBusClient> => (client ??= openClient(connection));

  const remembered = async <Link>(
    links: Map<string, Link>,
    name: string,
    open: (client: ServiceBusClient) => Link,
  ): Promise<Link> => {
    const bus = await connected();
    const known = links.get(name) ?? open(bus);
    links.set(name, known);
    return known;
  };

  return {
    async send(destination, messages) {
      if (messages.length === 0) return { acknowledged: 0 };
      const sender = await remembered(senders, destination, (bus) => bus.createSender(destination));
      return sendInBatches(sender, messages);
    },
    async deadLetter(message, { reason, description }) {
      const { entity } = message;
      const receiver = await remembered(receivers, entityPath(entity), (bus) =>
        "queue" in entity
          ? bus.createReceiver(entity.queue)
          : bus.createReceiver(entity.topic, entity.subscription),
      );
      await receiver.deadLetterMessage(lockedElsewhere(message), {
        deadLetterReason: reason,
        deadLetterErrorDescription: description,
      });
    },
    async ask(queue) {
      const receiver = await remembered(receivers, queue, (bus) => bus.createReceiver(queue));
      await receiver.peekMessages(1);
    },
    async close() {
      if (client === undefined) return;
      await (await client).close();
    },
  };
};
