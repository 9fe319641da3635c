/** The relay between a real database and the real local broker: once at least, in order, unchanged. */
import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { ServiceBusClient, type ServiceBusReceivedMessage } from "@azure/service-bus";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { startBroker, type Broker } from "../../../local/broker/broker.js";
import { parseTopology } from "../../../local/broker/topology.js";
import type { Database } from "../../../shared/database/platform/database.js";
import type { BackgroundSender } from "../../../shared/events/background-sender.js";
import { startOutboxRelay } from "../../../shared/events/outbox-relay.js";
import { openServiceBus, type ServiceBus } from "../../../shared/events/service-bus.js";
import { noFaultPoints, type FaultPoints } from "../../../shared/platform/fault-points.js";
import { connectionString } from "../../support/broker/broker.js";
import {
  countOf,
  openBankTest,
  outboxOf,
  silentLogger,
} from "../../support/wallet/bank-fixtures.js";
import type { BankTest } from "../../support/wallet/bank-fixtures.js";

// Without duplicate detection, so that a second delivery shows.
const topology = parseTopology({
  UserConfig: {
    Namespaces: [
      {
        Name: "relay",
        Queues: [{ Name: "bank-requests" }],
        Topics: [
          { Name: "acme", Subscriptions: [{ Name: "acme" }] },
          { Name: "platform-events", Subscriptions: [{ Name: "flows" }] },
        ],
      },
    ],
  },
});

let bank: BankTest;
let broker: Broker;
let client: ServiceBusClient;
const opened: { close(): Promise<void> }[] = [];

beforeEach(async () => {
  bank = await openBankTest();
  broker = await startBroker({ connectionString: bank.url, topology, port: 0 });
  client = new ServiceBusClient(connectionString(broker.port));
});

afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
  await client.close();
  await broker.stop();
  await bank.end();
});

const openBus = (): ServiceBus => {
  const bus = openServiceBus({
    kind: "connectionString",
    connectionString: connectionString(broker.port),
  });
  opened.push(bus);
  return bus;
};

const startRelay = (
  database: Database,
  bus: Pick<ServiceBus, "send"> = openBus(),
  faults: FaultPoints = noFaultPoints,
): BackgroundSender => {
  const relay = startOutboxRelay({ database, bus, faults, logger: silentLogger });
  opened.push(relay);
  return relay;
};

const publish = (database: Database, sessionId: string, number: number, partnerKey = "acme") =>
  database.command(
    z.object({ done: z.unknown() }),
    `select borsello.publish_event('WalletUpdated', $1, $2, $3,
       json_build_object('walletId', $2::text, 'number', $3::bigint)) as done`,
    [partnerKey, sessionId, number],
  );

const numberOf = ({ body }: ServiceBusReceivedMessage): number =>
  z.object({ number: z.number() }).parse(body).number;

/** So many messages of a subscription, or fewer when no more come. */
const take = async (
  topic: "acme" | "platform-events",
  count: number,
): Promise<ServiceBusReceivedMessage[]> => {
  const subscription = topic === "acme" ? "acme" : "flows";
  const receiver = client.createReceiver(topic, subscription, { receiveMode: "receiveAndDelete" });
  const taken: ServiceBusReceivedMessage[] = [];
  while (taken.length < count) {
    const more = await receiver.receiveMessages(count - taken.length, { maxWaitTimeInMs: 45_000 });
    if (more.length === 0) break;
    taken.push(...more);
  }
  await receiver.close();
  return taken;
};

const waiting = () =>
  countOf(bank.database, "select count(*) from borsello.outbox where sent_at is null");

test("a commit is enough to send: the frozen body, under its own id, to both destinations", async () => {
  const relay = startRelay(bank.database);
  bank.database.onCommit(() => {
    relay.nudge();
  });
  const walletId = randomUUID();
  await publish(bank.database, walletId, 7);

  const [forPartner] = await take("acme", 1);
  const [forFlows] = await take("platform-events", 1);
  const [row] = await outboxOf(bank.database, walletId);
  expect(forPartner).toMatchObject({
    messageId: row?.messageId,
    subject: "WalletUpdated",
    sessionId: walletId,
    contentType: "application/json",
    body: row?.body,
    applicationProperties: {
      ...{ partnerKey: "acme", entityVersion: 7, attempt: 1 },
      "cloudEvents:specversion": "1.0",
      "cloudEvents:id": row?.messageId,
      "cloudEvents:source": "/partners/acme",
      "cloudEvents:type": "WalletUpdated",
    },
  });
  expect(forPartner?.body).toMatchObject({ id: row?.messageId, isLastRetry: false, number: 7 });
  expect(forPartner?.applicationProperties?.["sequence"]).toEqual(expect.any(Number));
  expect(forFlows).toMatchObject({ messageId: row?.messageId, body: row?.body });
});

