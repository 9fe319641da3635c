/** Text by its bytes: plain in one of several codes, JSON, a message as mail programs keep it. */
import { bufferOf, byBeginning, every, pdf, type ContentCheck } from "./content-checks.js";

/** Tab, line feed, form feed, carriage return: all that text needs below the space. */
const isTextByte = (byte: number): boolean =>
  byte >= 0x20 ? byte !== 0x7f : byte === 0x09 || byte === 0x0a || byte === 0x0c || byte === 0x0d;

const isText = (piece: Uint8Array): boolean => {
  for (const byte of piece) if (!isTextByte(byte)) return false;
  return true;
};

/** In UTF-8 or an older code of one byte per character. */
const textOfBytes = (): ContentCheck => ({ see: isText, end: () => true });

/** Hands each piece on as text; false where the bytes are none in this code. */
const decoded = (code: string, take: (text: string) => boolean): ContentCheck => {
  const decoder = new TextDecoder(code, { fatal: true });
  const decode = (piece?: Uint8Array): boolean => {
    try {
      return take(decoder.decode(piece, { stream: piece !== undefined }));
    } catch {
      return false;
    }
  };
  return { see: decode, end: () => decode() };
};

/** The same characters that are no text byte, and U+FFFE, which a text in the other order begins with. */
const noText = /[^\P{Cc}\t\n\f\r\u0080-\u009f]|\ufffe/u;

/** By the mark that these texts begin with: without it nobody could tell them from other files. */
const codeOf = (mark: Buffer): string | undefined => {
  if (mark.length < 2) return undefined;
  if (mark[0] === 0xff && mark[1] === 0xfe) return "utf-16le";
  return mark[0] === 0xfe && mark[1] === 0xff ? "utf-16be" : undefined;
};

const textInAnyCode = (): ContentCheck => {
  let mark = Buffer.alloc(0);
  let chosen: ContentCheck | undefined;
  const choose = (): ContentCheck => {
    const code = codeOf(mark);
    return code === undefined ? textOfBytes() : decoded(code, (text) => !noText.test(text));
  };
  return {
    see: (piece) => {
      if (chosen !== undefined) return chosen.see(piece);
      mark = Buffer.concat([mark, bufferOf(piece)]);
      if (mark.length < 2) return true;
      chosen = choose();
      return chosen.see(mark);
    },
    end: () => chosen?.end() ?? isText(mark),
  };
};

/** What passes the other check is not this. */
const not = (other: ContentCheck): ContentCheck => {
  let couldBeOther = true;
  return {
    see: (piece) => {
      couldBeOther = couldBeOther && other.see(piece);
      return true;
    },
    end: () => !(couldBeOther && other.end()),
  };
};

/** UTF-8, UTF-16 with its mark, or an older code of one byte; not one that is a PDF by its beginning. */
export const plainText = (): ContentCheck => every(textInAnyCode(), not(pdf()));

const jsonBeginning = /^[[{"\-\dtfn]/;
const jsonEnd = /[\]}"\del]$/;

/** UTF-8 text that begins and ends as JSON does; its inside is the reader's business. */
export const jsonText = (): ContentCheck => {
  let begun = false;
  let last = "";
  const utf8 = decoded("utf-8", (text) => {
    const trimmed = text.trim();
    if (trimmed === "") return true;
    last = trimmed;
    if (begun) return true;
    begun = true;
    return jsonBeginning.test(trimmed);
  });
  return {
    see: (piece) => isText(piece) && utf8.see(piece),
    end: () => utf8.end() && jsonEnd.test(last),
  };
};

const headBytesMax = 64 * 1024;
const field = /^[!-9;-~]+[ \t]*:/;
const sender = /^from[ \t]*:/i;
const otherField = /^(date|received|subject|to|message-id|mime-version)[ \t]*:/i;

/** Fields of RFC 5322, a sender among them, as far as an empty line; longer heads are read so far. */
const isHead = (beginning: Buffer): boolean => {
  const text = beginning.toString("latin1").replace(/^\xef\xbb\xbf/, "");
  const lines = text.split(/\r?\n/);
  const end = lines.indexOf("");
  // Where the beginning is cut, so may be its last line.
  const head = lines.slice(0, end === -1 && text.length >= headBytesMax - 3 ? -1 : end);
  const fields = head.filter((line) => !/^[ \t]/.test(line));
  return (
    fields[0] === head[0] &&
    fields.every((line) => field.test(line)) &&
    fields.some((line) => sender.test(line)) &&
    fields.some((line) => otherField.test(line))
  );
};

/** A message as mail programs keep it (RFC 5322). */
export const mailMessage = (): ContentCheck =>
  every(textOfBytes(), byBeginning(headBytesMax, isHead));
