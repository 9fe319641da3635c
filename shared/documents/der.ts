/** Just enough of DER (ITU-T X.690) to write a certificate and a signature, and to read a certificate. */

const tags = {
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  nil: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

const lengthOf = (count: number): Buffer => {
  if (count < 0x80) return Buffer.of(count);
  const hex = count.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex");
  return Buffer.concat([Buffer.of(0x80 | bytes.length), bytes]);
};

const element = (tag: number, ...contents: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.of(tag), lengthOf(content.length), content]);
};

export const sequence = (...contents: readonly Uint8Array[]): Buffer =>
  element(tags.sequence, ...contents);

/** DER sorts the members of a set by their bytes. */
export const setOf = (...members: readonly Buffer[]): Buffer =>
  element(tags.set, ...members.toSorted((left, right) => left.compare(right)));

/** A context-specific, constructed tag. */
export const tagged = (number: number, ...contents: readonly Uint8Array[]): Buffer =>
  element(0xa0 | number, ...contents);

/** The same content under a context-specific tag in place of its own. */
export const retagged = (number: number, whole: Buffer): Buffer =>
  Buffer.concat([Buffer.of(0xa0 | number), whole.subarray(1)]);

export const octetString = (bytes: Uint8Array): Buffer => element(tags.octetString, bytes);
export const bitString = (bytes: Uint8Array): Buffer =>
  element(tags.bitString, Buffer.of(0), bytes);
export const utf8String = (text: string): Buffer => element(tags.utf8String, Buffer.from(text));
export const nil = element(tags.nil);

/** A positive integer of these bytes. */
export const integer = (bytes: Uint8Array): Buffer =>
  (bytes[0] ?? 0) >= 0x80
    ? element(tags.integer, Buffer.of(0), bytes)
    : element(tags.integer, bytes);

export const generalizedTime = (at: Date): Buffer =>
  element(
    tags.generalizedTime,
    Buffer.from(`${at.toISOString().slice(0, 19).replace(/[-T:]/g, "")}Z`),
  );

const base128 = (value: number): number[] => {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift(0x80 | (rest & 0x7f));
  return bytes;
};

/** An object identifier in dotted form. */
export const oid = (dotted: string): Buffer => {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return element(tags.oid, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
};

interface Header {
  readonly start: number;
  readonly length: number;
}

const headerAt = (bytes: Buffer, at: number): Header => {
  const first = bytes.readUInt8(at + 1);
  if (first < 0x80) return { start: at + 2, length: first };
  const count = first & 0x7f;
  return { start: at + 2 + count, length: bytes.readUIntBE(at + 2, count) };
};

/** The elements inside a constructed element, each with its tag and length. */
export const childrenOf = (whole: Buffer): Buffer[] => {
  const { start, length } = headerAt(whole, 0);
  const children: Buffer[] = [];
  for (let at = start; at < start + length;) {
    const child = headerAt(whole, at);
    const end = child.start + child.length;
    children.push(whole.subarray(at, end));
    at = end;
  }
  return children;
};