test("with two relays and ten wallets at once, every wallet's events stay in order", async () => {
  const second = await openBankTest(bank.url);
  opened.push({ close: () => second.end() });
  for (const { database } of [bank, second]) {
    const relay = startRelay(database);
    database.onCommit(() => {
      relay.nudge();
    });
  }
  const wallets = Array.from({ length: 10 }, () => randomUUID());
  const eventsPerWallet = 20;
  await Promise.all(
    wallets.map(async (walletId) => {
      for (let number = 1; number <= eventsPerWallet; number += 1)
        await publish(number % 2 === 0 ? bank.database : second.database, walletId, number);
    }),
  );
  const all = wallets.length * eventsPerWallet;
  for (const topic of ["acme", "platform-events"] as const) {
    const messages = await take(topic, all);
    for (const walletId of wallets)
      expect(messages.filter(({ sessionId }) => sessionId === walletId).map(numberOf)).toEqual(
        Array.from({ length: eventsPerWallet }, (_, index) => index + 1),
      );
  }
});

test("what a relay must leave, because another one holds its wallet, the other one sends soon after", async () => {
  const second = await openBankTest(bank.url);
  opened.push({ close: () => second.end() });
  const bus = openBus();
  const signals = new EventEmitter();
  const isOpen = once(signals, "open");
  const isSending = once(signals, "sending");
  const holding = startRelay(bank.database, {
    send: async (destination, messages) => {
      signals.emit("sending");
      await isOpen;
      return bus.send(destination, messages);
    },
  });
  const leaving = startRelay(second.database);
  const walletId = randomUUID();
  await publish(bank.database, walletId, 1);
  const sweep = holding.sweep();
  await isSending;
  await publish(second.database, walletId, 2);
  await leaving.sweep();
  expect(await waiting()).toBe(2);
  signals.emit("open");
  await sweep;
  await expect.poll(waiting).toBe(0);
  expect((await take("acme", 2)).map(numberOf)).toEqual([1, 2]);
});

test("a backlog leaves in pieces, in order, so that no piece holds up the process for long", async () => {
  const walletId = randomUUID();
  await bank.database.execute(
    `select borsello.publish_event('WalletUpdated', 'acme', $1, number,
       json_build_object('number', number)) from generate_series(1, 350) as number`,
    [walletId],
  );
  const pieces: number[] = [];
  const numbers: unknown[] = [];
  const relay = startRelay(bank.database, {
    send: async (destination, messages) => {
      if (destination === "acme") {
        pieces.push(messages.length);
        numbers.push(
          ...messages.map(({ applicationProperties }) => applicationProperties?.["sequence"]),
        );
      }
      return { acknowledged: messages.length };
    },
  });
  await relay.sweep();
  expect(Math.max(...pieces)).toBeLessThanOrEqual(100);
  expect(numbers).toEqual(Array.from({ length: 350 }, (_, index) => index + 1));
  expect(await waiting()).toBe(0);
});

test("a crash between sending and marking sends again: the same id, the same body", async () => {
  let crashes = 1;
  const faults: FaultPoints = {
    hit: (point) => {
      if (point === "relay.afterSend" && crashes-- > 0) throw new Error("crash");
    },
  };
  const relay = startRelay(bank.database, openBus(), faults);
  const walletId = randomUUID();
  await publish(bank.database, walletId, 1);
  await relay.sweep();
  expect(await waiting()).toBe(1);
  await relay.sweep();
  expect(await waiting()).toBe(0);

  const [first, again] = await take("acme", 2);
  expect(again?.messageId).toBe(first?.messageId);
  expect(again?.body).toEqual(first?.body);
});

test("a partner without a topic holds up nobody, and keeps its events", async () => {
  const relay = startRelay(bank.database);
  const [lost, found] = [randomUUID(), randomUUID()];
  await bank.database.execute(
    `insert into borsello.partner (partner_key, client_id, client_secret_salt, client_secret_hash,
       auth_key_salt, auth_key_hash, roles)
     values ('nowhere', 'nowhere', '\\x', '\\x', '\\x', '\\x', '{}')`,
  );
  await publish(bank.database, lost, 1, "nowhere");
  await publish(bank.database, found, 2);
  await publish(bank.database, lost, 3, "nowhere");
  await relay.sweep();

  expect((await take("acme", 1)).map(numberOf)).toEqual([2]);
  const heard = await take("platform-events", 3);
  const heardOf = (walletId: string) =>
    heard.filter(({ sessionId }) => sessionId === walletId).map(numberOf);
  expect([heardOf(lost), heardOf(found)]).toEqual([[1, 3], [2]]);
  expect((await outboxOf(bank.database, lost)).map(({ isSent }) => isSent)).toEqual([false, false]);
});

