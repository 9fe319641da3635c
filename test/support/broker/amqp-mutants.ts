/** Genuine AMQP frames, recorded from a client, and mutants of them from a seed. */
import { connect as connectSocket, createServer, type AddressInfo } from "node:net";
import { once } from "node:events";
import { connect } from "./broker.js";

/** What a genuine client writes while it sends, receives, settles, peeks and accepts a session. */
export const recordClient = async (brokerPort: number): Promise<Buffer> => {
  const written: Buffer[] = [];
  const proxy = createServer((socket) => {
    const upstream = connectSocket(brokerPort, "127.0.0.1");
    for (const end of [socket, upstream]) end.on("error", () => undefined);
    socket.on("data", (bytes) => written.push(bytes));
    socket.pipe(upstream).pipe(socket);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const client = connect((proxy.address() as AddressInfo).port);
  const sender = client.createSender("plain");
  await sender.sendMessages([
    { body: { wallet: 1 }, applicationProperties: { section: "sport", stars: 3 } },
    { body: "two", subject: "urgent", timeToLive: 60_000 },
  ]);
  await sender.scheduleMessages({ body: "later" }, new Date(Date.now() + 3_600_000));
  const receiver = client.createReceiver("plain");
  await receiver.peekMessages(5);
  const [first, second] = await receiver.receiveMessages(2);
  if (first === undefined || second === undefined) throw new Error("two messages were expected");
  await receiver.renewMessageLock(first);
  await receiver.abandonMessage(first, { tried: true });
  await receiver.deadLetterMessage(second, {
    deadLetterReason: "no use",
    deadLetterErrorDescription: "none",
  });
  const sessionSender = client.createSender("sessions");
  await sessionSender.sendMessages({ body: "in a session", sessionId: "s" });
  const session = await client.acceptNextSession("sessions");
  await session.setSessionState("state");
  for (const message of await session.receiveMessages(1)) await session.completeMessage(message);
  await client.close();
  proxy.close();
  return Buffer.concat(written);
};

/** The headers and frames of a recording, each by itself. */
export const cutFrames = (recording: Buffer): Buffer[] => {
  const units: Buffer[] = [];
  for (let at = 0; at < recording.length;) {
    const isHeader = recording.toString("latin1", at, at + 4) === "AMQP";
    const size = isHeader ? 8 : recording.readUInt32BE(at);
    units.push(recording.subarray(at, at + size));
    at += size;
  }
  return units;
};

/** Bytes that are limits of some type, or begin one. */
const telling = [0x00, 0x01, 0x40, 0x45, 0x53, 0x70, 0x7f, 0x80, 0xb0, 0xc1, 0xd0, 0xf0, 0xff];

const mutateFrame = (frame: Buffer, random: (below: number) => number): Buffer => {
  const mutant = Buffer.from(frame);
  // The size mostly stays right, so that what is behind it is reached.
  const from = random(10) === 0 ? 0 : Math.min(8, mutant.length - 1);
  for (let changes = 1 + random(4); changes > 0; changes -= 1) {
    const at = from + random(mutant.length - from);
    if (random(4) === 0 && at + 4 <= mutant.length) mutant.writeUInt32BE(0xffff_ffff, at);
    else mutant[at] = random(2) === 0 ? (telling[random(telling.length)] ?? 0) : random(256);
  }
  return mutant;
};

/** The recording with some frames changed, left out, repeated or exchanged. */
export const mutant = (units: readonly Buffer[], random: (below: number) => number): Buffer => {
  const changed = [...units];
  // Mostly after the first frames, which have to be right for any other to be looked at.
  const first = random(8) === 0 ? 0 : Math.min(4, units.length - 1);
  for (let changes = 1 + random(3); changes > 0; changes -= 1) {
    const at = first + random(changed.length - first);
    const other = first + random(changed.length - first);
    const frame = changed[at] ?? Buffer.alloc(0);
    const kind = random(8);
    if (kind === 0) changed.splice(at, 1, ...(changed.length > first + 1 ? [] : [frame]));
    else if (kind === 1) changed.splice(other, 0, frame);
    else if (kind === 2) [changed[at], changed[other]] = [changed[other] ?? frame, frame];
    else if (frame.length > 0) changed[at] = mutateFrame(frame, random);
  }
  const bytes = Buffer.concat(changed);
  return random(6) === 0 ? bytes.subarray(0, random(bytes.length)) : bytes;
};
