/** What the genuine client may rely on when it sends. */
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  bodies,
  brokerFixture,
  codeOf,
  connect,
  one,
  receiveExactly,
  type BrokerFixture,
} from "../../support/broker/broker.js";

let fixture: BrokerFixture;
beforeAll(async () => {
  fixture = await brokerFixture();
});
afterAll(() => fixture.stop());

test("a message comes back with its body, its properties and the broker's annotations", async () => {
  const { client } = fixture;
  const before = Date.now();
  await client.createSender("plain").sendMessages({
    body: { amount: 12.5, text: "però" },
    messageId: "m-1",
    correlationId: "c-1",
    subject: "greeting",
    contentType: "application/json",
    replyTo: "elsewhere",
    to: "somebody",
    applicationProperties: { attempt: 1, isTest: true, partner: "acme" },
  });
  const receiver = client.createReceiver("plain");
  const [message] = await receiver.receiveMessages(1);
  expect(message).toMatchObject({
    body: { amount: 12.5, text: "però" },
    messageId: "m-1",
    correlationId: "c-1",
    subject: "greeting",
    contentType: "application/json",
    replyTo: "elsewhere",
    to: "somebody",
    applicationProperties: { attempt: 1, isTest: true, partner: "acme" },
    deliveryCount: 0,
    state: "active",
  });
  expect(message?.sequenceNumber?.toString()).toBe("1");
  expect(message?.enqueuedTimeUtc?.getTime()).toBeGreaterThanOrEqual(before - 1);
  expect(message?.lockedUntilUtc?.getTime()).toBeGreaterThan(Date.now());
  expect(message?.lockToken).toMatch(/^[0-9a-f-]{36}$/);
  if (message !== undefined) await receiver.completeMessage(message);
  expect(await receiver.receiveMessages(1, { maxWaitTimeInMs: 300 })).toEqual([]);
  await receiver.close();
});

test("an array of messages arrives whole and in order", async () => {
  const { client } = fixture;
  await client.createSender("other").sendMessages([1, 2, 3].map((body) => ({ body })));
  const receiver = client.createReceiver("other", { receiveMode: "receiveAndDelete" });
  expect(bodies(await receiver.receiveMessages(3))).toEqual([1, 2, 3]);
  await receiver.close();
});

test("a batch made by the client arrives whole and in order", async () => {
  const { client } = fixture;
  const sender = client.createSender("other");
  const batch = await sender.createMessageBatch();
  for (const body of ["a", "b", "c"]) expect(batch.tryAddMessage({ body })).toBe(true);
  await sender.sendMessages(batch);
  const receiver = client.createReceiver("other", { receiveMode: "receiveAndDelete" });
  expect(bodies(await receiver.receiveMessages(3))).toEqual(["a", "b", "c"]);
  await receiver.close();
});

test("a batch offers room for a message of the standard tier and not for more", async () => {
  const batch = await fixture.client.createSender("other").createMessageBatch();
  expect(batch.maxSizeInBytes).toBe(256 * 1024);
});

test("a message without id gets one, so that it can be settled", async () => {
  const { client } = fixture;
  await client.createSender("other").sendMessages({ body: "anonymous" });
  const receiver = client.createReceiver("other");
  const message = one(await receiver.receiveMessages(1));
  expect(message.messageId).toMatch(/^[0-9a-f]{32}$/);
  await receiver.completeMessage(message);
  await receiver.close();
});

test("bytes, texts and objects keep their form", async () => {
  const { client } = fixture;
  const sender = client.createSender("other");
  const sent = [Buffer.from([0, 255, 7]), "text", { nested: [1, { deep: null }] }, 42, true];
  for (const body of sent) await sender.sendMessages({ body });
  const receiver = client.createReceiver("other", { receiveMode: "receiveAndDelete" });
  expect(bodies(await receiver.receiveMessages(sent.length))).toEqual(sent);
  await receiver.close();
});

test("a message that takes many frames arrives unbroken", async () => {
  const { client } = fixture;
  const body = "0123456789abcdef".repeat(15_000);
  await client.createSender("other").sendMessages({ body });
  const receiver = client.createReceiver("other", { receiveMode: "receiveAndDelete" });
  expect(one(await receiver.receiveMessages(1)).body).toBe(body);
  await receiver.close();
});

test("a message above the limit is refused and the sender can go on", async () => {
  const { client } = fixture;
  const sender = client.createSender("other");
  const tooLarge = sender.sendMessages({ body: "x".repeat(257 * 1024) });
  expect(await codeOf(tooLarge)).toBe("MessageSizeExceeded");
  await sender.sendMessages({ body: "small" });
  const receiver = client.createReceiver("other", { receiveMode: "receiveAndDelete" });
  expect(bodies(await receiver.receiveMessages(1))).toEqual(["small"]);
  await receiver.close();
});

