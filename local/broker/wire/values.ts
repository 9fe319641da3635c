/** Typed AMQP values that rhea does not choose by itself, and lock tokens in their two byte orders. */
import { types, type Typed } from "./rhea.js";

const timestampCode = 0x83;
const longCode = 0x81;

export const timestampArray = (times: readonly number[]): Typed =>
  types.wrap_array(times, timestampCode);

export const longArray = (values: readonly number[]): Typed => types.wrap_array(values, longCode);

export const described = (descriptor: number, fields: readonly unknown[]): Typed =>
  types.described(types.wrap_ulong(descriptor), types.wrap_list(fields));

/** Ticks of 100 ns since the year 1: the one place where the protocol counts time like .NET. */
export const ticks = (timeMs: number): Typed => {
  const buffer = Buffer.alloc(8);
  buffer.writeBigInt64BE(BigInt(timeMs) * 10_000n + 621_355_968_000_000_000n);
  return types.Long(buffer);
};

/**
 * A lock token is sent as delivery tag in the byte order of a .NET Guid and as `uuid` in the order
 * of the RFC: the first three groups are mirrored. The swap is its own inverse.
 */
export const swapGuidOrder = (guid: Buffer): Buffer => {
  const swapped = Buffer.from(guid);
  swapped.subarray(0, 4).reverse();
  swapped.subarray(4, 6).reverse();
  swapped.subarray(6, 8).reverse();
  return swapped;
};

const isTyped = (value: unknown): value is Typed =>
  typeof value === "object" && value !== null && "type" in value && "value" in value;

/** The entries of a typed map; anything else has none. */
export const mapEntries = (map: Typed | null | undefined): (readonly [string, Typed])[] => {
  const items: unknown[] = Array.isArray(map?.value) ? map.value : [];
  const entries: (readonly [string, Typed])[] = [];
  for (let at = 0; at + 1 < items.length; at += 2) {
    const [key, value] = [items[at], items[at + 1]];
    if (isTyped(key) && isTyped(value)) entries.push([String(key.value), value]);
  }
  return entries;
};

/** The fields of a typed list, in order. */
export const listFields = (list: Typed | null | undefined): (Typed | undefined)[] => {
  const items: unknown[] = Array.isArray(list?.value) ? list.value : [];
  return items.map((item) => (isTyped(item) && item.value !== null ? item : undefined));
};
