/** Archives by their directory, never unpacked: ZIP, Office documents in ZIP, and Word's older format. */
import { bufferOf, byBeginning, every, type ContentCheck } from "./content-checks.js";

interface ZipEntry {
  readonly name: string;
  /** Where its own head begins, and where its packed bytes end at the earliest. */
  readonly from: number;
  readonly to: number;
  readonly unpackedBytes: number;
  readonly isLink: boolean;
}

/** The end of a file, where the directory lies: a directory of some ten thousand entries has room. */
const tailBytesMax = 1024 * 1024;
const nameBytesMax = 1024;
/** More than a ticket's reader can want of one archive; a bomb says more, or lets its entries overlap. */
const unpackedBytesMax = 512 * 1024 * 1024;

const endMark = Buffer.from("PK\x05\x06", "latin1");
const endBytes = 22;
const entryMark = 0x02014b50;
const entryBytes = 46;
const headBytes = 30;
const linkType = 0xa000;
/** Instead of a size or a place: it stands elsewhere (ZIP64), which files of this length do not need. */
const elsewhere = 0xffffffff;

const [stored, deflated] = [0, 8];

/** Packed in one of the two ways that every program knows. */
const isPlain = (method: number, packedBytes: number, unpackedBytes: number): boolean =>
  method === deflated || (method === stored && packedBytes === unpackedBytes);

/** Info-ZIP's field with the name in Unicode, which some programs unpack to instead of the entry's own. */
const otherName = 0x7075;

const hasOtherName = (extra: Buffer): boolean => {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2))
    if (extra.readUInt16LE(at) === otherName) return true;
  return false;
};

/** The entry at this place of the directory; undefined: there is none. */
const entryAt = (
  directory: Buffer,
  at: number,
): { readonly entry: ZipEntry; readonly next: number } | undefined => {
  if (at + entryBytes > directory.length || directory.readUInt32LE(at) !== entryMark)
    return undefined;
  const packedBytes = directory.readUInt32LE(at + 20);
  const unpackedBytes = directory.readUInt32LE(at + 24);
  const nameBytes = directory.readUInt16LE(at + 28);
  const from = directory.readUInt32LE(at + 42);
  const nameAt = at + entryBytes;
  const next =
    nameAt + nameBytes + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  if (nameBytes === 0 || nameBytes > nameBytesMax || next > directory.length) return undefined;
  const extra = directory.subarray(nameAt + nameBytes, next - directory.readUInt16LE(at + 32));
  if (!isPlain(directory.readUInt16LE(at + 10), packedBytes, unpackedBytes) || hasOtherName(extra))
    return undefined;
  if ([packedBytes, unpackedBytes, from].includes(elsewhere)) return undefined;
  const entry = {
    name: directory.toString("latin1", nameAt, nameAt + nameBytes),
    from,
    to: from + headBytes + nameBytes + packedBytes,
    unpackedBytes,
    isLink: ((directory.readUInt32LE(at + 38) >>> 16) & 0xf000) === linkType,
  };
  return { entry, next };
};

/**
 * The entries of a ZIP of so many bytes, read from its end as every program reads it; undefined where
 * programs could read it in different ways: a second end in a comment, gaps, parts, a wrong count.
 */
const entriesOf = (tail: Buffer, fileBytes: number): readonly ZipEntry[] | undefined => {
  const endAt = tail.lastIndexOf(endMark);
  if (endAt === -1 || endAt + endBytes > tail.length) return undefined;
  if (endAt + endBytes + tail.readUInt16LE(endAt + 20) !== tail.length) return undefined;
  const count = tail.readUInt16LE(endAt + 10);
  const isWhole = tail.readUInt32LE(endAt + 4) === 0 && tail.readUInt16LE(endAt + 8) === count;
  const directoryBytes = tail.readUInt32LE(endAt + 12);
  const directoryFrom = tail.readUInt32LE(endAt + 16);
  const endFrom = fileBytes - tail.length + endAt;
  if (!isWhole || directoryFrom + directoryBytes !== endFrom || directoryBytes > endAt)
    return undefined;
  const directory = tail.subarray(endAt - directoryBytes, endAt);
  const entries: ZipEntry[] = [];
  let at = 0;
  while (at < directory.length) {
    const found = entryAt(directory, at);
    if (found === undefined || found.entry.to > directoryFrom) return undefined;
    entries.push(found.entry);
    at = found.next;
  }
  return entries.length === count ? entries : undefined;
};

