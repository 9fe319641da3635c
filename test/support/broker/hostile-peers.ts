/** Peers that speak AMQP well enough to be heard and then do what no client would, all of it from a seed. */
import { connect as connectSocket, type Socket } from "node:net";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { token } from "./broker.js";
import { map, message, pick, texts, value, type Draw } from "./hostile-values.js";
import { amqp, frame, frames, request } from "./raw-peer.js";

/** How long a peer stays when the broker finds nothing wrong with it. */
const lingerMs = 80;
const heardBytesMax = 4 * 1024 * 1024;

const addresses = [
  ...["plain", "brief", "mortal", "sessions", "brief-sessions", "unique", "news", "nowhere", ""],
  ...["news/Subscriptions/all", "news/Subscriptions/ruled", "plain/$DeadLetterQueue"],
  ...["plain/$management", "sessions/$management", "news/Subscriptions/ruled/$management"],
  ...["$cbs", "$management", "plain/", "x".repeat(300), "\u0000", "é/\u{1f600}"],
];
const operations = [
  ...["renew-lock", "peek-message", "schedule-message", "cancel-scheduled-message"],
  ...["receive-by-sequence-number", "update-disposition", "renew-session-lock"],
  ...["get-session-state", "set-session-state", "add-rule", "remove-rule", "enumerate-rules"],
].map((name) => `com.microsoft:${name}`);
/** A performative whose fields are of any kind. */
const anyPerformative = (draw: Draw): Buffer => {
  const code = pick([0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19], draw);
  const body = amqp.list(...Array.from({ length: draw(16) }, () => value(draw, 2)));
  return frame(amqp.described(code, body), { channel: pick([0, 0, 0, 1, 9, 65_535], draw) });
};

/** The links that every peer has, and how many others it may try. */
const handles = { requests: 0, replies: 1, sender: 2, receiver: 3, others: 4 } as const;
const othersMax = 6;

/** `id` gives the next delivery its number. */
const step = (draw: Draw, id: () => number): Buffer => {
  const isFitting = draw(6) !== 0;
  const any = draw(handles.others + othersMax);
  const other = isFitting ? handles.others + draw(othersMax) : any;
  const channel = draw(12) === 0 ? 1 : 0;
  if (draw(40) === 0) return anyPerformative(draw);
  switch (draw(10)) {
    case 0:
    case 1:
      return frames.attach(other, pick(addresses, draw), draw(2) === 0 ? "sender" : "receiver", {
        channel,
      });
    case 2: {
      const handle = isFitting ? pick([handles.replies, handles.receiver], draw) : any;
      return frames.flow(handle, pick([0, 1, 10, 0x7fff_ffff, 0xffff_ffff], draw));
    }
    case 3:
    case 4:
      return frames.transfer(isFitting ? handles.sender : any, id(), message(draw), {
        more: draw(6) === 0,
      });
    case 5:
    case 6:
    case 7: {
      const body = draw(3) === 0 ? value(draw) : map(draw);
      const replyTo = isFitting ? `receiver-${handles.replies}` : pick(texts, draw);
      const asked = request(body, { operation: pick(operations, draw), replyTo });
      return frames.transfer(isFitting ? handles.requests : any, id(), asked);
    }
    case 8:
      return draw(3) === 0
        ? frames.detach(any)
        : frames.disposition(draw(10), pick([0, 5, 0xffff_ffff], draw));
    default:
      return draw(3) === 0 ? frames.begin(1 + draw(3)) : frame(Buffer.alloc(0));
  }
};

/** Links to an entity and its management, on handles that later steps use. */
const links = (draw: Draw): Buffer => {
  const managed = pick(["plain", "sessions", "news/Subscriptions/ruled"], draw);
  return amqp.bytes(
    frames.attach(handles.requests, `${managed}/$management`, "sender"),
    frames.attach(handles.replies, `${managed}/$management`, "receiver"),
    frames.flow(handles.replies, 100),
    frames.attach(handles.sender, pick(["plain", "news", "unique", "sessions"], draw), "sender"),
    frames.attach(
      handles.receiver,
      pick(["plain", "brief", "news/Subscriptions/all"], draw),
      "receiver",
    ),
    frames.flow(handles.receiver, 10),
  );
};

const proof = amqp.bytes(
  frames.attach(100, "$cbs", "sender"),
  frames.attach(101, "$cbs", "receiver"),
  frames.flow(101, 10),
  frames.transfer(
    100,
    0,
    request(amqp.string(token("sb://127.0.0.1/")), { replyTo: "receiver-101" }),
  ),
);

