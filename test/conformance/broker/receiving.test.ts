/** What the genuine client may rely on when it receives. */
import { setTimeout } from "node:timers/promises";
import type { ServiceBusReceivedMessage } from "@azure/service-bus";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  bodies,
  brokerFixture,
  connect,
  one,
  type BrokerFixture,
} from "../../support/broker/broker.js";

let fixture: BrokerFixture;
beforeAll(async () => {
  fixture = await brokerFixture();
});
afterAll(() => fixture.stop());

const send = async (queue: string, count: number): Promise<number[]> => {
  const numbers = Array.from({ length: count }, (_, index) => index);
  const sender = fixture.client.createSender(queue);
  for (let at = 0; at < count; at += 500)
    await sender.sendMessages(numbers.slice(at, at + 500).map((body) => ({ body })));
  return numbers;
};

const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await setTimeout(10);
};

test("receiving fewer than asked for ends soon and leaves the link usable", async () => {
  const receiver = fixture.client.createReceiver("plain", { receiveMode: "receiveAndDelete" });
  for (let round = 0; round < 5; round += 1) {
    await send("plain", 2);
    const received: unknown[] = [];
    while (received.length < 2)
      received.push(...bodies(await receiver.receiveMessages(10, { maxWaitTimeInMs: 200 })));
    expect(received).toEqual([0, 1]);
    expect(await receiver.receiveMessages(10, { maxWaitTimeInMs: 20 })).toEqual([]);
  }
  await receiver.close();
});

test("what receiveAndDelete delivered is gone", async () => {
  await send("plain", 1);
  const receiver = fixture.client.createReceiver("plain", { receiveMode: "receiveAndDelete" });
  expect(await receiver.receiveMessages(1)).toHaveLength(1);
  expect(await receiver.peekMessages(1)).toEqual([]);
  await receiver.close();
});

test("a subscriber gets every message once, in order, and what it throws is tried again", async () => {
  const numbers = await send("plain", 50);
  const seen: unknown[] = [];
  const failed = new Set<unknown>();
  const receiver = fixture.client.createReceiver("plain");
  const subscription = receiver.subscribe({
    processMessage: async ({ body }) => {
      if (body === 7 && !failed.has(body)) {
        failed.add(body);
        throw new Error("once");
      }
      seen.push(body);
    },
    processError: async () => undefined,
  });
  await until(() => seen.length === numbers.length);
  await subscription.close();
  expect(seen).toEqual(numbers);
  expect(failed.size).toBe(1);
  await receiver.close();
});

test("a subscriber is told of a new message without waiting for a poll", async () => {
  const latencies: number[] = [];
  const confirmations: number[] = [];
  const receiver = fixture.client.createReceiver("plain");
  const subscription = receiver.subscribe({
    processMessage: async ({ body }) => {
      latencies.push(Date.now() - Number(body));
    },
    processError: async () => undefined,
  });
  const sender = fixture.client.createSender("plain");
  for (let sent = 0; sent < 20; sent += 1) {
    const from = Date.now();
    await sender.sendMessages({ body: from });
    confirmations.push(Date.now() - from);
    await until(() => latencies.length > sent);
  }
  await subscription.close();
  await receiver.close();
  // On a machine of any load it comes about when its sender is confirmed; a poll would come later.
  const median = (times: number[]): number => times.toSorted((a, b) => a - b)[10] ?? 0;
  expect(median(latencies)).toBeLessThan(10 * median(confirmations) + 50);
});

test("two receivers share a queue without duplicates or losses", async () => {
  const numbers = await send("other", 400);
  const other = connect(fixture.broker.port);
  const shares: unknown[][] = [[], []];
  const receivers = [fixture.client, other].map((client) => client.createReceiver("other"));
  const subscriptions = receivers.map((receiver, index) =>
    receiver.subscribe(
      {
        processMessage: async ({ body }) => {
          shares[index]?.push(body);
        },
        processError: async () => undefined,
      },
      { maxConcurrentCalls: 5 },
    ),
  );
  await until(() => shares.flat().length >= numbers.length);
  await setTimeout(100);
  for (const subscription of subscriptions) await subscription.close();
  expect(shares.flat().toSorted((a, b) => Number(a) - Number(b))).toEqual(numbers);
  for (const share of shares) expect(share.length).toBeGreaterThan(50);
  for (const receiver of receivers) await receiver.close();
  await other.close();
});

test("one link delivers many times what a session can hold unsettled", async () => {
  const numbers = await send("other", 5000);
  const receiver = fixture.client.createReceiver("other");
  const seen: unknown[] = [];
  let held: ServiceBusReceivedMessage | undefined;
  const subscription = receiver.subscribe(
    {
      processMessage: async (message) => {
        seen.push(message.body);
        held ??= message;
        // The first one is held while others pass: they leave the session's ring in order only.
        if (held === message) await until(() => seen.length > 1500);
        await receiver.completeMessage(message);
      },
      processError: async () => undefined,
    },
    { maxConcurrentCalls: 50, autoCompleteMessages: false },
  );
  await until(() => seen.length === numbers.length);
  await setTimeout(200);
  await subscription.close();
  expect(new Set(seen).size).toBe(numbers.length);
  expect(await receiver.peekMessages(1)).toEqual([]);
  await receiver.close();
});

test("a backlog larger than the memory's window is delivered in order", async () => {
  const numbers = await send("other", 2500);
  const receiver = fixture.client.createReceiver("other", { receiveMode: "receiveAndDelete" });
  const seen: unknown[] = [];
  const first = one(await receiver.receiveMessages(1));
  seen.push(first.body);
  // What arrives while the window is full waits in the database.
  await send("other", 3);
  while (seen.length < numbers.length + 3)
    seen.push(...bodies(await receiver.receiveMessages(1000, { maxWaitTimeInMs: 2000 })));
  expect(seen).toEqual([...numbers, 0, 1, 2]);
  await receiver.close();
});

test("messages that arrive while nobody listens are there for who comes later", async () => {
  const receiver = fixture.client.createReceiver("plain", { receiveMode: "receiveAndDelete" });
  await send("plain", 1);
  expect(await receiver.receiveMessages(1)).toHaveLength(1);
  await receiver.close();
  await send("plain", 3);
  const later = fixture.client.createReceiver("plain", { receiveMode: "receiveAndDelete" });
  expect(bodies(await later.receiveMessages(3))).toEqual([0, 1, 2]);
  await later.close();
});
