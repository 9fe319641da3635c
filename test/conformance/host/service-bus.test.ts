/** Service Bus functions on the local host, with the local broker and unmodified clients. */
import type { ServiceBusClient, ServiceBusReceivedMessage } from "@azure/service-bus";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBroker } from "../../../local/broker/broker.js";
import { startAppHost, type AppHost } from "../../support/platform/app-host.js";
import {
  brokerFixture,
  connectionString,
  one,
  receiveExactly,
  testTopology,
  type BrokerFixture,
} from "../../support/broker/broker.js";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";

interface Seen {
  readonly from: string;
  readonly message: unknown;
  readonly metadata: Record<string, unknown>;
}

let fixture: BrokerFixture;
let database: TestDatabase;
let host: AppHost;
let client: ServiceBusClient;

const startBusHost = (port: number): Promise<AppHost> =>
  startAppHost("bus", {
    databaseUrl: database.url,
    settings: { ServiceBus: connectionString(port), QUEUE: "plain" },
  });

beforeAll(async () => {
  [fixture, database] = await Promise.all([brokerFixture(), createDatabase()]);
  client = fixture.client;
  host = await startBusHost(fixture.broker.port);
});
afterAll(async () => {
  await host.stop();
  await fixture.stop();
  await database.drop();
});

const told = async (at: AppHost): Promise<{ seen: Seen[]; mostRunning: number }> =>
  (await (await fetch(`${at.url}/seen`)).json()) as { seen: Seen[]; mostRunning: number };

/** What a function has seen so far of messages with this mark. */
const seenBy = async (from: string, mark: string, at = host): Promise<Seen[]> =>
  (await told(at)).seen.filter(
    (one) => one.from === from && JSON.stringify(one.message).includes(mark),
  );

/** Takes the next dead letter of a queue out of it. */
const deadLetter = async (queue: string): Promise<ServiceBusReceivedMessage> => {
  const receiver = client.createReceiver(queue, {
    subQueueType: "deadLetter",
    receiveMode: "receiveAndDelete",
  });
  const received = await receiver.receiveMessages(1, { maxWaitTimeInMs: 10_000 });
  await receiver.close();
  return one(received);
};

test("a function gets a message's value and its documented metadata", async () => {
  await client.createSender("plain").sendMessages({
    body: { mark: "metadata" },
    messageId: "m-1",
    subject: "greeting",
    correlationId: "c-1",
    contentType: "application/json",
    applicationProperties: { colour: "red" },
  });
  await expect.poll(() => seenBy("single", "metadata")).toHaveLength(1);
  const [seen] = await seenBy("single", "metadata");
  expect(seen?.message).toEqual({ mark: "metadata" });
  expect(seen?.metadata).toMatchObject({
    messageId: "m-1",
    deliveryCount: 1,
    subject: "greeting",
    label: "greeting",
    correlationId: "c-1",
    contentType: "application/json",
    applicationProperties: { colour: "red" },
    userProperties: { colour: "red" },
  });
  expect(Date.parse(String(seen?.metadata["enqueuedTimeUtc"]))).not.toBeNaN();
});

test("text that is no JSON arrives as text", async () => {
  await client.createSender("plain").sendMessages({ body: Buffer.from("plain words {") });
  await expect.poll(() => seenBy("single", "plain words {")).toHaveLength(1);
});

test("a failing function gets its message again, until the broker dead-letters it", async () => {
  const good = Array.from({ length: 5 }, (_, n) => ({ body: { mark: "beside", n } }));
  const bad = { body: { mark: "poison", fail: true } };
  await client.createSender("plain").sendMessages([...good.slice(0, 3), bad, ...good.slice(3)]);
  expect((await deadLetter("plain")).body).toEqual(bad.body);
  const deliveries = (await seenBy("single", "poison")).map(
    ({ metadata }) => metadata["deliveryCount"],
  );
  expect(deliveries).toEqual([1, 2, 3]);
  expect(await seenBy("single", "beside")).toHaveLength(5);
});

test("messages are worked on at the same time, but no more than host.json allows", async () => {
  const messages = Array.from({ length: 40 }, (_, n) => ({ body: { mark: "many", n } }));
  await client.createSender("plain").sendMessages(messages);
  await expect.poll(() => seenBy("single", "many")).toHaveLength(40);
  expect((await told(host)).mostRunning).toBe(4);
});

test("a function that asks for many gets batches, with metadata for each message", async () => {
  const messages = Array.from({ length: 10 }, (_, n) => ({ body: { mark: "batch", n } }));
  await client.createSender("news").sendMessages(messages);
  const numbers = async (): Promise<unknown[]> =>
    (await seenBy("batch", "batch")).flatMap(({ message }) => message as unknown[]);
  await expect.poll(numbers).toHaveLength(10);
  const [first] = await seenBy("batch", "batch");
  const size = (first?.message as unknown[]).length;
  expect(size).toBeGreaterThan(1);
  expect(first?.metadata["messageIdArray"]).toHaveLength(size);
});

test("each session is worked off in its order, more sessions than may run at the same time", async () => {
  const sender = client.createSender("sessions");
  const sessionIds = ["s1", "s2", "s3", "s4"];
  for (let n = 0; n < 10; n += 1)
    await sender.sendMessages(
      sessionIds.map((sessionId) => ({ sessionId, body: { mark: "ordered", sessionId, n } })),
    );
  await expect.poll(() => seenBy("inOrder", "ordered")).toHaveLength(40);
  const seen = await seenBy("inOrder", "ordered");
  for (const sessionId of sessionIds) {
    const mine = seen.filter(({ metadata }) => metadata["sessionId"] === sessionId);
    expect(mine.map(({ message }) => (message as { n: number }).n)).toEqual([...Array(10).keys()]);
  }
});

test("outputs are sent once the function has succeeded, and only then", async () => {
  const send = async (body: object): Promise<number> => {
    const answer = await fetch(`${host.url}/send`, { method: "POST", body: JSON.stringify(body) });
    return answer.status;
  };
  expect(await send({ messages: [{ n: 1 }], fail: true })).toBe(500);
  expect(await send({ messages: [{ n: 2 }, "words"] })).toBe(202);
  const receiver = client.createReceiver("other", { receiveMode: "receiveAndDelete" });
  const received = await receiveExactly(receiver, 2);
  expect(
    received.map(({ body }) => (Buffer.isBuffer(body) ? String(body) : (body as object))),
  ).toEqual([{ n: 2 }, "words"]);
  await receiver.close();
});

test("a broker that comes back is found again at once, and nothing is lost", async () => {
  const own = await createDatabase();
  const open = (port: number) =>
    startBroker({ connectionString: own.url, topology: testTopology, port });
  const first = await open(0);
  const other = await startBusHost(first.port);
  await first.stop();
  const second = await open(first.port);
  const { ServiceBusClient: Client } = await import("@azure/service-bus");
  const sending = new Client(connectionString(second.port));
  await sending.createSender("plain").sendMessages({ body: { mark: "afterwards" } });
  await sending.createSender("sessions").sendMessages({ sessionId: "s", body: { mark: "again" } });
  await expect.poll(() => seenBy("single", "afterwards", other)).toHaveLength(1);
  await expect.poll(() => seenBy("inOrder", "again", other)).toHaveLength(1);
  await sending.close();
  await other.stop();
  await second.stop();
  await own.drop();
});

test("a connection that no setting names is refused at the start, in one sentence", async () => {
  const start = startAppHost("bus", { databaseUrl: database.url, settings: { QUEUE: "plain" } });
  await expect(start).rejects.toThrow('The Service Bus connection "ServiceBus" has neither');
});
