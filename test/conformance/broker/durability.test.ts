/** What was acknowledged is there after a crash of the broker or a loss of its database connection. */
import { setTimeout } from "node:timers/promises";
import type { ServiceBusClient } from "@azure/service-bus";
import { beforeAll, expect, test } from "vitest";
import { startBroker } from "../../../local/broker/broker.js";
import {
  bodies,
  codeOf,
  connect,
  one,
  receiveExactly,
  testTopology,
} from "../../support/broker/broker.js";
import { buildBroker, runBroker } from "../../support/broker/broker-process.js";
import { connect as openConnection, rowsOf } from "../../support/database/connections.js";
import { ownDatabases } from "../../support/database/own-databases.js";

const { freshDatabase, afterwards } = ownDatabases();
beforeAll(async () => buildBroker());

const run = async (url: string, port = 0) => {
  const broker = await runBroker(url, port);
  afterwards(() => broker.kill());
  return broker;
};

const client = (port: number): ServiceBusClient => {
  const made = connect(port, { maxRetries: 0 });
  afterwards(() => made.close());
  return made;
};

/** How many messages the broker's tables say are with a receiver: it marks them without haste. */
const deliveredIn = async (url: string): Promise<number> => {
  const delivered = await rowsOf(url, "select from broker.message where delivered");
  return delivered.length;
};

/** So many at least, and whatever there is beyond them. */
const receiveAll = async (
  from: ServiceBusClient,
  queue: string,
  count: number,
): Promise<unknown[]> => {
  const receiver = from.createReceiver(queue, { receiveMode: "receiveAndDelete" });
  const received = await receiveExactly(receiver, count);
  await receiver.close();
  return bodies(received);
};

test("after kill -9 in the middle of sending, every acknowledged message is there, in order", async () => {
  const url = await freshDatabase();
  const broker = await run(url);
  // Sends that the crash leaves without answer end after this time.
  const hasty = connect(broker.port, { maxRetries: 0, timeoutInMs: 1500 });
  afterwards(() => hasty.close());
  const sender = hasty.createSender("plain");
  const acknowledged: number[] = [];
  const sends: Promise<void>[] = [];
  let next = 0;
  const feed = async (): Promise<void> => {
    while (next < 100_000) {
      const body = next;
      next += 1;
      const sent = sender.sendMessages({ body }).then(
        () => void acknowledged.push(body),
        () => void (next = Infinity),
      );
      sends.push(sent);
      await sent;
    }
  };
  const feeders = Array.from({ length: 20 }, feed);
  while (acknowledged.length < 500) await setTimeout(1);
  await broker.kill();
  await Promise.all([...feeders, ...sends]);
  const again = await run(url);
  const received = await receiveAll(client(again.port), "plain", acknowledged.length);
  expect(received.filter((body) => acknowledged.includes(Number(body)))).toHaveLength(
    acknowledged.length,
  );
  expect(new Set(received).size).toBe(received.length);
  expect(received).toEqual(received.toSorted((a, b) => Number(a) - Number(b)));
});

test("after kill -9, settled messages stay settled and the others are delivered once more", async () => {
  const url = await freshDatabase();
  const broker = await run(url);
  const before = client(broker.port);
  const sent = ["completed", "abandoned", "deferred", "buried", "locked", "waiting"];
  await before.createSender("plain").sendMessages(sent.map((body) => ({ body })));
  const receiver = before.createReceiver("plain");
  const [completed, abandoned, deferred, buried] = await receiver.receiveMessages(5);
  if (!completed || !abandoned || !deferred?.sequenceNumber || !buried)
    throw new Error("five messages were expected");
  await receiver.completeMessage(completed);
  await receiver.deferMessage(deferred);
  await receiver.deadLetterMessage(buried, {
    deadLetterReason: "before the crash",
    deadLetterErrorDescription: "",
  });
  await receiver.abandonMessage(abandoned);
  await expect.poll(() => deliveredIn(url)).toBe(1);
  await broker.kill();

  const again = await run(url);
  const after = client(again.port);
  const other = after.createReceiver("plain");
  const messages = await receiveExactly(other, 3);
  expect(messages.map(({ body, deliveryCount }) => [body as unknown, deliveryCount])).toEqual([
    ["abandoned", 1],
    ["locked", 1],
    ["waiting", 0],
  ]);
  expect(bodies(await other.receiveDeferredMessages(deferred.sequenceNumber))).toEqual([
    "deferred",
  ]);
  const letters = after.createReceiver("plain", { subQueueType: "deadLetter" });
  expect(one(await letters.receiveMessages(1)).deadLetterReason).toBe("before the crash");
});

test("a message that a crash makes fail for the last time becomes a dead letter", async () => {
  const url = await freshDatabase();
  let broker = await run(url);
  await client(broker.port).createSender("plain").sendMessages({ body: "fatal" });
  for (let delivery = 0; delivery < 3; delivery += 1) {
    const message = one(await client(broker.port).createReceiver("plain").receiveMessages(1));
    expect(message.deliveryCount).toBe(delivery);
    await expect.poll(() => deliveredIn(url)).toBe(1);
    await broker.kill();
    broker = await run(url);
  }
  const after = client(broker.port);
  const receiver = after.createReceiver("plain");
  expect(await receiver.receiveMessages(1, { maxWaitTimeInMs: 300 })).toEqual([]);
  const letters = after.createReceiver("plain", { subQueueType: "deadLetter" });
  expect(one(await letters.receiveMessages(1)).deadLetterReason).toBe("MaxDeliveryCountExceeded");
});

