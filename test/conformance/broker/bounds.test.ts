/** What a stranger may send to the broker's port: it is refused by name, and costs nobody else anything. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import type { ServiceBusClient } from "@azure/service-bus";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { bodies, brokerFixture, connect, token } from "../../support/broker/broker.js";
import { buildBroker, runBroker, type BrokerProcess } from "../../support/broker/broker-process.js";
import {
  amqp,
  frame,
  frames,
  rawPeer,
  request,
  type RawPeer,
  type ReceivedFrame,
  type Typed,
} from "../../support/broker/raw-peer.js";
import { createDatabase } from "../../support/database/database.js";

const cleanups: (() => Promise<void>)[] = [];
let broker: BrokerProcess;
let client: ServiceBusClient;
let memoryBefore: number;
const peers: RawPeer[] = [];

beforeAll(async () => {
  cleanups.push(await buildBroker());
  const database = await createDatabase();
  cleanups.push(() => database.drop());
  broker = await runBroker(database.url, 0);
  cleanups.push(() => broker.kill());
  client = connect(broker.port);
  cleanups.push(() => client.close());
  await exchange();
  memoryBefore = await broker.memory();
});
afterEach(() => {
  for (const { socket } of peers.splice(0)) socket.destroy();
});
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

/** A genuine client's message goes through, there and back. */
const exchange = async (): Promise<void> => {
  const sender = client.createSender("plain");
  await sender.sendMessages({ body: "genuine" });
  const receiver = client.createReceiver("plain", { receiveMode: "receiveAndDelete" });
  expect(bodies(await receiver.receiveMessages(1))).toEqual(["genuine"]);
  await receiver.close();
  await sender.close();
};

const peer = (...parts: readonly Buffer[]): RawPeer => {
  const made = rawPeer(broker.port);
  peers.push(made);
  made.write(...parts);
  return made;
};

/** The broker serves others, and has not grown by more than what a few connections need. */
const expectUnharmed = async (): Promise<void> => {
  expect(broker.isAlive).toBe(true);
  await exchange();
  // What it has let go of may be freed a moment later; what it holds, it goes on holding.
  await expect
    .poll(async () => (await broker.memory()) - memoryBefore)
    .toBeLessThan(20 * 1024 * 1024);
};

const { opening, begin, attach } = frames;
const nested = (depth: number): Buffer =>
  depth === 0 ? amqp.nothing : amqp.list(nested(depth - 1));
const descriptors = Buffer.alloc(20_000);

