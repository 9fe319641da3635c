/** What the genuine client may rely on when an entity has sessions. */
import { setTimeout } from "node:timers/promises";
import type { ServiceBusSessionReceiver } from "@azure/service-bus";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { startBroker } from "../../../local/broker/broker.js";
import {
  bodies,
  brokerFixture,
  codeOf,
  connect,
  one,
  receiveExactly,
  testTopology,
  type BrokerFixture,
} from "../../support/broker/broker.js";
import { openPool } from "../../support/database/connections.js";
import { createDatabase } from "../../support/database/database.js";

let fixture: BrokerFixture;
const opened: ServiceBusSessionReceiver[] = [];
beforeAll(async () => {
  fixture = await brokerFixture();
});
afterEach(async () => {
  for (const receiver of opened.splice(0)) await receiver.close();
});
afterAll(() => fixture.stop());

const send = (queue: string, sessionId: string, ...sent: readonly unknown[]): Promise<void> =>
  fixture.client.createSender(queue).sendMessages(sent.map((body) => ({ body, sessionId })));

const accept = async (queue: string, sessionId: string): Promise<ServiceBusSessionReceiver> => {
  const receiver = await fixture.client.acceptSession(queue, sessionId);
  opened.push(receiver);
  return receiver;
};

const acceptNext = async (queue: string): Promise<ServiceBusSessionReceiver> => {
  const receiver = await fixture.client.acceptNextSession(queue);
  opened.push(receiver);
  return receiver;
};

const drainSession = async (
  receiver: ServiceBusSessionReceiver,
  count: number,
): Promise<unknown[]> => {
  const messages = await receiveExactly(receiver, count);
  for (const message of messages) await receiver.completeMessage(message);
  return bodies(messages);
};

test("a session's receiver gets the messages of its session alone, in order", async () => {
  await send("sessions", "a", 1, 2);
  await send("sessions", "b", 3);
  await send("sessions", "a", 4);
  const a = await accept("sessions", "a");
  expect(a.sessionId).toBe("a");
  expect(a.sessionLockedUntilUtc.getTime()).toBeGreaterThan(Date.now());
  expect(await drainSession(a, 3)).toEqual([1, 2, 4]);
  await send("sessions", "a", 5);
  expect(await drainSession(a, 1)).toEqual([5]);
  expect(await drainSession(await accept("sessions", "b"), 1)).toEqual([3]);
});

test("a session that another receiver has cannot be accepted, and can when it is let go", async () => {
  const first = await accept("sessions", "held");
  expect(await codeOf(fixture.client.acceptSession("sessions", "held"))).toBe(
    "SessionCannotBeLocked",
  );
  await first.close();
  await accept("sessions", "held");
});

test("the next session is the one whose message is oldest and that nobody has", async () => {
  await send("sessions", "older", 1);
  await send("sessions", "newer", 2);
  const [first, second] = [await acceptNext("sessions"), await acceptNext("sessions")];
  expect([first.sessionId, second.sessionId]).toEqual(["older", "newer"]);
  expect(await drainSession(first, 1)).toEqual([1]);
  expect(await drainSession(second, 1)).toEqual([2]);
});

test("who waits for the next session gets it when its first message comes", async () => {
  const waiting = acceptNext("sessions");
  await setTimeout(200);
  await send("sessions", "fresh", "hello");
  const receiver = await waiting;
  expect(receiver.sessionId).toBe("fresh");
  expect(await drainSession(receiver, 1)).toEqual(["hello"]);
});

test("who waits for the next session gets one that is let go", async () => {
  await send("sessions", "handed on", 1);
  const first = await accept("sessions", "handed on");
  const waiting = acceptNext("sessions");
  await setTimeout(100);
  await first.close();
  const receiver = await waiting;
  expect(receiver.sessionId).toBe("handed on");
  expect(await drainSession(receiver, 1)).toEqual([1]);
});

test("waiting for a session that does not come ends with a timeout", async () => {
  const hasty = connect(fixture.broker.port, { timeoutInMs: 2000, maxRetries: 0 });
  expect(await codeOf(hasty.acceptNextSession("sessions"))).toBe("ServiceTimeout");
  await hasty.close();
});

test("the messages of a closed receiver are free at once and not counted as failed", async () => {
  await send("sessions", "dropped", 1, 2);
  const receiver = await accept("sessions", "dropped");
  expect(await receiver.receiveMessages(2)).toHaveLength(2);
  await receiver.close();
  const again = await accept("sessions", "dropped");
  const messages = await again.receiveMessages(2);
  expect(messages.map(({ body, deliveryCount }) => [body as unknown, deliveryCount])).toEqual([
    [1, 0],
    [2, 0],
  ]);
  for (const message of messages) await again.completeMessage(message);
});

test("a lapsed session is told to its receiver and its messages count as failed", async () => {
  await send("brief-sessions", "lapsing", 1);
  const receiver = await fixture.client.acceptSession("brief-sessions", "lapsing", {
    maxAutoLockRenewalDurationInMs: 0,
  });
  opened.push(receiver);
  const message = one(await receiver.receiveMessages(1));
  await setTimeout(1300);
  expect(await codeOf(receiver.completeMessage(message))).toBe("SessionLockLost");
  expect(await codeOf(receiver.renewSessionLock())).toBe("SessionLockLost");
  const again = await accept("brief-sessions", "lapsing");
  // The former receiver can neither prolong nor give back what is another's now.
  expect(await codeOf(receiver.renewSessionLock())).toBe("SessionLockLost");
  await receiver.close();
  const redelivered = one(await again.receiveMessages(1));
  expect(redelivered.deliveryCount).toBe(1);
  await again.completeMessage(redelivered);
});