/** That an unpacked entry stays below the folder that its reader chose. */
const staysInside = ({ name, isLink }: ZipEntry): boolean =>
  !isLink && !/[\x00-\x1f\x7f]|^[/\\]|^[a-z]:/i.test(name) && !name.split(/[/\\]/).includes("..");

/** That it can be unpacked: no entry within another, as bombs have them, no name twice, not too much. */
const isHarmless = (entries: readonly ZipEntry[]): boolean => {
  const inOrder = entries.toSorted((one, other) => one.from - other.from);
  const isApart = inOrder.every(({ from }, place) => from >= (inOrder[place - 1]?.to ?? 0));
  const unpackedBytes = entries.reduce((sum, entry) => sum + entry.unpackedBytes, 0);
  const names = new Set(entries.map(({ name }) => name));
  return (
    isApart &&
    unpackedBytes <= unpackedBytesMax &&
    names.size === entries.length &&
    entries.every(staysInside)
  );
};

/** A ZIP whose entries' names are right. */
const zipWith = (isRight: (names: readonly string[]) => boolean): ContentCheck => {
  let fileBytes = 0;
  let tailBytes = 0;
  const tail: Buffer[] = [];
  const directory: ContentCheck = {
    see: (piece) => {
      const bytes = bufferOf(piece);
      tail.push(bytes);
      fileBytes += bytes.length;
      tailBytes += bytes.length;
      while (tailBytes - (tail[0]?.length ?? 0) >= tailBytesMax)
        tailBytes -= tail.shift()?.length ?? 0;
      return true;
    },
    end: () => {
      const entries = entriesOf(Buffer.concat(tail), fileBytes);
      return (
        entries !== undefined && isHarmless(entries) && isRight(entries.map(({ name }) => name))
      );
    },
  };
  const beginning = byBeginning(4, (mark) =>
    /^PK(\x03\x04|\x05\x06)/.test(mark.toString("latin1")),
  );
  return every(beginning, directory);
};

export const zip = (): ContentCheck => zipWith(() => true);

/** An Office document whose parts lie in this folder, without macros. */
export const officeDocument = (folder: "word/" | "xl/"): ContentCheck =>
  zipWith(
    (names) =>
      names.includes("[Content_Types].xml") &&
      names.some((name) => name.startsWith(folder)) &&
      !names.some((name) => /(^|\/)vbaProject\.bin$/i.test(name)),
  );

/** Names in a compound file are one in any case: letters of ASCII as capitals, all other bytes as they are. */
const capitals = (bytes: Buffer): Buffer =>
  Buffer.from(
    bytes.toString("latin1").replace(/[a-z]+/g, (word) => word.toUpperCase()),
    "latin1",
  );

/** Whether these bytes have passed by, in whatever pieces. */
const finder = (wanted: Buffer, { anyCase = false } = {}) => {
  let rest = Buffer.alloc(0);
  let isFound = false;
  return {
    see: (piece: Uint8Array): void => {
      if (isFound) return;
      const bytes = Buffer.concat([rest, piece]);
      isFound = (anyCase ? capitals(bytes) : bytes).includes(wanted);
      rest = Buffer.from(bytes.subarray(Math.max(0, bytes.length - wanted.length + 1)));
    },
    isFound: (): boolean => isFound,
  };
};

/** Signature, version 3 or 4, byte order and the sector's size that goes with the version. */
const compoundFile =
  /^\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1[^]{18}(?:\x03\0\xfe\xff\x09\0|\x04\0\xfe\xff\x0c\0)/;

/** Word's format before 2007: a compound file with a document's stream, without macros. */
export const wordDocument = (): ContentCheck => {
  const document = finder(Buffer.from("WordDocument", "utf16le"));
  const macros = finder(Buffer.from("_VBA_PROJECT", "utf16le"), { anyCase: true });
  const streams: ContentCheck = {
    see: (piece) => {
      document.see(piece);
      macros.see(piece);
      return !macros.isFound();
    },
    end: () => document.isFound(),
  };
  return every(
    byBeginning(32, (beginning) => compoundFile.test(beginning.toString("latin1"))),
    streams,
  );
};