test.each<[string, Buffer, string]>([
  [
    "an array of four billion items without width",
    amqp.bytes(frames.amqpHeader, frame(amqp.endlessArray())),
    "amqp:decode-error",
  ],
  [
    "such an array in a field",
    amqp.bytes(opening, frame(amqp.described(0x11, amqp.list(amqp.endlessArray())))),
    "amqp:decode-error",
  ],
  [
    "a list of more items than bytes",
    amqp.bytes(opening, frame(Buffer.from("005311d000000005ffffffff40", "hex"))),
    "amqp:decode-error",
  ],
  [
    "lists nested two hundred deep",
    amqp.bytes(opening, frame(amqp.described(0x17, amqp.list(nested(200))))),
    "amqp:decode-error",
  ],
  ["thousands of descriptors", amqp.bytes(opening, frame(descriptors)), "amqp:decode-error"],
  [
    "a field of another type",
    amqp.bytes(opening, begin(), frame(amqp.described(0x16, amqp.list(amqp.string("0"))))),
    "amqp:decode-error",
  ],
  [
    "a frame above the size announced, by its first bytes",
    amqp.bytes(opening, Buffer.from("7fffffff", "hex")),
    "amqp:connection:framing-error",
  ],
  [
    "a frame smaller than its header",
    amqp.bytes(opening, Buffer.from("0000000402000000", "hex")),
    "amqp:connection:framing-error",
  ],
  [
    "a channel that was not announced",
    amqp.bytes(opening, begin(5000)),
    "amqp:connection:framing-error",
  ],
  [
    "a handle that was not announced",
    amqp.bytes(opening, begin(), attach(1024, "$cbs", "sender")),
    "amqp:connection:framing-error",
  ],
  ["a session before the open", amqp.bytes(frames.amqpHeader, begin()), "amqp:illegal-state"],
  ["a second session on one channel", amqp.bytes(opening, begin(), begin()), "amqp:illegal-state"],
  [
    "a second link with one handle",
    amqp.bytes(opening, begin(), attach(0, "$cbs", "sender"), attach(0, "$cbs", "receiver")),
    "amqp:session:handle-in-use",
  ],
  [
    "frames that are too small for any message",
    amqp.bytes(frames.amqpHeader, frames.open(amqp.nothing, amqp.uint(20))),
    "amqp:invalid-field",
  ],
  [
    "a sign of life asked for every millisecond",
    amqp.bytes(
      frames.amqpHeader,
      frames.open(amqp.nothing, amqp.nothing, amqp.nothing, amqp.uint(1)),
    ),
    "amqp:not-allowed",
  ],
  [
    "more sessions than a stranger has use for",
    amqp.bytes(opening, ...Array.from({ length: 9 }, (_, channel) => begin(channel))),
    "amqp:resource-limit-exceeded",
  ],
  [
    "more links than a stranger has use for",
    amqp.bytes(
      opening,
      begin(),
      ...Array.from({ length: 17 }, (_, handle) => attach(handle, "$cbs", "receiver")),
    ),
    "amqp:resource-limit-exceeded",
  ],
])("%s ends that connection, with its reason", async (_what, sent, condition) => {
  const stranger = peer(sent);
  expect(await stranger.closed).toBe(condition);
  await expectUnharmed();
});

test("bytes of another protocol, and of no choice of mechanism, end the connection at once", async () => {
  const unknown = frame(amqp.described(0x41, amqp.list(amqp.shortSymbol("constructor"))), {
    type: 1,
  });
  const long = frame(amqp.binary(Buffer.alloc(600)), { type: 1 });
  for (const bytes of [unknown, long, frames.open()]) {
    const stranger = peer(frames.saslHeader, bytes);
    expect(await stranger.closed).toBe("");
  }
  await expectUnharmed();
});

const requests = amqp.bytes(
  opening,
  begin(),
  attach(0, "$cbs", "sender"),
  attach(1, "$cbs", "receiver"),
);

/** The condition of a refused delivery. */
const refusal = ({ fields }: ReceivedFrame): unknown => {
  const [error] = (fields[4]?.value ?? []) as readonly Typed[];
  return (error?.value as readonly Typed[] | undefined)?.[0]?.value;
};

test("a token request with an id of no such type is refused", async () => {
  const stranger = peer(requests);
  const body = amqp.string(token("sb://127.0.0.1/"));
  stranger.write(frames.transfer(0, 0, request(body, { messageId: amqp.map() })));
  const [answer] = await stranger.received(0x15);
  expect(answer && refusal(answer)).toBe("amqp:decode-error");
  await expectUnharmed();
});

test("a request whose body claims four billion items is refused", async () => {
  const stranger = peer(requests, frames.transfer(0, 0, request(amqp.endlessArray())));
  const [answer] = await stranger.received(0x15);
  expect(answer && refusal(answer)).toBe("amqp:decode-error");
  await expectUnharmed();
});

test("token requests wait for credit, until more come than the link has credit for", async () => {
  const stranger = peer(requests);
  const body = amqp.string("no token");
  for (let id = 0; id < 9000; id += 1) stranger.write(frames.transfer(0, id, request(body)));
  expect(await stranger.closed).toBe("amqp:link:transfer-limit-exceeded");
  await expectUnharmed();
});

test("replies that waited for credit are sent when it comes", async () => {
  const stranger = peer(requests);
  for (let id = 0; id < 50; id += 1)
    stranger.write(frames.transfer(0, id, request(amqp.string("no token"))));
  await stranger.received(0x15);
  expect(stranger.frames.filter(({ code }) => code === 0x14)).toEqual([]);
  stranger.write(frames.flow(1, 50));
  await stranger.received(0x14, 50);
});

