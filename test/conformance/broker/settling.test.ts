/** What the genuine client may rely on when it settles what it received. */
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  bodies,
  brokerFixture,
  codeOf,
  one,
  type BrokerFixture,
} from "../../support/broker/broker.js";

let fixture: BrokerFixture;
beforeAll(async () => {
  fixture = await brokerFixture();
});
afterAll(() => fixture.stop());

const send = (queue: string, ...messages: readonly unknown[]): Promise<void> =>
  fixture.client.createSender(queue).sendMessages(messages.map((body) => ({ body })));

test("an abandoned message comes back first, counted and with the properties set", async () => {
  await send("plain", "first", "second");
  const receiver = fixture.client.createReceiver("plain");
  const message = one(await receiver.receiveMessages(1));
  await receiver.abandonMessage(message, { reason: "busy", attempt: 1 });
  const [again, next] = await receiver.receiveMessages(2);
  expect(again).toMatchObject({
    body: "first",
    deliveryCount: 1,
    applicationProperties: { reason: "busy", attempt: 1 },
  });
  expect(next?.body).toBe("second");
  for (const each of [again, next]) if (each) await receiver.completeMessage(each);
  await receiver.close();
});

test("a message that failed as often as allowed becomes a dead letter that says so", async () => {
  await send("plain", "poison");
  const receiver = fixture.client.createReceiver("plain");
  for (let delivery = 0; delivery < 3; delivery += 1) {
    const message = one(await receiver.receiveMessages(1));
    expect(message.deliveryCount).toBe(delivery);
    await receiver.abandonMessage(message);
  }
  expect(await receiver.receiveMessages(1, { maxWaitTimeInMs: 200 })).toEqual([]);
  const letters = fixture.client.createReceiver("plain", { subQueueType: "deadLetter" });
  const letter = one(await letters.receiveMessages(1));
  expect(letter).toMatchObject({
    body: "poison",
    deadLetterReason: "MaxDeliveryCountExceeded",
    deadLetterErrorDescription: "Message could not be consumed after 3 delivery attempts.",
  });
  await letters.completeMessage(letter);
  await letters.close();
  await receiver.close();
});

test("a dead-lettered message keeps its body and tells reason, description and properties", async () => {
  await send("plain", { order: 7 });
  const receiver = fixture.client.createReceiver("plain");
  const message = one(await receiver.receiveMessages(1));
  await receiver.deadLetterMessage(message, {
    deadLetterReason: "unreadable",
    deadLetterErrorDescription: "no amount",
    source: "test",
  });
  const letters = fixture.client.createReceiver("plain", { subQueueType: "deadLetter" });
  const letter = one(await letters.receiveMessages(1));
  expect(letter).toMatchObject({
    body: { order: 7 },
    deadLetterReason: "unreadable",
    deadLetterErrorDescription: "no amount",
    applicationProperties: { source: "test" },
  });
  // Dead letters stay however often they fail.
  for (let delivery = 0; delivery < 4; delivery += 1) {
    await letters.abandonMessage(delivery === 0 ? letter : one(await letters.receiveMessages(1)));
  }
  const last = one(await letters.receiveMessages(1));
  expect(await codeOf(letters.deadLetterMessage(last))).not.toBe("none");
  await letters.close();
  await receiver.close();
});

test("a deferred message is delivered by its number alone, and can then be completed", async () => {
  await send("plain", "set aside", "in turn");
  const receiver = fixture.client.createReceiver("plain");
  const message = one(await receiver.receiveMessages(1));
  await receiver.deferMessage(message, { step: "later" });
  const next = one(await receiver.receiveMessages(1));
  expect(next.body).toBe("in turn");
  await receiver.completeMessage(next);
  const number = message.sequenceNumber;
  if (number === undefined) throw new Error("a sequence number was expected");
  const [peeked] = await receiver.peekMessages(1);
  expect(peeked).toMatchObject({ body: "set aside", state: "deferred" });
  const deferred = one(await receiver.receiveDeferredMessages(number));
  expect(deferred).toMatchObject({
    body: "set aside",
    state: "deferred",
    applicationProperties: { step: "later" },
  });
  expect(await codeOf(receiver.receiveDeferredMessages(number))).toBe("MessageNotFound");
  await receiver.completeMessage(deferred);
  expect(await codeOf(receiver.receiveDeferredMessages(number))).toBe("MessageNotFound");
  await receiver.close();
});

test("a deferred message can be abandoned, dead-lettered, or taken for good", async () => {
  await send("plain", "a", "b");
  const receiver = fixture.client.createReceiver("plain");
  const [first, second] = await receiver.receiveMessages(2);
  if (first?.sequenceNumber === undefined || second?.sequenceNumber === undefined)
    throw new Error("two messages were expected");
  for (const message of [first, second]) await receiver.deferMessage(message);
  const taken = one(await receiver.receiveDeferredMessages(first.sequenceNumber));
  await receiver.abandonMessage(taken);
  const again = one(await receiver.receiveDeferredMessages(first.sequenceNumber));
  // Deferring it was a delivery, too.
  expect(again.deliveryCount).toBe(2);
  await receiver.deadLetterMessage(again, {
    deadLetterReason: "tired",
    deadLetterErrorDescription: "",
  });
  const letters = fixture.client.createReceiver("plain", {
    subQueueType: "deadLetter",
    receiveMode: "receiveAndDelete",
  });
  expect(one(await letters.receiveMessages(1)).deadLetterReason).toBe("tired");
  const deleting = fixture.client.createReceiver("plain", { receiveMode: "receiveAndDelete" });
  const gone = await deleting.receiveDeferredMessages(second.sequenceNumber);
  expect(bodies(gone)).toEqual(["b"]);
  expect(await codeOf(deleting.receiveDeferredMessages(second.sequenceNumber))).toBe(
    "MessageNotFound",
  );
  for (const each of [letters, deleting, receiver]) await each.close();
});

