/** What users of the genuine service found it to do, and this broker did otherwise. */
import { randomUUID } from "node:crypto";
import type {
  PeekMessagesOptions,
  RuleProperties,
  ServiceBusReceivedMessage,
  ServiceBusReceiver,
  ServiceBusRuleManager,
} from "@azure/service-bus";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bodies, brokerFixture, one, type BrokerFixture } from "../../support/broker/broker.js";

let fixture: BrokerFixture;
beforeAll(async () => {
  fixture = await brokerFixture();
});
afterAll(() => fixture.stop());

const numberOf = ({ sequenceNumber }: ServiceBusReceivedMessage) => {
  if (sequenceNumber === undefined) throw new Error("a sequence number was expected");
  return sequenceNumber;
};

const lettersOf = (queue: string): ServiceBusReceiver =>
  fixture.client.createReceiver(queue, { subQueueType: "deadLetter" });

/** All that can be peeked: a receiver of its own begins with the first message. */
const peekAll = async (
  make: () => ServiceBusReceiver,
  options: PeekMessagesOptions & { readonly omitMessageBody?: boolean } = {},
): Promise<ServiceBusReceivedMessage[]> => {
  const receiver = make();
  const peeked = await receiver.peekMessages(100, options);
  await receiver.close();
  return peeked;
};

const rulesOf = async (manager: ServiceBusRuleManager): Promise<RuleProperties[]> => {
  const rules: RuleProperties[] = [];
  for await (const rule of manager.listRules()) rules.push(rule);
  return rules;
};

test("deferring counts as a delivery, every time", async () => {
  await fixture.client.createSender("other").sendMessages({ body: "put off" });
  const receiver = fixture.client.createReceiver("other");
  const message = one(await receiver.receiveMessages(1));
  await receiver.deferMessage(message);
  const once = one(await receiver.receiveDeferredMessages(numberOf(message)));
  expect(once).toMatchObject({ deliveryCount: 1, state: "deferred" });
  await receiver.deferMessage(once);
  const twice = one(await receiver.receiveDeferredMessages(numberOf(message)));
  expect(twice.deliveryCount).toBe(2);
  await receiver.completeMessage(twice);
  await receiver.close();
});

test("a message that is deferred as often as it may be delivered becomes a dead letter", async () => {
  await fixture.client.createSender("plain").sendMessages({ body: "put off for ever" });
  const receiver = fixture.client.createReceiver("plain");
  let message = one(await receiver.receiveMessages(1));
  for (let delivery = 1; delivery < 3; delivery += 1) {
    await receiver.deferMessage(message);
    message = one(await receiver.receiveDeferredMessages(numberOf(message)));
  }
  await receiver.deferMessage(message);
  const letters = lettersOf("plain");
  const letter = one(await letters.receiveMessages(1));
  expect(letter).toMatchObject({
    body: "put off for ever",
    deadLetterReason: "MaxDeliveryCountExceeded",
  });
  await letters.completeMessage(letter);
  await letters.close();
  await receiver.close();
});

test("a scheduled message that is deferred is a deferred one, for who peeks and who takes it", async () => {
  const sender = fixture.client.createSender("other");
  await sender.scheduleMessages({ body: "both" }, new Date(Date.now() + 50));
  const receiver = fixture.client.createReceiver("other");
  const message = one(await receiver.receiveMessages(1));
  await receiver.deferMessage(message);
  expect(one(await peekAll(() => fixture.client.createReceiver("other"))).state).toBe("deferred");
  const deferred = one(await receiver.receiveDeferredMessages(numberOf(message)));
  expect(deferred.state).toBe("deferred");
  await receiver.completeMessage(deferred);
  await receiver.close();
});

test("a dead letter keeps its number, and nothing is counted where it lies", async () => {
  const sender = fixture.client.createSender("crossing");
  await sender.sendMessages([1, 2, 3, 4].map((body) => ({ body })));
  const receiver = fixture.client.createReceiver("crossing");
  const messages = await receiver.receiveMessages(4);
  const [first, second, third, fourth] = messages;
  if (!first || !second || !third || !fourth) throw new Error("four messages were expected");
  // In another order than the one of the numbers, with a receiver that is there already.
  const letters = lettersOf("crossing");
  await receiver.deadLetterMessage(third);
  const early = one(await letters.receiveMessages(1));
  for (const message of [fourth, first, second]) await receiver.deadLetterMessage(message);
  expect((await peekAll(() => lettersOf("crossing"))).map(numberOf).map(String)).toEqual(
    messages.map(numberOf).map(String),
  );
  await letters.abandonMessage(early);
  const received = await letters.receiveMessages(4);
  expect(bodies(received)).toEqual([1, 2, 3, 4]);
  expect(received.map(({ deliveryCount }) => deliveryCount)).toEqual([0, 0, 0, 0]);
  expect(numberOf(one(received.filter(({ body }) => body === 3))).equals(numberOf(third))).toBe(
    true,
  );
  for (const message of received) await letters.completeMessage(message);
  await letters.close();
  await receiver.close();
});

