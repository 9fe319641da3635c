/** A peer that writes AMQP byte by byte, so that it can write what no client library would. */
import { connect, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import rhea from "rhea";

const protocolHeader = (id: number): Buffer => Buffer.from([0x41, 0x4d, 0x51, 0x50, id, 1, 0, 0]);

const bytes = (...parts: readonly (Buffer | number)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === "number" ? Buffer.from([part]) : part)));

const uint32 = (value: number): Buffer => {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(value);
  return buffer;
};

/** Encoded values. */
export const amqp = {
  bytes,
  nothing: Buffer.from([0x40]),
  yes: Buffer.from([0x41]),
  no: Buffer.from([0x42]),
  uint: (value: number) => bytes(0x70, uint32(value)),
  ushort: (value: number) => bytes(0x60, value >>> 8, value & 0xff),
  string: (value: string) => bytes(0xb1, uint32(Buffer.byteLength(value)), Buffer.from(value)),
  symbol: (value: string) => bytes(0xb3, uint32(value.length), Buffer.from(value)),
  shortSymbol: (value: string) => bytes(0xa3, value.length, Buffer.from(value)),
  binary: (value: Buffer) => bytes(0xb0, uint32(value.length), value),
  list: (...items: readonly Buffer[]) => compound(0xd0, items),
  map: (...items: readonly Buffer[]) => compound(0xd1, items),
  described: (code: number, value: Buffer) => bytes(0x00, 0x53, code, value),
  /** Says that it has this many items, and has none: each of them is a null, which has no bytes. */
  endlessArray: (count = 0xffff_ffff) => bytes(0xf0, uint32(5), uint32(count), 0x40),
};

const compound = (code: number, items: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(items);
  return bytes(code, uint32(body.length + 4), uint32(items.length), body);
};

/** A frame of any type with any body. */
export const frame = (body: Buffer, { channel = 0, type = 0 } = {}): Buffer =>
  bytes(uint32(body.length + 8), 2, type, channel >>> 8, channel & 0xff, body);

const saslInit = frame(amqp.described(0x41, amqp.list(amqp.shortSymbol("ANONYMOUS"))), { type: 1 });

/** A message that asks a node for something. */
export const request = (
  body: Buffer,
  {
    operation = "put-token",
    messageId = amqp.string("1"),
    replyTo = "receiver-1",
  }: { operation?: string; messageId?: Buffer; replyTo?: string } = {},
): Buffer =>
  bytes(
    amqp.described(
      0x73,
      amqp.list(...[messageId, amqp.nothing, amqp.nothing, amqp.nothing], amqp.string(replyTo)),
    ),
    amqp.described(0x74, amqp.map(amqp.string("operation"), amqp.string(operation))),
    amqp.described(0x77, body),
  );

