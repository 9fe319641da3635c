/** Dead letters of queues and subscriptions: counted, looked at, and sent again under ids of their own. */
import type {
  ServiceBusAdministrationClient,
  ServiceBusClient,
  ServiceBusMessage,
  ServiceBusReceivedMessage,
  ServiceBusReceiver,
  ServiceBusReceiverOptions,
} from "@azure/service-bus";
import type { BusEntity } from "./service-bus.js";

export interface DeadLetterCount {
  readonly entity: BusEntity;
  readonly count: number;
}

/** All queues, then all subscriptions of the namespace; those without dead letters, too. */
export async function* deadLetterCounts(
  administration: Pick<
    ServiceBusAdministrationClient,
    "listQueuesRuntimeProperties" | "listSubscriptionsRuntimeProperties" | "listTopics"
  >,
): AsyncGenerator<DeadLetterCount, void, undefined> {
  for await (const { name, deadLetterMessageCount } of administration.listQueuesRuntimeProperties())
    yield { entity: { queue: name }, count: deadLetterMessageCount };
  for await (const { name: topic } of administration.listTopics())
    for await (const found of administration.listSubscriptionsRuntimeProperties(topic))
      yield {
        entity: { topic, subscription: found.subscriptionName },
        count: found.deadLetterMessageCount,
      };
}

/** A queue's name, or a topic and its subscription as `topic/subscription` or in the broker's own words. */
export const parseEntity = (text: string): BusEntity => {
  const [, topic, subscription] = /^(.+?)(?:\/subscriptions)?\/([^/]+)$/i.exec(text) ?? [];
  return topic === undefined || subscription === undefined
    ? { queue: text }
    : { topic, subscription };
};

const receiverOf = (client: ServiceBusClient, entity: BusEntity): ServiceBusReceiver => {
  // Bodies stay the bytes that they are.
  const options: ServiceBusReceiverOptions = {
    subQueueType: "deadLetter",
    receiveMode: "peekLock",
    skipParsingBodyAsJson: true,
  };
  return "queue" in entity
    ? client.createReceiver(entity.queue, options)
    : client.createReceiver(entity.topic, entity.subscription, options);
};

/** What names a dead letter among those of its entity; text, since it may have more digits than a double. */
export const sequenceOf = ({
  sequenceNumber,
}: Pick<ServiceBusReceivedMessage, "sequenceNumber">): string => sequenceNumber?.toString() ?? "";

const perPeek = 250;

/** Looks at them, oldest first; a client that has looked at an entity before goes on from where it was. */
export async function* peekDeadLetters(
  client: ServiceBusClient,
  entity: BusEntity,
): AsyncGenerator<ServiceBusReceivedMessage, void, undefined> {
  const receiver = receiverOf(client, entity);
  try {
    for (;;) {
      const page = await receiver.peekMessages(perPeek);
      if (page.length === 0) return;
      yield* page;
    }
  } finally {
    await receiver.close();
  }
}

const idCharactersMax = 128;
const resentMark = /#resent-\d+$/;

/**
 * An id that neither broker nor inbox has seen, and always the same one for the same dead letter: whoever is
 * killed between sending and removing sends it again, and the broker drops the second.
 */
export const resentId = (
  letter: Pick<ServiceBusReceivedMessage, "messageId" | "sequenceNumber">,
): string => {
  const { messageId = "" } = letter;
  const mark = `#resent-${sequenceOf(letter)}`;
  const id = Buffer.isBuffer(messageId) ? messageId.toString("hex") : String(messageId);
  return `${id.replace(resentMark, "").slice(0, idCharactersMax - mark.length)}${mark}`;
};

const ofDeadLetters: readonly string[] = ["DeadLetterReason", "DeadLetterErrorDescription"];

/** The message as it was, its kind of body included, but for its id and for why it was a dead letter. */
const resent = (letter: ServiceBusReceivedMessage): ServiceBusMessage => {
  const properties = Object.entries(letter.applicationProperties ?? {}).filter(
    ([name]) => !ofDeadLetters.includes(name),
  );
  return {
    ...letter,
    messageId: resentId(letter),
    applicationProperties: Object.fromEntries(properties),
  };
};

/** One by one: the client merges what is settled in one tick. */
const giveBack = async (
  receiver: ServiceBusReceiver,
  letters: Iterable<ServiceBusReceivedMessage>,
): Promise<void> => {
  try {
    for (const letter of letters) await receiver.abandonMessage(letter);
  } catch {
    // The end of their locks gives them back as well.
  }
};

const perReceive = 50;
/** So many that stand before those that are meant are held at the same time, and no more. */
export const passedOverMax = 1_000;
/** So long a queue is listened to before what is missing in it counts as somebody else's. */
const patienceMs = 3_000;

/**
 * Sends these dead letters of an entity to it again and removes each after its copy is stored: at least once.
 * A subscription's go to its topic, and so to all its subscriptions whose rules they pass. Resolves to those that
 * were not there, or had too many others before them.
 */
export const resendDeadLetters = async (
  client: ServiceBusClient,
  entity: BusEntity,
  sequences: ReadonlySet<string>,
  onResent: (letter: ServiceBusReceivedMessage, id: string) => void = () => undefined,
): Promise<ReadonlySet<string>> => {
  const receiver = receiverOf(client, entity);
  const sender = client.createSender("queue" in entity ? entity.queue : entity.topic);
  const missing = new Set(sequences);
  const seen = new Set<string>();
  const held = new Map<string, ServiceBusReceivedMessage>();
  /** How many in a row were known: those that are held come round again when their locks are over. */
  let known = 0;
  try {
    while (missing.size > 0 && held.size < passedOverMax && known <= held.size) {
      // A receive that gets all it asked for ends at once, any other one listens for more.
      const wanted = held.size === 0 ? Math.min(missing.size, perReceive) : perReceive;
      const page = await receiver.receiveMessages(wanted, { maxWaitTimeInMs: patienceMs });
      if (page.length === 0) break;
      for (const letter of page) {
        const sequence = sequenceOf(letter);
        known = seen.has(sequence) ? known + 1 : 0;
        seen.add(sequence);
        if (!missing.has(sequence)) {
          held.set(sequence, letter);
          continue;
        }
        await sender.sendMessages(resent(letter));
        await receiver.completeMessage(letter);
        missing.delete(sequence);
        onResent(letter, resentId(letter));
      }
    }
    return missing;
  } finally {
    await giveBack(receiver, held.values());
    await receiver.close();
    await sender.close();
  }
};