test("a peek may leave the bodies out", async () => {
  const sender = fixture.client.createSender("other");
  await sender.sendMessages({
    body: "x".repeat(10_000),
    subject: "s",
    applicationProperties: { a: 1 },
  });
  const receiver = fixture.client.createReceiver("other", { receiveMode: "receiveAndDelete" });
  const peeked = one(
    await peekAll(() => fixture.client.createReceiver("other"), {
      omitMessageBody: true,
    }),
  );
  expect(peeked).toMatchObject({ subject: "s", applicationProperties: { a: 1 } });
  expect(peeked.body).toBeUndefined();
  expect(bodies(await receiver.receiveMessages(1))).toEqual(["x".repeat(10_000)]);
  await receiver.close();
});

test("a topic shows its scheduled messages to who peeks into it", async () => {
  const sender = fixture.client.createSender("news");
  const [number] = await sender.scheduleMessages(
    { body: "tomorrow", messageId: randomUUID() },
    new Date(Date.now() + 86_400_000),
  );
  if (number === undefined) throw new Error("a number was expected");
  const peekTopic = () => peekAll(() => fixture.client.createReceiver("news"));
  expect(await peekTopic()).toMatchObject([{ body: "tomorrow", state: "scheduled" }]);
  expect(await peekAll(() => fixture.client.createReceiver("news", "all"))).toEqual([]);
  await sender.cancelScheduledMessages(number);
  expect(await peekTopic()).toEqual([]);
});

test("header fields that the sender sets reach the receiver", async () => {
  await fixture.client.createSender("other").sendMessages({
    bodyType: "data",
    body: "important",
    header: { durable: true, priority: 7 },
  });
  const receiver = fixture.client.createReceiver("other", { receiveMode: "receiveAndDelete" });
  const { _rawAmqpMessage: raw } = one(await receiver.receiveMessages(1));
  expect(raw.header).toMatchObject({ durable: true, priority: 7, deliveryCount: 0 });
  await receiver.close();
});

test("a correlation rule may ask for a time, and says so when it is listed", async () => {
  const manager = fixture.client.createRuleManager("news", "ruled");
  await manager.deleteRule("$Default");
  const day = new Date(1_700_000_000_000);
  await manager.createRule("that-day", { applicationProperties: { day, desk: 7 } });
  const [rule] = await rulesOf(manager);
  expect(rule).toMatchObject({ name: "that-day", filter: { applicationProperties: { desk: 7 } } });
  const filter = rule?.filter as { readonly applicationProperties: { readonly day: unknown } };
  expect(new Date(filter.applicationProperties.day as Date)).toEqual(day);
  await fixture.client.createSender("news").sendMessages([
    { body: "that day", messageId: randomUUID(), applicationProperties: { day, desk: 7 } },
    {
      body: "the next",
      messageId: randomUUID(),
      applicationProperties: { day: new Date(day.getTime() + 86_400_000), desk: 7 },
    },
  ]);
  const receiver = fixture.client.createReceiver("news", "ruled", {
    receiveMode: "receiveAndDelete",
  });
  expect(bodies(await receiver.receiveMessages(2, { maxWaitTimeInMs: 1000 }))).toEqual([
    "that day",
  ]);
  await receiver.close();
});

test("rules are listed by their names", async () => {
  const manager = fixture.client.createRuleManager("news", "all");
  for (const name of ["zebra", "ant", "mole"])
    await manager.createRule(name, { correlationId: name });
  const rules = await rulesOf(manager);
  expect(rules.map(({ name }) => name)).toEqual(["$Default", "ant", "mole", "zebra"]);
  await expect(manager.createRule("x".repeat(51), { correlationId: "1" })).rejects.toThrow(
    "at most 50 characters",
  );
  await expect(manager.createRule("ant", { correlationId: "1" })).rejects.toThrow("already exists");
});

test("refusals are worded as the service words them", async () => {
  const { client } = fixture;
  const subscription = client.createSender("news/Subscriptions/all");
  await expect(subscription.sendMessages({ body: 1 })).rejects.toThrow(
    "Cannot create a message sender for a subscription",
  );
  const receiver = client.createReceiver("other");
  await client.createSender("other").sendMessages({ body: 1 });
  const message = one(await receiver.receiveMessages(1));
  await expect(receiver.receiveDeferredMessages(numberOf(message).add(1000))).rejects.toThrow(
    "Failed to lock one or more specified messages. Either the message is already locked or does not exist.",
  );
  await receiver.completeMessage(message);
  await expect(receiver.renewMessageLock(message)).rejects.toThrow(
    "The lock supplied is invalid. Either the lock expired, or the message has already been removed " +
      "from the queue, or was received by a different receiver instance.",
  );
  await receiver.close();
});
