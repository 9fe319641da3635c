/** What the protocol allows a client to do beyond the genuine one's habits. */
import { once } from "node:events";
import { Socket, connect as connectSocket } from "node:net";
import { setTimeout } from "node:timers/promises";
import rhea, { type Connection, type EventContext, type Receiver, type Sender } from "rhea";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { bodies, brokerFixture, token, type BrokerFixture } from "../../support/broker/broker.js";
import { amqp, frame } from "../../support/broker/raw-peer.js";
import { openConnection, presentToken } from "../../support/broker/token-peer.js";

let fixture: BrokerFixture;
const connections: Connection[] = [];
const reported: unknown[] = [];
beforeAll(async () => {
  fixture = await brokerFixture({ report: (error) => void reported.push(error) });
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

const authorized = async (): Promise<Connection> => {
  const connection = await open();
  expect(await presentToken(connection, token("sb://127.0.0.1/"))).toBe(202);
  return connection;
};

const openReceiver = async (connection: Connection, address: string): Promise<Receiver> => {
  const receiver = connection.open_receiver({
    source: { address },
    credit_window: 0,
    autoaccept: false,
  });
  await once(receiver, "receiver_open");
  return receiver;
};

const openSender = async (connection: Connection, address: string): Promise<Sender> => {
  const sender = connection.open_sender({ target: { address } });
  await once(sender, "sendable");
  return sender;
};

const nextDelivery = async (receiver: Receiver) => {
  const [{ message, delivery }] = (await once(receiver, "message")) as [EventContext];
  if (message === undefined || delivery === undefined) throw new Error("a message was expected");
  return { message, delivery };
};

test("tokens hold for what they name and below, while they are valid and rightly signed", async () => {
  const connection = await open();
  const statuses = [
    await presentToken(connection, token("sb://127.0.0.1/plain", { lifeS: -10 })),
    await presentToken(connection, token("sb://127.0.0.1/plain", { key: "wrong" })),
    await presentToken(connection, "SharedAccessSignature sr=%&sig=&se=&skn="),
    await presentToken(connection, token("sb://127.0.0.1/plain")),
  ];
  expect(statuses).toEqual([401, 401, 401, 202]);
  const plain = await openReceiver(connection, "plain/$DeadLetterQueue");
  expect(plain.source.address).toBe("plain/$DeadLetterQueue");
  const other = connection.open_sender({ target: { address: "other" } });
  const [{ sender }] = (await once(other, "sender_error")) as [EventContext];
  expect(sender?.error).toMatchObject({ condition: "amqp:unauthorized-access" });
});

test.each([
  ["has a section without known descriptor", [0x00, 0x53, 0x60, 0x40]],
  ["has application properties that are no map", [0x00, 0x53, 0x74, 0xa1, 0x01, 0x78]],
])("a request that %s is refused to its sender, who goes on", async (_what, bytes) => {
  const requests = await openSender(await open(), "$cbs");
  requests.send(Buffer.from(bytes), undefined, 0);
  const [{ delivery }] = (await once(requests, "rejected")) as [EventContext];
  expect(delivery?.remote_state?.["error"]).toMatchObject({ condition: "amqp:decode-error" });
  expect(await presentToken(requests.connection, token("sb://127.0.0.1/"))).toBe(202);
});

test("a drain is answered with what is there, and when all credit is used up already too", async () => {
  const connection = await authorized();
  const sender = await openSender(connection, "plain");
  sender.send({ body: 1 });
  await once(sender, "accepted");
  const receiver = await openReceiver(connection, "plain");
  const received: unknown[] = [];
  receiver.on("message", ({ message, delivery }: EventContext) => {
    received.push(message?.body);
    delivery?.accept();
  });
  receiver.add_credit(5);
  receiver.drain_credit();
  await once(receiver, "receiver_drained");
  expect(received).toEqual([1]);
  receiver.drain_credit();
  await once(receiver, "receiver_drained");
  // The link goes on after a drain.
  receiver.drain = false;
  receiver.add_credit(1);
  sender.send({ body: 2 });
  while (received.length < 2) await setTimeout(5);
  expect(received).toEqual([1, 2]);
});

test("a released message counts as failed and comes back", async () => {
  const connection = await authorized();
  const sender = await openSender(connection, "other");
  sender.send({ body: "released" });
  const receiver = await openReceiver(connection, "other");
  receiver.add_credit(1);
  const first = await nextDelivery(receiver);
  first.delivery.release();
  receiver.add_credit(1);
  const second = await nextDelivery(receiver);
  expect(second.message).toMatchObject({ body: "released", delivery_count: 1 });
  second.delivery.accept();
});

test("a message without the service's annotations keeps the types of its properties", async () => {
  const connection = await authorized();
  const sender = await openSender(connection, "other");
  const { types } = rhea;
  sender.send({
    message_id: "typed",
    body: "x",
    message_annotations: { "x-opt-partition-key": "p", custom: types.wrap_ubyte(7) },
    application_properties: { long: types.wrap_long(5), date: new Date(0), text: "t" },
  });
  const receiver = await openReceiver(connection, "other");
  receiver.add_credit(1);
  const { message, delivery } = await nextDelivery(receiver);
  expect(message.message_annotations).toMatchObject({ "x-opt-partition-key": "p", custom: 7 });
  expect(message.application_properties).toEqual({ long: 5, date: new Date(0), text: "t" });
  expect(delivery.tag).toHaveLength(16);
  delivery.accept();
});

test("bytes that are no message are refused and the link stays open", async () => {
  const connection = await authorized();
  const sender = await openSender(connection, "plain");
  sender.send(Buffer.from("not amqp"), undefined, 0);
  const [{ delivery }] = (await once(sender, "rejected")) as [EventContext];
  expect(delivery?.remote_state?.["error"]).toMatchObject({ condition: "amqp:decode-error" });
  sender.send({ body: "fine" });
  await once(sender, "accepted");
  const receiver = fixture.client.createReceiver("plain", { receiveMode: "receiveAndDelete" });
  expect(bodies(await receiver.receiveMessages(1))).toEqual(["fine"]);
  await receiver.close();
});

test("a refusal among acceptances reaches the message that it is about", async () => {
  const connection = await authorized();
  const sender = await openSender(connection, "plain");
  const outcomes = new Map<number, string>();
  for (const name of ["accepted", "rejected"] as const)
    sender.on(name, ({ delivery }: EventContext) => outcomes.set(delivery?.id ?? -1, name));
  const sent = [
    sender.send({ body: 1 }),
    sender.send(Buffer.from("not amqp"), undefined, 0),
    sender.send({ body: 2 }),
    sender.send({ body: 3 }),
  ];
  while (outcomes.size < sent.length) await setTimeout(5);
  expect(sent.map(({ id }) => outcomes.get(id))).toEqual([
    "accepted",
    "rejected",
    "accepted",
    "accepted",
  ]);
  const receiver = fixture.client.createReceiver("plain", { receiveMode: "receiveAndDelete" });
  expect(bodies(await receiver.receiveMessages(3))).toEqual([1, 2, 3]);
  await receiver.close();
});

test("a dead letter whose properties cannot be written is refused, and its session goes on", async () => {
  const connection = await authorized();
  const sender = await openSender(connection, "sessions");
  sender.send({ body: "kept", group_id: "unwritable" });
  await once(sender, "accepted");
  const filter = { "com.microsoft:session-filter": "unwritable" };
  const openSession = async (): Promise<Receiver> => {
    const source = { address: "sessions", filter };
    const receiver = connection.open_receiver({ source, credit_window: 0, autoaccept: false });
    await once(receiver, "receiver_open");
    return receiver;
  };
  const first = await openSession();
  first.add_credit(1);
  const { delivery } = await nextDelivery(first);
  // An array of arrays can be read by the library that the broker uses, and not be written.
  const nestedArray = Buffer.from([0xe0, 6, 1, 0xe0, 3, 1, 0x50, 1]);
  const info = amqp.map(amqp.symbol("nested"), nestedArray);
  const error = amqp.list(amqp.symbol("com.microsoft:dead-letter"), amqp.nothing, info);
  const rejected = amqp.described(0x25, amqp.list(amqp.described(0x1d, error)));
  const id = amqp.uint(delivery.id);
  const disposition = amqp.list(amqp.yes, id, id, amqp.no, rejected);
  const socket: unknown = connection["socket"];
  if (!(socket instanceof Socket)) throw new Error("a connection has a socket");
  socket.write(frame(amqp.described(0x15, disposition)));
  await once(first, "settled");
  first.close();
  await once(first, "receiver_close");
  const second = await openSession();
  second.add_credit(1);
  const again = await nextDelivery(second);
  expect(again.message.body).toBe("kept");
  again.delivery.accept();
});

test("a management operation that is not served says so", async () => {
  const connection = await authorized();
  const replies = connection.open_receiver({
    name: "answers",
    source: { address: "plain/$management" },
    target: { address: "answers" },
  });
  const requests = await openSender(connection, "plain/$management");
  requests.send({
    message_id: "1",
    reply_to: "answers",
    application_properties: { operation: "com.microsoft:unheard-of" },
    body: {},
  });
  const [{ message }] = (await once(replies, "message")) as [EventContext];
  expect(message?.application_properties).toMatchObject({
    statusCode: 501,
    "status-code": 501,
    errorCondition: "amqp:not-implemented",
  });
});

/** On channel 1, the first one after that of the connection's own session: handle 0, closed. */
const lateDetach = Buffer.from("0000001002000001005316c003024341", "hex");

test("a detach that crosses the end of its session costs the connection nothing", async () => {
  const connection = await authorized();
  const reportedBefore = reported.length;
  const sender = await openSender(connection, "crossing");
  const session = connection.create_session();
  session.begin();
  const receiver = session.open_receiver({ source: { address: "crossing" }, credit_window: 0 });
  await once(receiver, "receiver_open");
  session.close();
  await once(session, "session_close");
  const socket: unknown = connection["socket"];
  if (!(socket instanceof Socket)) throw new Error("an open connection has a socket");
  socket.write(lateDetach);
  sender.send({ body: "after the end" });
  await once(sender, "accepted");
  // The next session has the same channel: its links are attached and detached as ever.
  const next = connection.create_session();
  next.begin();
  const reader = next.open_receiver({ source: { address: "crossing" }, credit_window: 0 });
  reader.add_credit(1);
  const { message, delivery } = await nextDelivery(reader);
  expect(message.body).toBe("after the end");
  delivery.accept();
  reader.close();
  await once(reader, "receiver_close");
  expect(reported.slice(reportedBefore)).toEqual([]);
});

test("noise on the socket ends that connection alone", async () => {
  const socket = connectSocket(fixture.broker.port, "127.0.0.1");
  socket.on("error", () => undefined);
  const closed = once(socket, "close");
  let answer = "";
  socket.on("data", (bytes) => (answer += bytes.toString("latin1")));
  socket.write("get / http/1.1\r\nhost: x\r\n\r\n");
  await closed;
  expect(answer).toBe("AMQP\x03\x01\x00\x00");
  expect(String(reported.at(-1))).toContain("Invalid protocol header");
  expect(fixture.broker.status().status).toBe("ok");
  const sender = fixture.client.createSender("plain");
  await sender.sendMessages({ body: "still here" });
  const receiver = fixture.client.createReceiver("plain", { receiveMode: "receiveAndDelete" });
  expect(bodies(await receiver.receiveMessages(1))).toEqual(["still here"]);
});

test("clients may say by their mechanism that their claims follow", async () => {
  const mechanism = {
    start: (done: (error: undefined, response: string) => void) => done(undefined, ""),
  };
  const options = {
    port: fixture.broker.port,
    host: "127.0.0.1",
    reconnect: false,
    sasl_mechanisms: { MSSBCBS: mechanism },
  };
  const connection = rhea.create_container().connect(options);
  connections.push(connection);
  await once(connection, "connection_open");
  expect(await presentToken(connection, token("sb://127.0.0.1/"))).toBe(202);
});
