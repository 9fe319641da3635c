/** Values and messages that are well encoded and make little sense, drawn from a seed. */
import { amqp } from "./raw-peer.js";

export type Draw = (below: number) => number;

const fields = [
  ...["lock-tokens", "session-id", "from-sequence-number", "message-count", "messages", "message"],
  ...["sequence-numbers", "receiver-settle-mode", "disposition-status", "deadletter-reason"],
  ...["properties-to-modify", "session-state", "rule-name", "rule-description", "sql-filter"],
  ...["expression", "correlation-filter", "properties", "top", "skip"],
];
export const texts = [
  ...[
    "",
    "x",
    "completed",
    "abandoned",
    "defered",
    "suspended",
    "x".repeat(5_000),
    "\u0000",
    "\ud800",
  ],
  ...[
    "section = 'sport'",
    "section =",
    "((((((((1=1",
    "sys.Label LIKE '%a%' ESCAPE 'x'",
    "1/0 = 1",
  ],
];

export const pick = <Value>(list: readonly Value[], draw: Draw): Value => {
  const found = list[draw(list.length)];
  if (found === undefined) throw new Error("an empty list has nothing to draw");
  return found;
};

const uint64 = (code: number, value: bigint): Buffer => {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64BE(value);
  return amqp.bytes(code, buffer);
};

const numbers: readonly ((draw: Draw) => Buffer)[] = [
  (draw) => amqp.uint(draw(5)),
  () => amqp.uint(0xffff_ffff),
  () => amqp.uint(0x7fff_ffff),
  () => amqp.ushort(0xffff),
  () => uint64(0x80, 0xffff_ffff_ffff_ffffn),
  () => uint64(0x81, 0x8000_0000_0000_0000n),
  // A time that is none, a number that is none, one without end.
  () => uint64(0x83, 0x7fff_ffff_ffff_ffffn),
  () => uint64(0x82, 0x7ff8_0000_0000_0000n),
  () => uint64(0x82, 0x7ff0_0000_0000_0000n),
];

/** Any value, well encoded: `depth` levels of it at most. */
export const value = (draw: Draw, depth = 3): Buffer => {
  switch (draw(depth > 0 ? 11 : 7)) {
    case 0:
      return amqp.nothing;
    case 1:
      return draw(2) === 0 ? amqp.yes : amqp.no;
    case 2:
    case 3:
      return pick(numbers, draw)(draw);
    case 4:
      return amqp.string(pick(texts, draw));
    case 5:
      return amqp.symbol(pick(fields, draw));
    case 6:
      return amqp.binary(Buffer.alloc(pick([0, 1, 16, 300], draw), draw(256)));
    case 7:
    case 8:
      return amqp.list(...Array.from({ length: draw(4) }, () => value(draw, depth - 1)));
    case 9:
      return map(draw, depth - 1);
    default:
      return amqp.described(draw(256), value(draw, depth - 1));
  }
};

export const map = (draw: Draw, depth = 2): Buffer =>
  amqp.map(
    ...Array.from({ length: draw(4) }, () => [
      amqp.string(pick(fields, draw)),
      value(draw, depth),
    ]).flat(),
  );

/** Sections of a message in any order, with values of any kind in each. */
export const message = (draw: Draw): Buffer =>
  Buffer.concat(
    Array.from({ length: draw(5) }, () => {
      const section = pick([0x70, 0x71, 0x72, 0x73, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78], draw);
      const holds = draw(4);
      if (holds === 0) return amqp.described(section, value(draw));
      if (section === 0x70 || section === 0x73)
        return amqp.described(
          section,
          amqp.list(...Array.from({ length: draw(14) }, () => value(draw, 1))),
        );
      return amqp.described(section, section === 0x75 ? amqp.binary(Buffer.alloc(40)) : map(draw));
    }),
  );