const hear = (socket: Socket): (() => Buffer) => {
  const chunks: Buffer[] = [];
  let size = 0;
  socket.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= heardBytesMax) chunks.push(chunk);
  });
  return () => Buffer.concat(chunks);
};

const open = (port: number) => {
  const socket = connectSocket(port, "127.0.0.1");
  socket.on("error", () => undefined);
  return { socket, closed: once(socket, "close") };
};

const leave = async (
  { socket, closed }: ReturnType<typeof open>,
  afterMs = lingerMs,
): Promise<void> => {
  await Promise.race([closed, sleep(afterMs)]);
  socket.destroy();
};

/** Writes bytes that are given, as fast as they are taken. */
const write = async (port: number, bytes: Buffer): Promise<Buffer> => {
  const peer = open(port);
  const heard = hear(peer.socket);
  peer.socket.write(bytes);
  await leave(peer);
  return heard();
};

/** Resolves when the token has been looked at, or the connection is over. */
const prove = async (peer: ReturnType<typeof open>, heard: () => Buffer): Promise<void> => {
  peer.socket.write(amqp.bytes(frames.opening, frames.begin(), proof));
  while (!peer.socket.destroyed && !heard().includes("Accepted")) await sleep(2);
};

/** The token took delivery number 0. */
const steps = (draw: Draw): Buffer => {
  let last = 0;
  const id = (): number => (draw(30) === 0 ? draw(20) : (last += 1));
  return amqp.bytes(
    ...(draw(8) === 0 ? [] : [links(draw)]),
    ...Array.from({ length: 1 + draw(25) }, () => step(draw, id)),
  );
};

/** Proves itself, mostly, opens links, and then takes steps of chance. */
const compose = async (port: number, draw: Draw): Promise<Buffer> => {
  const peer = open(port);
  const heard = hear(peer.socket);
  if (draw(10) === 0) peer.socket.write(amqp.bytes(frames.opening, frames.begin()));
  else await prove(peer, heard);
  peer.socket.write(steps(draw));
  await leave(peer);
  return heard();
};

/** Writes a few bytes at a time, and ends anywhere. */
const slowly = async (port: number, draw: Draw): Promise<Buffer> => {
  const peer = open(port);
  const heard = hear(peer.socket);
  const bytes = amqp.bytes(frames.opening, frames.begin(), proof, steps(draw));
  const end = draw(bytes.length);
  for (let at = 0; at < end && !peer.socket.destroyed; at += 1 + draw(60)) {
    peer.socket.write(bytes.subarray(at, Math.min(at + 60, end)));
    await sleep(draw(3));
  }
  await leave(peer, 0);
  return heard();
};

/** Asks for all there is and then never reads; leaves without a word, or with a reset. */
const deaf = async (port: number, draw: Draw): Promise<Buffer> => {
  const peer = open(port);
  const heard = hear(peer.socket);
  await prove(peer, heard);
  peer.socket.pause();
  const asks = Array.from({ length: 200 }, (_, id) => {
    const operation = pick(operations, draw);
    return frames.transfer(
      handles.requests,
      id + 1,
      request(map(draw), { operation, replyTo: "receiver-1" }),
    );
  });
  peer.socket.write(amqp.bytes(links(draw), frames.flow(handles.receiver, 0x7fff_ffff), ...asks));
  await sleep(lingerMs * 4);
  if (draw(2) === 0) peer.socket.resetAndDestroy();
  else peer.socket.destroy();
  return heard();
};

/** Comes with many at once, each of which says nothing, a little, or all that a client says first. */
const crowd = async (port: number, draw: Draw): Promise<Buffer> => {
  const peers = Array.from({ length: 30 }, () => {
    const peer = open(port);
    const said = [Buffer.alloc(0), frames.saslHeader, frames.opening][draw(3)];
    if (said !== undefined && said.length > 0) peer.socket.write(said);
    return peer;
  });
  await Promise.all(peers.map((peer) => leave(peer, draw(lingerMs))));
  return Buffer.alloc(0);
};

/** One peer of any of these kinds; resolves to what it heard until it left or was closed. */
export const hostilePeer = (
  port: number,
  draw: Draw,
  mutant: (draw: Draw) => Buffer,
): Promise<Buffer> => {
  const kind = draw(20);
  if (kind < 8) return write(port, mutant(draw));
  if (kind < 16) return compose(port, draw);
  if (kind < 18) return slowly(port, draw);
  return kind === 18 ? deaf(port, draw) : crowd(port, draw);
};