test("a lapsed lock is reported as lost, and the message is delivered again with its count", async () => {
  await send("brief", "slow");
  const receiver = fixture.client.createReceiver("brief", { maxAutoLockRenewalDurationInMs: 0 });
  const message = one(await receiver.receiveMessages(1));
  await setTimeout(1300);
  expect(await codeOf(receiver.completeMessage(message))).toBe("MessageLockLost");
  const again = one(await receiver.receiveMessages(1));
  expect(again).toMatchObject({ body: "slow", deliveryCount: 1 });
  await receiver.completeMessage(again);
  await receiver.close();
});

test("of two settlements in one turn the lost one is told apart from the good one", async () => {
  await send("brief", "lost", "good");
  const receiver = fixture.client.createReceiver("brief", { maxAutoLockRenewalDurationInMs: 0 });
  const lost = one(await receiver.receiveMessages(1));
  await setTimeout(1300);
  const [again, good] = await receiver.receiveMessages(2);
  if (again === undefined || good === undefined) throw new Error("two messages were expected");
  const codes = [codeOf(receiver.completeMessage(lost)), codeOf(receiver.completeMessage(good))];
  expect(await Promise.all(codes)).toEqual(["MessageLockLost", "none"]);
  await receiver.completeMessage(again);
  await receiver.close();
});

test("a renewed lock outlives its first duration", async () => {
  await send("brief", "renewed");
  const receiver = fixture.client.createReceiver("brief", { maxAutoLockRenewalDurationInMs: 0 });
  const message = one(await receiver.receiveMessages(1));
  const first = message.lockedUntilUtc?.getTime() ?? 0;
  while (Date.now() < first + 100) {
    await setTimeout(100);
    expect((await receiver.renewMessageLock(message)).getTime()).toBeGreaterThan(first);
  }
  await receiver.completeMessage(message);
  expect(await codeOf(receiver.renewMessageLock(message))).toBe("MessageLockLost");
  await receiver.close();
});

test("a lock outlives its receiver, so that another one settles by the token", async () => {
  await send("plain", "held");
  const receiver = fixture.client.createReceiver("plain");
  const message = one(await receiver.receiveMessages(1));
  await receiver.close();
  const other = fixture.client.createReceiver("plain");
  expect(await other.receiveMessages(1, { maxWaitTimeInMs: 200 })).toEqual([]);
  await other.completeMessage(message);
  expect(await other.peekMessages(1)).toEqual([]);
  await other.close();
});

test("peeking shows what is there, from a number on, and takes nothing", async () => {
  await send("plain", 1, 2, 3);
  const receiver = fixture.client.createReceiver("plain");
  const peeked = await receiver.peekMessages(2);
  expect(bodies(peeked)).toEqual([1, 2]);
  expect(bodies(await receiver.peekMessages(5))).toEqual([3]);
  const [first] = peeked;
  if (first?.sequenceNumber === undefined) throw new Error("a sequence number was expected");
  const again = await receiver.peekMessages(5, { fromSequenceNumber: first.sequenceNumber });
  expect(bodies(again)).toEqual([1, 2, 3]);
  const received = await receiver.receiveMessages(3);
  expect(bodies(received)).toEqual([1, 2, 3]);
  for (const message of received) await receiver.completeMessage(message);
  await receiver.close();
});

test("an expired message becomes a dead letter where the queue keeps them", async () => {
  await send("mortal", "late");
  const letters = fixture.client.createReceiver("mortal", {
    subQueueType: "deadLetter",
    receiveMode: "receiveAndDelete",
  });
  expect(one(await letters.receiveMessages(1))).toMatchObject({
    body: "late",
    deadLetterReason: "TTLExpiredException",
    deadLetterErrorDescription: "The message expired and was dead lettered.",
  });
  await letters.close();
});

test("an expired message is not delivered, and a sender may ask for a shorter life", async () => {
  const sender = fixture.client.createSender("forgetful");
  const receiver = fixture.client.createReceiver("forgetful", { receiveMode: "receiveAndDelete" });
  const receive = async () => bodies(await receiver.receiveMessages(2, { maxWaitTimeInMs: 50 }));
  await sender.sendMessages({ body: "short", timeToLive: 100 });
  await sender.sendMessages({ body: "longer", timeToLive: 86_400_000 });
  await setTimeout(200);
  expect(await receive()).toEqual(["longer"]);
  // The queue's own limit holds where it is the shorter one.
  await sender.sendMessages({ body: "too long", timeToLive: 86_400_000 });
  await setTimeout(1100);
  expect(await receive()).toEqual([]);
  await receiver.close();
});
