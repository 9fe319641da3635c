/** Tells by its bytes whether a file is what its extension says, while the bytes pass by. */

/** Looks at a file once, from its first byte to its last. */
export interface ContentCheck {
  /** False: it is another kind of file; nothing more needs to be looked at. */
  see(piece: Uint8Array): boolean;
  /** Whether all that passed by was such a file. */
  end(): boolean;
}

type Byte = number | null;

const bytesOf = (text: string): number[] => Array.from(text, (char) => char.charCodeAt(0));

/** A file that begins with these bytes, whatever null stands for. */
export const beginsWith = (beginning: readonly Byte[]): ContentCheck => {
  let seen = 0;
  return {
    see: (piece) => {
      for (let index = 0; index < piece.length && seen < beginning.length; index += 1) {
        const expected = beginning[seen];
        if (expected !== null && piece[index] !== expected) return false;
        seen += 1;
      }
      return true;
    },
    end: () => seen === beginning.length,
  };
};

export const pdf = (): ContentCheck => beginsWith(bytesOf("%PDF-"));
export const png = (): ContentCheck => beginsWith(bytesOf("\x89PNG\r\n\x1a\n"));
export const jpeg = (): ContentCheck => beginsWith([0xff, 0xd8, 0xff]);
export const webp = (): ContentCheck =>
  beginsWith([...bytesOf("RIFF"), null, null, null, null, ...bytesOf("WEBP")]);

/** Tab, line feed, form feed, carriage return: all that text needs below the space. */
const isTextByte = (byte: number): boolean =>
  byte >= 0x20 ? byte !== 0x7f : byte === 0x09 || byte === 0x0a || byte === 0x0c || byte === 0x0d;

const isText = (piece: Uint8Array): boolean => {
  for (const byte of piece) if (!isTextByte(byte)) return false;
  return true;
};

/** Text in UTF-8 or an older code of one byte per character; not one that is a PDF by its beginning. */
export const plainText = (): ContentCheck => {
  const otherKind = pdf();
  let couldBeOther = true;
  return {
    see: (piece) => {
      couldBeOther = couldBeOther && otherKind.see(piece);
      return isText(piece);
    },
    end: () => !(couldBeOther && otherKind.end()),
  };
};

const jsonBeginning = /^[[{"\-\dtfn]/;
const jsonEnd = /[\]}"\del]$/;

/** UTF-8 text that begins and ends as JSON does; its inside is the reader's business. */
export const jsonText = (): ContentCheck => {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let begun = false;
  let last = "";
  const take = (text: string): boolean => {
    const trimmed = text.trim();
    if (trimmed === "") return true;
    last = trimmed;
    if (begun) return true;
    begun = true;
    return jsonBeginning.test(trimmed);
  };
  const decode = (piece?: Uint8Array): boolean => {
    try {
      return take(decoder.decode(piece, { stream: piece !== undefined }));
    } catch {
      return false;
    }
  };
  return {
    see: (piece) => isText(piece) && decode(piece),
    end: () => decode() && jsonEnd.test(last),
  };
};

/** The head of an entry in a ZIP's directory, and where it says how long the entry's name is. */
const entryMark = Buffer.from("PK\x01\x02", "latin1");
const entryHeadBytes = 46;
const nameLengthAt = 28;
const nameBytesMax = 1024;

/** Names of a ZIP's entries, read from the directory at its end as it passes by. */
const zipNames = (onName: (name: string) => void): ((piece: Uint8Array) => void) => {
  let rest = Buffer.alloc(0);
  return (piece) => {
    const bytes =
      rest.length === 0
        ? Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
        : Buffer.concat([rest, piece]);
    let from = Math.max(0, bytes.length - entryMark.length + 1);
    for (let at = bytes.indexOf(entryMark); at >= 0; at = bytes.indexOf(entryMark, at + 1)) {
      const nameAt = at + entryHeadBytes;
      const nameBytes = nameAt <= bytes.length ? bytes.readUInt16LE(at + nameLengthAt) : 0;
      if (nameBytes > nameBytesMax) continue;
      if (nameAt + nameBytes > bytes.length || nameAt > bytes.length) {
        from = at;
        break;
      }
      onName(bytes.toString("utf8", nameAt, nameAt + nameBytes));
    }
    rest = Buffer.from(bytes.subarray(from));
  };
};

/** An Office document whose parts lie in this folder, without macros. */
export const officeDocument = (folder: "word/" | "xl/"): ContentCheck => {
  const zip = beginsWith([...bytesOf("PK"), 0x03, 0x04]);
  let hasContentTypes = false;
  let hasFolder = false;
  let hasMacros = false;
  const read = zipNames((name) => {
    hasContentTypes ||= name === "[Content_Types].xml";
    hasFolder ||= name.startsWith(folder);
    hasMacros ||= /(^|\/)vbaProject\.bin$/i.test(name);
  });
  return {
    see: (piece) => {
      if (!zip.see(piece)) return false;
      read(piece);
      return !hasMacros;
    },
    end: () => zip.end() && hasContentTypes && hasFolder,
  };
};
