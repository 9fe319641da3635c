/** Walks over encoded AMQP values without decoding them: whether they are whole, and not too many. */
import { BrokerError, conditions } from "../errors.js";

/** What a value is, as one bit each, so that a field can allow several kinds. */
export const kind = {
  null: 1,
  boolean: 2,
  ubyte: 4,
  ushort: 8,
  uint: 16,
  ulong: 32,
  string: 64,
  symbol: 128,
  binary: 256,
  map: 512,
  list: 1024,
  array: 2048,
  described: 4096,
  timestamp: 8192,
  uuid: 16384,
  other: 32768,
} as const;

const codesByKind: readonly (readonly [keyof typeof kind, readonly number[]])[] = [
  ["described", [0x00]],
  ["null", [0x40]],
  ["boolean", [0x41, 0x42, 0x56]],
  ["ubyte", [0x50]],
  ["ushort", [0x60]],
  ["uint", [0x43, 0x52, 0x70]],
  ["ulong", [0x44, 0x53, 0x80]],
  ["string", [0xa1, 0xb1]],
  ["symbol", [0xa3, 0xb3]],
  ["binary", [0xa0, 0xb0]],
  ["map", [0xc1, 0xd1]],
  ["list", [0x45, 0xc0, 0xd0]],
  ["array", [0xe0, 0xf0]],
  ["timestamp", [0x83]],
  ["uuid", [0x98]],
  ["other", [0x51, 0x54, 0x55, 0x61, 0x71, 0x72, 0x73, 0x74, 0x81, 0x82, 0x84, 0x94]],
];
const kindByCode = new Uint16Array(256);
for (const [name, codes] of codesByKind) for (const code of codes) kindByCode[code] = kind[name];

/** Lists, maps, arrays and descriptors within each other: the library decodes by recursion. */
const depthMax = 32;

/**
 * A value has at least one byte, except for the items of an array whose items have no width: as many
 * as there are bytes, and some more, are decoded in no time.
 */
const valuesBeyondBytes = 1024;

export const decodeError = (what: string): BrokerError =>
  new BrokerError(conditions.decodeError, `The bytes are not valid AMQP 1.0: ${what}.`);

/** Where the items of a list, map or array begin and end, and how many it has. */
export interface Items {
  readonly at: number;
  readonly end: number;
  readonly count: number;
}

/** One level of a walk. */
interface Level {
  /** How many values are still to come. */
  left: number;
  readonly end: number;
  /** A list, map or array ends with its last item; what a descriptor opens only ends before. */
  readonly isExact: boolean;
  /** The constructor that the items of an array share; undefined where each value has its own. */
  readonly code: number | undefined;
}

/** A value's level with the position of its first item. */
interface Opened {
  readonly at: number;
  readonly level: Level;
}

const levelOf = ({ end, count }: Items, code: number | undefined): Level => ({
  left: count,
  end,
  isExact: true,
  code,
});

const within = (at: number, end: number): number => {
  if (at > end) throw decodeError("a value is cut off");
  return at;
};

/** Bytes of a value whose constructor says how long it is. */
const fixedWidth = (category: number): number => (category === 4 ? 0 : 1 << (category - 5));

/** The walks in one buffer; their values count against one budget. All throw `amqp:decode-error`. */
export class EncodedValues {
  readonly #bytes: Buffer;
  #valuesLeft: number;

  constructor(bytes: Buffer, valuesMax = bytes.length + valuesBeyondBytes) {
    this.#bytes = bytes;
    this.#valuesLeft = valuesMax;
  }

  /** One of `kind`. */
  kindAt(at: number, end: number): number {
    const code = at < end ? this.#bytes[at] : undefined;
    if (code === undefined) throw decodeError("a value is missing");
    const found = kindByCode[code] ?? 0;
    if (found === 0) throw decodeError(`there is no type with the code 0x${code.toString(16)}`);
    return found;
  }

