/** The bodies of AMQP and SASL frames, checked against the specification before anybody decodes them. */
import { decodeError, EncodedValues, kind } from "./encoded-values.js";

/** Codes of the performatives that the broker looks at itself. */
export const performative = { open: 0x10, transfer: 0x14, close: 0x18, saslInit: 0x41 } as const;

interface Definition {
  readonly code: number;
  readonly mandatory: number;
  /** The kinds that each field allows; null is always one of them. */
  readonly fields: readonly number[];
}

const { boolean, ubyte, ushort, uint, ulong, string, symbol, binary, map, described } = kind;
const symbols = symbol | kind.array;
const any = 0xffff;

/** Part 2.7 and 5.3.3 of the specification; `mandatory` counts from the first field on. */
const definitions: Readonly<Record<string, Definition>> = {
  open: {
    code: performative.open,
    mandatory: 1,
    fields: [string, string, uint, ushort, uint, symbols, symbols, symbols, symbols, map],
  },
  begin: {
    code: 0x11,
    mandatory: 4,
    fields: [ushort, uint, uint, uint, uint, symbols, symbols, map],
  },
  attach: {
    code: 0x12,
    mandatory: 3,
    fields: [
      ...[string, uint, boolean, ubyte, ubyte, described, described, map, boolean],
      ...[uint, ulong, symbols, symbols, map],
    ],
  },
  flow: {
    code: 0x13,
    mandatory: 4,
    fields: [uint, uint, uint, uint, uint, uint, uint, uint, boolean, boolean, map],
  },
  transfer: {
    code: performative.transfer,
    mandatory: 1,
    fields: [
      ...[uint, uint, binary, uint, boolean, boolean, ubyte, described, boolean, boolean, boolean],
    ],
  },
  disposition: {
    code: 0x15,
    mandatory: 2,
    fields: [boolean, uint, uint, boolean, described, boolean],
  },
  detach: { code: 0x16, mandatory: 1, fields: [uint, boolean, described] },
  end: { code: 0x17, mandatory: 0, fields: [described] },
  close: { code: performative.close, mandatory: 0, fields: [described] },
};

/** These fields come before mandatory ones, and yet may be left out. */
const optional: Readonly<Record<number, readonly number[]>> = { 0x11: [0], 0x13: [0] };

const saslInit: Definition = {
  code: performative.saslInit,
  mandatory: 1,
  fields: [symbol, binary, string],
};

const amqpByCode = new Map(Object.values(definitions).map((each) => [each.code, each]));
const amqpByName = new Map(
  Object.entries(definitions).map(([name, each]) => [`amqp:${name}:list`, each]),
);

/** What the library keeps of a peer for long must not be much larger than what came. */
const valuesMax = 2048;

const definitionAt = (frame: Buffer, at: number, end: number): Definition | undefined => {
  const code = frame[at];
  if (code === 0x53) return amqpByCode.get(frame[at + 1] ?? 0);
  if (code === 0x80 && at + 9 <= end) return amqpByCode.get(Number(frame.readBigUInt64BE(at + 1)));
  if (code === 0xa3) {
    const nameAt = at + 2;
    return amqpByName.get(frame.toString("ascii", nameAt, nameAt + (frame[at + 1] ?? 0)));
  }
  return undefined;
};

const checkFields = (
  values: EncodedValues,
  { mandatory, fields, code }: Definition,
  start: number,
  frameEnd: number,
): number => {
  const { at: firstAt, end, count } = values.list(start, frameEnd);
  let at = firstAt;
  if (count < mandatory) throw decodeError("a mandatory field is missing");
  for (let index = 0; index < count; index += 1) {
    const found = values.kindAt(at, end);
    if (found === kind.null) {
      if (index < mandatory && optional[code]?.includes(index) !== true)
        throw decodeError("a mandatory field is missing");
    } else if ((found & (fields[index] ?? any)) === 0)
      throw decodeError("a field has another type");
    at = values.skip(at, end);
  }
  if (at !== end) throw decodeError("a size is wrong");
  return end;
};

/** The code of the performative that begins at `start`. Throws `amqp:decode-error`. */
export const checkPerformative = (frame: Buffer, start: number): number => {
  const values = new EncodedValues(frame, valuesMax);
  const isDescribed = values.kindAt(start, frame.length) === kind.described;
  const found = isDescribed ? definitionAt(frame, start + 1, frame.length) : undefined;
  if (found === undefined) throw decodeError("a frame has no known body");
  checkFields(values, found, values.skip(start + 1, frame.length), frame.length);
  return found.code;
};

/** The mechanism that a client chooses. Throws `amqp:decode-error`. */
export const readSaslMechanism = (frame: Buffer, start: number): string => {
  const values = new EncodedValues(frame, valuesMax);
  const isInit =
    values.kindAt(start, frame.length) === kind.described &&
    frame[start + 1] === 0x53 &&
    frame[start + 2] === performative.saslInit;
  if (!isInit) throw decodeError("a choice of SASL mechanism is expected");
  const listAt = start + 3;
  checkFields(values, saslInit, listAt, frame.length);
  const { at } = values.list(listAt, frame.length);
  return frame[at] === 0xa3 ? frame.toString("ascii", at + 2, at + 2 + (frame[at + 1] ?? 0)) : "";
};
