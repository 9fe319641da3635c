/** What a token opened is open for as long as it holds, or as another one has taken its place. */
import { once } from "node:events";
import type { Connection, EventContext, Receiver, Sender } from "rhea";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { brokerFixture, token, type BrokerFixture } from "../../support/broker/broker.js";
import { openConnection, presentToken } from "../../support/broker/token-peer.js";

let fixture: BrokerFixture;
const connections: Connection[] = [];
beforeAll(async () => {
  const rule = { name: "reader", primaryKey: "reader-key", secondaryKey: "spare" };
  fixture = await brokerFixture({
    accessRules: ["plain", "sessions"].map((path) => ({
      path,
      rules: [{ ...rule, rights: ["Send", "Listen"] }],
    })),
  });
});
afterEach(() => {
  for (const connection of connections.splice(0)) connection.close();
});
afterAll(() => fixture.stop());

const open = async (): Promise<Connection> => {
  const connection = await openConnection(fixture.broker.port);
  connections.push(connection);
  return connection;
};

const readerToken = (path: string, lifeS?: number): string =>
  token(`sb://127.0.0.1/${path}`, {
    keyName: "reader",
    key: "reader-key",
    ...(lifeS === undefined ? {} : { lifeS }),
  });

const conditionOf = (link: Receiver | Sender | undefined): unknown =>
  link?.error !== undefined && "condition" in link.error ? link.error.condition : undefined;

const unauthorized = "amqp:unauthorized-access";

test("what a token opened ends with it: senders, receivers, requests and who waits for a session", async () => {
  const connection = await open();
  for (const path of ["plain", "sessions"])
    expect(await presentToken(connection, readerToken(path, 2))).toBe(202);
  const receiver = connection.open_receiver({ source: { address: "plain" }, credit_window: 0 });
  const sender = connection.open_sender({ target: { address: "plain" } });
  const requests = connection.open_sender({ target: { address: "plain/$management" } });
  const waiting = connection.open_receiver({
    source: { address: "sessions", filter: { "com.microsoft:session-filter": null } },
    credit_window: 0,
  });
  const ends = Promise.all([
    once(receiver, "receiver_error"),
    once(waiting, "receiver_error"),
    once(sender, "sender_error"),
    once(requests, "sender_error"),
  ]);
  await once(requests, "sendable");
  const kept = await open();
  expect(await presentToken(kept, readerToken("plain", 2))).toBe(202);
  const renewed = kept.open_receiver({ source: { address: "plain" }, credit_window: 0 });
  await once(renewed, "receiver_open");
  expect(await presentToken(kept, readerToken("plain"))).toBe(202);

  await ends;
  expect([receiver, waiting, sender, requests].map(conditionOf)).toEqual(
    Array.from({ length: 4 }, () => unauthorized),
  );
  // A new token opens new links on the same connection; one that was renewed in time has lost none.
  expect(await presentToken(connection, readerToken("plain"))).toBe(202);
  const again = connection.open_receiver({ source: { address: "plain" }, credit_window: 0 });
  await once(again, "receiver_open");
  await fixture.client.createSender("plain").sendMessages({ body: "still here" });
  renewed.add_credit(1);
  const [{ message }] = (await once(renewed, "message")) as [EventContext];
  expect(message?.body).toBeDefined();
});

test.each<[string, number, string]>([
  ["of an entity's key for that entity", 202, readerToken("plain")],
  ["of an entity's key for what lies below it", 202, readerToken("plain/$DeadLetterQueue")],
  ["of an entity's key for the namespace", 401, readerToken("")],
  ["of an entity's key for another entity", 401, readerToken("other")],
  ["of an entity's key for one whose name begins alike", 401, readerToken("plainer")],
  ["of an entity's key that has ended", 401, readerToken("plain", -10)],
  ["for an endless address", 401, token(`sb://127.0.0.1/${"a/".repeat(2000)}`)],
  ["of a name without key", 401, token("sb://127.0.0.1/plain", { keyName: "nobody", key: "" })],
  ["with a name that cannot be read", 401, token("sb://127.0.0.1/", { keyName: "%" })],
])("a token %s is answered with %i", async (_what, status, presented) => {
  expect(await presentToken(await open(), presented)).toBe(status);
});

test("a token for one entity opens nothing beside it, and a later one for it takes its place", async () => {
  const connection = await open();
  expect(await presentToken(connection, token("sb://127.0.0.1/plain"))).toBe(202);
  const beside = connection.open_receiver({ source: { address: "plain/private" } });
  const other = connection.open_receiver({ source: { address: "other" } });
  const [[{ receiver: first }], [{ receiver: second }]] = (await Promise.all([
    once(beside, "receiver_close"),
    once(other, "receiver_error"),
  ])) as [[EventContext], [EventContext]];
  expect([conditionOf(first), conditionOf(second)]).toEqual(["amqp:not-found", unauthorized]);
  // The entity's own key is for that entity, and for none whose name begins alike.
  expect(await presentToken(connection, readerToken("plain"))).toBe(202);
  const below = connection.open_receiver({ source: { address: "plain/private" } });
  const [{ receiver: third }] = (await once(below, "receiver_error")) as [EventContext];
  expect(conditionOf(third)).toBe(unauthorized);
});
