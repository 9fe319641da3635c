/** What the genuine client may rely on when it sends. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { bodies, brokerFixture, type BrokerFixture } from "../support/broker.js";

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