test("messages that no broker takes hold up nobody else", async () => {
  const relay = startRelay(bank.database);
  const [before, after] = [randomUUID(), randomUUID()];
  await publish(bank.database, before, 1);
  // A session id may have 128 characters, and a message 256 KiB.
  await bank.database.execute(
    `insert into borsello.outbox (destinations, session_id, subject, partner_key, body)
     select '{acme,platform-events}', session_id, 'WalletUpdated', partner_key,
       json_build_object('number', 2, 'text', repeat('x', 190000))
     from (values (repeat('x', 129), 'acme'), ('long', repeat('x', 100000)))
       as refused (session_id, partner_key)`,
  );
  await publish(bank.database, after, 3);
  await relay.sweep();
  for (const topic of ["acme", "platform-events"] as const)
    expect(new Set((await take(topic, 2)).map(numberOf))).toEqual(new Set([1, 3]));
  expect(await countOf(bank.database, "select count(*) from borsello.held_message")).toBe(4);
});

test("a bank request goes to its queue and nowhere else", async () => {
  const relay = startRelay(bank.database);
  const requestId = randomUUID();
  await bank.database.execute(
    `select borsello.request_bank($1, 'mandateActivation', 'acme', null, null, '{"amount": 25}',
       'mandate-1', 'bankOutcome')`,
    [requestId],
  );
  await relay.sweep();
  const receiver = client.createReceiver("bank-requests");
  const [request] = await receiver.receiveMessages(1, { maxWaitTimeInMs: 45_000 });
  expect(request).toMatchObject({
    messageId: requestId,
    body: { requestId, kind: "mandateActivation", amount: 25 },
  });
  // It is no event.
  expect(request?.applicationProperties).not.toHaveProperty("cloudEvents:id");
  expect(await waiting()).toBe(0);
});

describe("while the broker is away", () => {
  test("events wait, few attempts are made, and all arrive in order when it is back", async () => {
    const { port } = broker;
    const bus = openBus();
    let sends = 0;
    const counting: Pick<ServiceBus, "send"> = {
      send: (destination, messages) => {
        sends += 1;
        return bus.send(destination, messages);
      },
    };
    const relay = startRelay(bank.database, counting);
    const walletId = randomUUID();
    await publish(bank.database, walletId, 1);
    await relay.sweep();
    await broker.stop();

    for (let number = 2; number <= 20; number += 1) await publish(bank.database, walletId, number);
    sends = 0;
    for (let sweep = 0; sweep < 20; sweep += 1) await relay.sweep();
    expect(sends).toBeLessThan(20);
    expect(await waiting()).toBe(19);

    broker = await startBroker({ connectionString: bank.url, topology, port });
    await expect.poll(waiting).toBe(0);
    expect((await take("acme", 20)).map(numberOf)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
  });
});

test("a message that another receiver locked is dead-lettered by its lock token, with the reason", async () => {
  const bus = openBus();
  await bus.send("bank-requests", [
    { messageId: "unreadable", subject: "Test", body: '{"amount":"much"}' },
  ]);
  const holder = client.createReceiver("bank-requests");
  const [locked] = await holder.receiveMessages(1, { maxWaitTimeInMs: 45_000 });
  if (locked?.lockToken === undefined) throw new Error("the message did not come locked");

  const { lockToken } = locked;
  await bus.deadLetter(
    { entity: { queue: "bank-requests" }, lockToken },
    { reason: "MessageInvalid", description: "amount must be a number" },
  );

  const deadLetters = client.createReceiver("bank-requests", { subQueueType: "deadLetter" });
  const [dead] = await deadLetters.receiveMessages(1, { maxWaitTimeInMs: 45_000 });
  expect(dead).toMatchObject({
    messageId: "unreadable",
    deadLetterReason: "MessageInvalid",
    deadLetterErrorDescription: "amount must be a number",
  });
  // What the host does next, when the handler has returned: it finds the lock gone.
  await expect(holder.completeMessage(locked)).rejects.toMatchObject({ code: "MessageLockLost" });
});