test("numbers go on after a restart; schedules, duplicates, rules and session states are kept", async () => {
  const url = await freshDatabase();
  const broker = await run(url);
  const before = client(broker.port);
  await before.createSender("plain").sendMessages({ body: 1 });
  expect(await receiveAll(before, "plain", 1)).toEqual([1]);
  const [number] = await before
    .createSender("plain")
    .scheduleMessages({ body: "due while down" }, new Date(Date.now() + 300));
  await before.createSender("news").sendMessages({ body: "news", messageId: "n-1" });
  const session = await before.acceptSession("sessions", "s");
  await session.setSessionState("kept");
  const rules = before.createRuleManager("news", "ruled");
  await rules.deleteRule("$Default");
  await rules.createRule("none", { sqlExpression: "1=0" });
  await broker.kill();
  await setTimeout(400);

  const after = client((await run(url)).port);
  const receiver = after.createReceiver("plain", { receiveMode: "receiveAndDelete" });
  const due = one(await receiver.receiveMessages(1));
  expect(due.body).toBe("due while down");
  expect(due.sequenceNumber?.toNumber()).toBeGreaterThan(number?.toNumber() ?? 0);
  await after.createSender("news").sendMessages({ body: "again", messageId: "n-1" });
  await after.createSender("news").sendMessages({ body: "fresh", messageId: "n-2" });
  const all = after.createReceiver("news", "all", { receiveMode: "receiveAndDelete" });
  expect(bodies(await receiveExactly(all, 2))).toEqual(["news", "fresh"]);
  const ruled = after.createReceiver("news", "ruled", { receiveMode: "receiveAndDelete" });
  expect(bodies(await receiveExactly(ruled, 1))).toEqual(["news"]);
  const again = await after.acceptSession("sessions", "s");
  expect(await again.getSessionState()).toBe("kept");
});

test("a subscriber goes on by itself when the broker is back", async () => {
  const url = await freshDatabase();
  const broker = await run(url);
  const subscriber = connect(broker.port, { maxRetries: 5 });
  afterwards(() => subscriber.close());
  const seen: unknown[] = [];
  subscriber.createReceiver("plain").subscribe({
    processMessage: async ({ body }) => void seen.push(body),
    processError: async () => undefined,
  });
  await subscriber.createSender("plain").sendMessages({ body: "before" });
  while (seen.length < 1) await setTimeout(10);
  await broker.kill();
  await run(url, broker.port);
  await client(broker.port).createSender("plain").sendMessages({ body: "after" });
  while (!seen.includes("after")) await setTimeout(10);
  expect(seen.at(-1)).toBe("after");
});

test("when the database drops the broker's connections, clients wait and nothing is lost", async () => {
  const url = await freshDatabase();
  const broker = await startBroker({
    connectionString: url,
    topology: testTopology,
    port: 0,
    report: () => undefined,
  });
  afterwards(() => broker.stop());
  const sender = client(broker.port).createSender("unique");
  const executioner = await openConnection(url);
  afterwards(() => executioner.end());
  const numbers = Array.from({ length: 400 }, (_, index) => index);
  const sends = numbers.map(async (body) => {
    await setTimeout(body);
    await sender.sendMessages({ body, messageId: `m-${body}` });
  });
  for (let round = 0; round < 3; round += 1) {
    await setTimeout(100);
    // It may still be on its way back from the round before.
    const cutOff = async (): Promise<number | null> => {
      const { rowCount } = await executioner.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'broker' and datname = current_database()`,
      );
      return rowCount;
    };
    await expect.poll(cutOff, { interval: 10 }).toBe(1);
  }
  expect((await Promise.all(sends.map(codeOf))).filter((code) => code !== "none")).toEqual([]);
  while (broker.status().status !== "ok") await setTimeout(10);
  const received = await receiveAll(client(broker.port), "unique", numbers.length);
  expect(received.toSorted((a, b) => Number(a) - Number(b))).toEqual(numbers);
});

test("two brokers cannot own one database, and a busy port is told apart", async () => {
  const url = await freshDatabase();
  const broker = await startBroker({ connectionString: url, topology: testTopology, port: 0 });
  const other = await freshDatabase();
  const busy = startBroker({ connectionString: other, topology: testTopology, port: broker.port });
  await expect(busy).rejects.toMatchObject({ code: "EADDRINUSE" });
  const second = startBroker({ connectionString: url, topology: testTopology, port: 0 });
  await setTimeout(200);
  await broker.stop();
  const successor = await second;
  expect(broker.status().status).toBe("stopped");
  expect(successor.status()).toMatchObject({ status: "ok", port: successor.port });
  await successor.stop();
});