test("sends in flight together are all kept, in the order in which they were made", async () => {
  const { client } = fixture;
  const sender = client.createSender("other");
  const numbers = Array.from({ length: 500 }, (_, index) => index);
  await Promise.all(numbers.map((body) => sender.sendMessages({ body })));
  const receiver = client.createReceiver("other", { receiveMode: "receiveAndDelete" });
  const received: unknown[] = [];
  while (received.length < numbers.length)
    received.push(...bodies(await receiver.receiveMessages(numbers.length - received.length)));
  expect(received).toEqual(numbers);
  await receiver.close();
});

test("a second message with the same id is accepted and dropped within the window", async () => {
  const { client } = fixture;
  const sender = client.createSender("unique");
  await sender.sendMessages({ body: "first", messageId: "same" });
  await sender.sendMessages({ body: "second", messageId: "same" });
  await Promise.all(
    ["third", "fourth"].map((body) => sender.sendMessages({ body, messageId: "both" })),
  );
  await sender.sendMessages([
    { body: "fifth", messageId: "batch" },
    { body: "sixth", messageId: "batch" },
  ]);
  const receiver = client.createReceiver("unique", { receiveMode: "receiveAndDelete" });
  const received = bodies(await receiveExactly(receiver, 3));
  expect(received).toEqual(["first", "third", "fifth"]);
  await receiver.close();
});

test("after the window an id may come again", async () => {
  const { client } = fixture;
  const sender = client.createSender("soon-forgotten");
  await sender.sendMessages({ body: "before", messageId: "window" });
  await setTimeout(1100);
  await sender.sendMessages({ body: "after", messageId: "window" });
  const receiver = client.createReceiver("soon-forgotten", { receiveMode: "receiveAndDelete" });
  const received = bodies(await receiveExactly(receiver, 2));
  expect(received).toEqual(["before", "after"]);
  await receiver.close();
});

test("a scheduled message is seen by peeking at once and delivered when it is due", async () => {
  const { client } = fixture;
  const receiver = client.createReceiver("other", { receiveMode: "receiveAndDelete" });
  // Its connection is open before the time runs.
  expect(await receiver.peekMessages(1)).toEqual([]);
  const dueAt = new Date(Date.now() + 1200);
  const [number] = await client
    .createSender("other")
    .scheduleMessages({ body: "later", messageId: "later" }, dueAt);
  const [peeked] = await receiver.peekMessages(1);
  expect(peeked).toMatchObject({ body: "later", state: "scheduled" });
  expect(peeked?.sequenceNumber?.toString()).toBe(number?.toString());
  const message = one(await receiver.receiveMessages(1));
  expect(Date.now()).toBeGreaterThanOrEqual(dueAt.getTime());
  expect(message).toMatchObject({ body: "later", scheduledEnqueueTimeUtc: dueAt });
  expect(message.enqueuedTimeUtc?.getTime()).toBeGreaterThanOrEqual(dueAt.getTime());
  await receiver.close();
});

test("a message sent with an enqueue time waits for it", async () => {
  const { client } = fixture;
  const dueAt = Date.now() + 1000;
  await client
    .createSender("other")
    .sendMessages({ body: "in a second", scheduledEnqueueTimeUtc: new Date(dueAt) });
  const receiver = client.createReceiver("other", { receiveMode: "receiveAndDelete" });
  const received = await receiver.receiveMessages(1);
  expect(Date.now()).toBeGreaterThanOrEqual(dueAt);
  expect(bodies(received)).toEqual(["in a second"]);
  await receiver.close();
});

test("a cancelled message is never delivered, and cancelling it again finds nothing", async () => {
  const { client } = fixture;
  const sender = client.createSender("other");
  const [kept, cancelled] = await sender.scheduleMessages(
    [{ body: "kept" }, { body: "cancelled" }],
    new Date(Date.now() + 2000),
  );
  if (kept === undefined || cancelled === undefined) throw new Error("two numbers were expected");
  await sender.cancelScheduledMessages(cancelled);
  expect(await codeOf(sender.cancelScheduledMessages(cancelled))).toBe("MessageNotFound");
  const receiver = client.createReceiver("other", { receiveMode: "receiveAndDelete" });
  expect(bodies(await receiveExactly(receiver, 1))).toEqual(["kept"]);
  await receiver.close();
});

test("an entity that does not exist is told apart from other failures", async () => {
  const { client } = fixture;
  const send = client.createSender("nowhere").sendMessages({ body: 1 });
  expect(await codeOf(send)).toBe("MessagingEntityNotFound");
  const receive = client.createReceiver("nowhere").receiveMessages(1);
  expect(await codeOf(receive)).toBe("MessagingEntityNotFound");
});

test("a wrong key is refused for senders, receivers and management", async () => {
  const stranger = connect(fixture.broker.port, { key: "wrong" });
  const send = stranger.createSender("other").sendMessages({ body: 1 });
  expect(await codeOf(send)).toBe("UnauthorizedAccess");
  const receive = stranger.createReceiver("other").receiveMessages(1);
  expect(await codeOf(receive)).toBe("UnauthorizedAccess");
  expect(await codeOf(stranger.createReceiver("other").peekMessages(1))).toBe("UnauthorizedAccess");
  await stranger.close();
});