  /** The end of the value that begins at `start`. */
  skip(start: number, end: number): number {
    this.kindAt(start, end);
    const category = (this.#bytes[start] ?? 0) >>> 4;
    if (category === 0 || category > 0xb) return this.#skipNested(start, end);
    this.#spend(1);
    return this.#width(category, start + 1, end);
  }

  #skipNested(start: number, end: number): number {
    const parents: Level[] = [];
    let level: Level = { left: 1, end, isExact: false, code: undefined };
    let at = start;
    for (;;) {
      while (level.left === 0) {
        if (level.isExact && at !== level.end) throw decodeError("a size is wrong");
        const parent = parents.pop();
        if (parent === undefined) return at;
        level = parent;
      }
      level.left -= 1;
      this.#spend(1);
      let { code } = level;
      if (code === undefined) {
        this.kindAt(at, level.end);
        code = this.#bytes[at] ?? 0;
        at += 1;
      }
      const opened = this.#value(code, at, level.end);
      if (typeof opened === "number") at = opened;
      else {
        if (parents.length >= depthMax) throw decodeError("values are nested too deeply");
        parents.push(level);
        ({ at, level } = opened);
      }
    }
  }

  /** The items of the list that begins at `start`. */
  list(start: number, end: number): Items {
    if (this.kindAt(start, end) !== kind.list) throw decodeError("a list is missing");
    const code = this.#bytes[start] ?? 0;
    if (code === 0x45) return { at: start + 1, end: start + 1, count: 0 };
    return this.#items(start + 1, end, code < 0xd0 ? 1 : 4);
  }

  /** What follows a constructor: the end of the value, or where its items begin. */
  #value(code: number, at: number, end: number): number | Opened {
    const category = code >>> 4;
    // The descriptor, then the value that it describes.
    if (category === 0) return { at, level: { left: 2, end, isExact: false, code: undefined } };
    if (category <= 0xb) return this.#width(category, at, end);
    const items = this.#items(at, end, category % 2 === 0 ? 1 : 4);
    if (category >= 0xe) return this.#array(items);
    const isMap = (code & 0x0f) === 1;
    if (isMap && items.count % 2 === 1) throw decodeError("a map has a key without value");
    return { at: items.at, level: levelOf(items, undefined) };
  }

  /** The end of a value without items. */
  #width(category: number, at: number, end: number): number {
    if (category <= 0x9) return within(at + fixedWidth(category), end);
    const width = category === 0xa ? 1 : 4;
    return within(at + width + this.#size(at, end, width), end);
  }

  /** Items without a constructor of their own; those of one width need no look at each. */
  #array({ at: start, end, count }: Items): number | Opened {
    const isDescribed = this.kindAt(start, end) === kind.described;
    const at = isDescribed ? this.#descriptor(start + 1, end) : start;
    if (this.kindAt(at, end) === kind.described)
      throw decodeError("an array has more than one descriptor");
    const code = this.#bytes[at] ?? 0;
    const category = code >>> 4;
    if (category > 0x9) return { at: at + 1, level: levelOf({ at, end, count }, code) };
    this.#spend(count);
    if (at + 1 + count * fixedWidth(category) !== end) throw decodeError("a size is wrong");
    return end;
  }

  #descriptor(at: number, end: number): number {
    if ((this.kindAt(at, end) & (kind.ulong | kind.symbol)) === 0)
      throw decodeError("a descriptor is neither a number nor a symbol");
    return this.skip(at, end);
  }

  #items(at: number, end: number, width: 1 | 4): Items {
    const itemsEnd = within(at + width + this.#size(at, end, width), end);
    const count = this.#size(at + width, itemsEnd, width);
    return { at: at + 2 * width, end: itemsEnd, count };
  }

  #size(at: number, end: number, width: 1 | 4): number {
    within(at + width, end);
    return width === 1 ? (this.#bytes[at] ?? 0) : this.#bytes.readUInt32BE(at);
  }

  #spend(values: number): void {
    this.#valuesLeft -= values;
    if (this.#valuesLeft < 0) throw decodeError("there are too many values");
  }
}
