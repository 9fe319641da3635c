/** What one client writes and cannot be kept is that client's alone: sends and settlements beside it stand. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { brokerFixture, token, type BrokerFixture } from "../../support/broker/broker.js";
import { amqp, frames, rawPeer, request, type RawPeer } from "../../support/broker/raw-peer.js";
import { completeBesideRefusals } from "../../support/broker/refused-writes.js";

let fixture: BrokerFixture;
beforeAll(async () => {
  fixture = await brokerFixture();
});
afterAll(() => fixture.stop());

test("completions stand beside sends of no date, and beside those that the database refuses", async () => {
  const report = await completeBesideRefusals(400);
  console.log(`refused writes: ${JSON.stringify(report)}`);
  // Each of the two sends that the database does not take, once at least: how often is a matter of speed.
  expect(report.refused).toBeGreaterThanOrEqual(2);
  expect(report.lost).toBe(0);
});

/** On handle 2, after a valid token: a sender to the entity, with sixteen-byte frames of its own making. */
const senderTo = async (entity: string): Promise<RawPeer> => {
  const peer = rawPeer(fixture.broker.port);
  peer.write(
    frames.opening,
    frames.begin(),
    frames.attach(0, "$cbs", "sender"),
    frames.attach(1, "$cbs", "receiver"),
    frames.flow(1, 10),
    frames.transfer(0, 0, request(amqp.string(token("sb://127.0.0.1/")))),
  );
  await peer.received(0x14);
  peer.write(frames.attach(2, entity, "sender"));
  return peer;
};

const body = amqp.described(0x77, amqp.string("body"));
/** With a message id, and the session id that is the eleventh field. */
const inSession = (sessionId: Buffer): Buffer =>
  amqp.bytes(
    amqp.described(
      0x73,
      amqp.list(amqp.string("id"), ...Array.from({ length: 9 }, () => amqp.nothing), sessionId),
    ),
    body,
  );
const scheduledAt = (time: Buffer): Buffer =>
  amqp.bytes(
    amqp.described(0x72, amqp.map(amqp.symbol("x-opt-scheduled-enqueue-time"), time)),
    inSession(amqp.string("good")),
  );
/** A timestamp of eight bytes. */
const timestamp = (hex: string): Buffer => amqp.bytes(0x83, Buffer.from(hex, "hex"));

test.each<[string, Buffer, string]>([
  ["a session id of 129 characters", inSession(amqp.string("s".repeat(129))), "amqp:invalid-field"],
  [
    "a session id that no index can hold",
    inSession(amqp.string("s".repeat(60_000))),
    "amqp:invalid-field",
  ],
  ["a session id with a NUL", inSession(amqp.string("s\0")), "amqp:invalid-field"],
  ["a time beyond all numbers", scheduledAt(timestamp("7fffffffffffffff")), "amqp:decode-error"],
  ["a time before all numbers", scheduledAt(timestamp("8000000000000000")), "amqp:decode-error"],
  ["a time that is a text", scheduledAt(amqp.string("tomorrow")), "amqp:decode-error"],
  ["a time that is a list", scheduledAt(amqp.list()), "amqp:decode-error"],
])("%s is refused to its sender, and the queue goes on", async (_what, message, condition) => {
  const peer = await senderTo("sessions");
  peer.write(
    frames.transfer(2, 1, inSession(amqp.string("good"))),
    frames.transfer(2, 2, message),
    frames.transfer(2, 3, inSession(amqp.string("x".repeat(128)))),
  );
  // The first is the answer to the request for a token.
  const settled = await peer.received(0x15, 4);
  const conditions = settled.flatMap(({ fields }) => {
    const [error] = (fields[4]?.value ?? []) as readonly { readonly value: unknown }[];
    const [name] = (error?.value ?? []) as readonly { readonly value: unknown }[];
    return name === undefined ? [] : [name.value];
  });
  expect(conditions).toEqual([condition]);
  peer.socket.destroy();
  expect(fixture.broker.status().status).toBe("ok");
  for (const sessionId of ["good", "x".repeat(128)]) {
    const session = await fixture.client.acceptSession("sessions", sessionId, {
      receiveMode: "receiveAndDelete",
    });
    expect(await session.receiveMessages(1)).toHaveLength(1);
    await session.close();
  }
});