test("a message without end takes no more memory than the largest allowed one", async () => {
  const stranger = peer(requests);
  const part = Buffer.alloc(60_000);
  for (let parts = 0; parts < 1000; parts += 1) {
    stranger.write(frames.transfer(0, 0, part, { more: true }));
    if (stranger.socket.writableNeedDrain) await once(stranger.socket, "drain");
  }
  await expectUnharmed();
});

test("a peer that does not read is not read from", async () => {
  const stranger = peer(opening);
  await stranger.received(0x10);
  stranger.socket.pause();
  stranger.write(begin());
  // Each link is answered with its own name.
  const name = "x".repeat(50_000);
  for (let link = 0; link < 2000 && !stranger.socket.writableNeedDrain; link += 1) {
    stranger.write(attach(0, "$cbs", "receiver", { name: `${name}${link}` }), frames.detach(0));
    await setImmediate();
  }
  expect(stranger.socket.writableNeedDrain).toBe(true);
  await expectUnharmed();
});

/** On handle 2, after a valid token. */
const senderOf = async (entity: string): Promise<RawPeer> => {
  const known = peer(requests, frames.flow(1, 10));
  known.write(frames.transfer(0, 0, request(amqp.string(token("sb://127.0.0.1/")))));
  await known.received(0x14);
  known.write(attach(2, entity, "sender"));
  return known;
};

const properties = (...fields: readonly Buffer[]): Buffer =>
  amqp.described(0x73, amqp.list(...fields));
const annotations = (...entries: readonly Buffer[]): Buffer =>
  amqp.described(0x72, amqp.map(...entries));
const body = amqp.described(0x77, amqp.string("body"));
const scheduled = amqp.symbol("x-opt-scheduled-enqueue-time");

test.each<[string, Buffer, string]>([
  [
    "a body that claims four billion items",
    amqp.described(0x77, amqp.endlessArray()),
    "amqp:decode-error",
  ],
  ["a body nested too deeply", amqp.described(0x77, nested(200)), "amqp:decode-error"],
  ["an id that is a map", amqp.bytes(properties(amqp.map()), body), "amqp:decode-error"],
  [
    "an id that no index can hold",
    amqp.bytes(properties(amqp.string(randomBytes(4000).toString("hex"))), body),
    "amqp:invalid-field",
  ],
  [
    "a time that is a text",
    amqp.bytes(annotations(scheduled, amqp.string("noon")), body),
    "amqp:decode-error",
  ],
])(
  "a message with %s is refused, and those beside it are not",
  async (_what, message, condition) => {
    const sender = await senderOf("unique");
    const good = amqp.bytes(properties(amqp.string(randomBytes(8).toString("hex"))), body);
    sender.write(frames.transfer(2, 1, good), frames.transfer(2, 2, message));
    const settled = await sender.received(0x15, 3);
    expect(settled.map(refusal).filter((each) => each !== undefined)).toEqual([condition]);
    await expectUnharmed();
  },
);

test("a range of four billion deliveries settles those that there are", async () => {
  const known = await senderOf("plain");
  known.write(frames.disposition(0, 0xffff_ffff), attach(3, "plain", "receiver"));
  await known.received(0x12, 4);
  await expectUnharmed();
});

test("of many connections without token the oldest goes, and genuine clients come through", async () => {
  const [first, ...others] = Array.from({ length: 150 }, () => peer(opening));
  expect(await first?.closed).toBe("");
  await expectUnharmed();
  await others.at(-1)?.received(0x10);
  expect(others.at(-1)?.socket.destroyed).toBe(false);
});

test("who does not open its connection, or shows no token, is closed in time", async () => {
  const fixture = await brokerFixture({
    handshakeTimeouts: { openWithinMs: 100, authorizedWithinMs: 200 },
    report: () => undefined,
  });
  const { port } = fixture.broker;
  const [silent, tokenless] = [rawPeer(port), rawPeer(port)];
  tokenless.write(opening);
  expect(await silent.closed).toBe("");
  expect(await tokenless.closed).toBe("amqp:unauthorized-access");
  await fixture.stop();
});