/** Frames as clients write them. */
export const frames = {
  saslHeader: protocolHeader(3),
  amqpHeader: protocolHeader(0),
  saslInit,
  open: (...fields: readonly Buffer[]) =>
    frame(amqp.described(0x10, amqp.list(amqp.string("raw"), ...fields))),
  begin: (channel = 0) =>
    frame(
      amqp.described(0x11, amqp.list(amqp.nothing, amqp.uint(0), amqp.uint(2048), amqp.uint(2048))),
      { channel },
    ),
  /** As a sender to the address, or as a receiver from it. */
  attach: (
    handle: number,
    address: string,
    role: "sender" | "receiver",
    { name = `${role}-${handle}`, channel = 0 } = {},
  ) => {
    const end = (code: number) => amqp.described(code, amqp.list(amqp.string(address)));
    return frame(
      amqp.described(
        0x12,
        amqp.list(
          ...[amqp.string(name), amqp.uint(handle)],
          ...[role === "receiver" ? amqp.yes : amqp.no, amqp.nothing, amqp.nothing],
          ...(role === "sender" ? [end(0x28), end(0x29)] : [end(0x28), amqp.nothing]),
          ...[amqp.nothing, amqp.nothing, amqp.uint(0)],
        ),
      ),
      { channel },
    );
  },
  transfer: (handle: number, id: number, payload: Buffer, { more = false, channel = 0 } = {}) =>
    frame(
      bytes(
        amqp.described(
          0x14,
          amqp.list(
            ...[amqp.uint(handle), amqp.uint(id), amqp.binary(uint32(id)), amqp.uint(0)],
            ...[amqp.no, more ? amqp.yes : amqp.no],
          ),
        ),
        payload,
      ),
      { channel },
    ),
  detach: (handle: number) => frame(amqp.described(0x16, amqp.list(amqp.uint(handle), amqp.yes))),
  flow: (handle: number, credit: number, channel = 0) =>
    frame(
      amqp.described(
        0x13,
        amqp.list(
          ...[amqp.uint(0), amqp.uint(2048), amqp.uint(0), amqp.uint(2048)],
          ...[amqp.uint(handle), amqp.uint(0), amqp.uint(credit)],
        ),
      ),
      { channel },
    ),
  disposition: (first: number, last: number) =>
    frame(
      amqp.described(
        0x15,
        amqp.list(
          ...[amqp.yes, amqp.uint(first), amqp.uint(last), amqp.yes],
          amqp.described(0x24, amqp.list()),
        ),
      ),
    ),
  /** All the bytes of a connection before its first session. */
  get opening(): Buffer {
    return bytes(this.saslHeader, this.saslInit, this.amqpHeader, this.open());
  },
};

export interface RawPeer {
  readonly socket: Socket;
  write(...parts: readonly Buffer[]): void;
  /** The performatives that have come, in order. */
  readonly frames: readonly ReceivedFrame[];
  /** Waits until the broker has written as many performatives of that code. */
  received(code: number, count?: number): Promise<readonly ReceivedFrame[]>;
  /** The condition of the close that the broker sends, or "" where it closes without. */
  readonly closed: Promise<string>;
}

export interface Typed {
  readonly value: unknown;
  readonly descriptor?: { readonly value: number };
}

export interface ReceivedFrame {
  readonly code: number;
  readonly fields: readonly (Typed | undefined)[];
}

const reader = rhea.types as unknown as { Reader: new (buffer: Buffer) => { read(): Typed } };

/** The AMQP frames among what the broker writes; headers and SASL frames are passed over. */
const readFrames = (received: Buffer): ReceivedFrame[] => {
  const found: ReceivedFrame[] = [];
  for (let at = 0; at + 8 <= received.length;) {
    if (received.toString("latin1", at, at + 4) === "AMQP") {
      at += 8;
      continue;
    }
    const size = received.readUInt32BE(at);
    if (at + size > received.length) break;
    if (received[at + 5] === 0 && size > 8) {
      const body = new reader.Reader(received.subarray(at + 8, at + size)).read();
      found.push({
        code: body.descriptor?.value ?? 0,
        fields: body.value as readonly (Typed | undefined)[],
      });
    }
    at += size;
  }
  return found;
};

/** Connects without writing anything. */
export const rawPeer = (port: number): RawPeer => {
  const socket = connect(port, "127.0.0.1");
  const chunks: Buffer[] = [];
  const received = (): ReceivedFrame[] => readFrames(Buffer.concat(chunks));
  socket.on("data", (chunk) => chunks.push(chunk));
  // What a peer still writes when the broker has closed is lost, as it should be.
  socket.on("error", () => undefined);
  return {
    socket,
    write: (...parts) => void socket.write(Buffer.concat(parts)),
    get frames() {
      return received();
    },
    received: async (code, count = 1) => {
      for (;;) {
        const found = received().filter((each) => each.code === code);
        if (found.length >= count) return found;
        if (socket.destroyed) throw new Error("the broker closed the connection");
        await setTimeout(2);
      }
    },
    closed: new Promise((resolve) => {
      socket.on("close", () => {
        const close = received().find(({ code }) => code === 0x18);
        const [condition] = (close?.fields[0]?.value ?? []) as readonly (Typed | undefined)[];
        resolve(typeof condition?.value === "string" ? condition.value : "");
      });
    }),
  };
};