test("a renewed session outlives its first duration", async () => {
  await send("brief-sessions", "renewed", 1);
  const receiver = await fixture.client.acceptSession("brief-sessions", "renewed", {
    maxAutoLockRenewalDurationInMs: 0,
  });
  opened.push(receiver);
  const message = one(await receiver.receiveMessages(1));
  const first = receiver.sessionLockedUntilUtc.getTime();
  while (Date.now() < first + 100) {
    await setTimeout(100);
    expect((await receiver.renewSessionLock()).getTime()).toBeGreaterThan(first);
  }
  await receiver.completeMessage(message);
});

test("a session has a state that outlives its receivers, until it is cleared", async () => {
  const receiver = await accept("sessions", "stateful");
  expect(await receiver.getSessionState()).toBeNull();
  await receiver.setSessionState({ step: 3 });
  await receiver.close();
  const again = await accept("sessions", "stateful");
  expect(await again.getSessionState()).toEqual({ step: 3 });
  await again.setSessionState(null);
  expect(await again.getSessionState()).toBeNull();
});

test("messages of a session can be abandoned, deferred, dead-lettered and peeked", async () => {
  await send("sessions", "settling", "abandon", "defer", "bury");
  const receiver = await accept("sessions", "settling");
  expect(bodies(await receiver.peekMessages(5))).toEqual(["abandon", "defer", "bury"]);
  const [abandoned, deferred, buried] = await receiver.receiveMessages(3);
  if (!abandoned || !deferred?.sequenceNumber || !buried) throw new Error("three were expected");
  await receiver.abandonMessage(abandoned);
  await receiver.deferMessage(deferred);
  await receiver.deadLetterMessage(buried, {
    deadLetterReason: "done",
    deadLetterErrorDescription: "",
  });
  expect(await drainSession(receiver, 1)).toEqual(["abandon"]);
  const taken = one(await receiver.receiveDeferredMessages(deferred.sequenceNumber));
  await receiver.completeMessage(taken);
  expect(await receiver.peekMessages(5)).toEqual([]);
  const letters = fixture.client.createReceiver("sessions", {
    subQueueType: "deadLetter",
    receiveMode: "receiveAndDelete",
  });
  expect(one(await letters.receiveMessages(1))).toMatchObject({
    body: "bury",
    sessionId: "settling",
    deadLetterReason: "done",
  });
  await letters.close();
});

test("a message without session is refused where sessions are required", async () => {
  const send = fixture.client.createSender("sessions").sendMessages({ body: 1 });
  await expect(send).rejects.toThrow("The SessionId was not set on a message");
});

test("receivers with and without session are refused on the other kind of entity", async () => {
  const plain = fixture.client.createReceiver("sessions").receiveMessages(1);
  await expect(plain).rejects.toThrow(
    "an entity that requires sessions to create a non-sessionful",
  );
  expect(await codeOf(fixture.client.acceptSession("plain", "any"))).toBe("SessionCannotBeLocked");
});

test("many sessions served at once keep the order of each", async () => {
  const ids = Array.from({ length: 10 }, (_, index) => `many-${index}`);
  const sender = fixture.client.createSender("sessions");
  for (let round = 0; round < 10; round += 1)
    await sender.sendMessages(ids.map((sessionId) => ({ body: round, sessionId })));
  const seen = new Map<string, unknown[]>();
  let accepted = 0;
  const serve = async (): Promise<void> => {
    while (accepted < ids.length) {
      accepted += 1;
      const receiver = await fixture.client.acceptNextSession("sessions");
      const mine = await drainSession(receiver, 10);
      seen.set(receiver.sessionId, [...(seen.get(receiver.sessionId) ?? []), ...mine]);
      await receiver.close();
    }
  };
  await Promise.all([serve(), serve(), serve()]);
  const rounds = Array.from({ length: 10 }, (_, index) => index);
  for (const id of ids) expect(seen.get(id)).toEqual(rounds);
});

test("sessions that are let go empty cost no search, and what comes meanwhile is found", async () => {
  const database = await createDatabase();
  const pool = openPool(database.url);
  const queries = vi.spyOn(pool, "query");
  const searches = (): number =>
    queries.mock.calls.filter(([text]) => text.includes("session_id <> all")).length;
  const broker = await startBroker({ pool, topology: testTopology, port: 0 });
  const client = connect(broker.port);
  const sender = client.createSender("sessions");
  /** Whoever has begun to wait is known to the broker by the time that it answers about another queue. */
  const known = async (queue: string): Promise<unknown> =>
    client.createReceiver(queue).peekMessages(1);
  let waiting = client.acceptNextSession("sessions");
  for (const [n, queue] of ["plain", "other", "brief", "mortal", "unique"].entries()) {
    await known(queue);
    await sender.sendMessages({ body: n, sessionId: `of ${n}` });
    const receiver = await waiting;
    expect(receiver.sessionId).toBe(`of ${n}`);
    expect(await drainSession(receiver, 1)).toEqual([n]);
    waiting = client.acceptNextSession("sessions");
    await receiver.close();
  }
  // By the first who waited, before the broker knew the queue to be empty.
  expect(searches()).toBe(1);

  await sender.sendMessages({ body: "held", sessionId: "a" });
  const held = await waiting;
  await sender.sendMessages({ body: "nobody waits", sessionId: "b" });
  const next = await client.acceptNextSession("sessions");
  expect([held.sessionId, next.sessionId]).toEqual(["a", "b"]);
  waiting = client.acceptNextSession("sessions");
  await held.close();
  expect((await waiting).sessionId).toBe("a");
  await client.close();
  await broker.stop();
  await pool.end();
  await database.drop();
});
