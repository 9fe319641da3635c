/**
 * Reads a message of the bank's part by part, however large the file: no more of it is in memory than one
 * part. Document types and entities are refused, so that nothing in a file can grow or reach out.
 */
import sax from "sax";
import { BankFileError } from "./bank-file-error.js";
import type { Element } from "./element.js";
import { expectedNamespaces, shapeOf, type MessageShape } from "./messages.js";

/** What a file and its parts may have; the largest real ones have about a tenth of it. */
export const readingLimits = {
  fileBytes: 1024 ** 3,
  depth: 32,
  /** Of one part, and its texts together. */
  elements: 2_000,
  characters: 64 * 1024,
  /** Of one text, as no text of these messages has more. */
  text: 2_048,
  attributes: 16,
  parts: 3_000_000,
} as const;

export type MessagePart =
  | { readonly is: "open"; readonly path: string }
  | { readonly is: "close"; readonly path: string }
  | { readonly is: "part"; readonly path: string; readonly element: Element };

/** The characters that XML forbids, which character references smuggle in. */
const forbidden = /[\0-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/u;

/** What nobody here reads: extensions of other standards, in namespaces of their own. */
const skipped = "SplmtryData";

interface Reading {
  readonly parser: sax.SAXParser;
  readonly take: () => MessagePart[];
  readonly shape: () => MessageShape | undefined;
}

/** Only the five entities of XML itself; its types do not know that option. */
const options = { xmlns: true, strictEntities: true };

const startReading = (): Reading => {
  const parser = sax.parser(true, options);
  /** Names from the message's root element on; without `Document`. */
  const path: string[] = [];
  let shape: MessageShape | undefined;
  let namespace = "";
  let depth = 0;
  let skipping = 0;
  let parts = 0;
  let open: Element[] = [];
  let elements = 0;
  let characters = 0;
  let found: MessagePart[] = [];

  const fail = (what: string): never => {
    const where = ["Document", ...path, ...open.slice(1).map(({ name }) => name)].join("/");
    throw new BankFileError(`Line ${(parser.line + 1).toString()}, in ${where}: ${what}.`);
  };
  const pathBelowRoot = (): string => path.slice(1).join("/");

  const openDocument = (tag: sax.QualifiedTag): void => {
    shape = shapeOf(tag.uri);
    namespace = tag.uri;
    if (tag.local !== "Document" || shape === undefined)
      fail(`the file must be a Document in one of the namespaces ${expectedNamespaces}`);
  };

  const openPart = (tag: sax.QualifiedTag): void => {
    elements += 1;
    if (elements > readingLimits.elements)
      fail(`a part has more than ${readingLimits.elements.toString()} elements`);
    const attributes = Object.fromEntries(
      Object.values(tag.attributes).map(({ local, value }) => [local, value]),
    );
    const element: Element = { name: tag.local, attributes, children: [], text: "" };
    open.at(-1)?.children.push(element);
    open.push(element);
  };

  const openBelowDocument = (tag: sax.QualifiedTag): void => {
    if (tag.uri !== namespace) fail(`${tag.name} is in another namespace than the message`);
    if (open.length > 0) {
      openPart(tag);
      return;
    }
    path.push(tag.local);
    if (path.length === 1) {
      if (tag.local !== shape?.root) fail(`the message must be a ${shape?.root ?? ""}`);
      return;
    }
    if (shape?.containers.has(pathBelowRoot()) === true) {
      found.push({ is: "open", path: pathBelowRoot() });
      return;
    }
    parts += 1;
    if (parts > readingLimits.parts)
      fail(`the file has more than ${readingLimits.parts.toString()} parts`);
    elements = 0;
    characters = 0;
    openPart(tag);
  };

  parser.onopentag = (tag) => {
    depth += 1;
    if (depth > readingLimits.depth)
      fail(`elements lie more than ${readingLimits.depth.toString()} deep`);
    if (skipping > 0) {
      skipping += 1;
      return;
    }
    if (!("uri" in tag)) return;
    if (depth === 1) openDocument(tag);
    else if (tag.local === skipped && depth > 2) skipping = 1;
    else openBelowDocument(tag);
  };
  parser.onclosetag = () => {
    depth -= 1;
    if (skipping > 0) {
      skipping -= 1;
      return;
    }
    if (depth === 0) return;
    if (open.length > 1) {
      open.pop();
      return;
    }
    const [element] = open;
    const closed = pathBelowRoot();
    open = [];
    path.pop();
    if (element !== undefined) found.push({ is: "part", path: closed, element });
    else if (path.length > 0) found.push({ is: "close", path: closed });
  };
  const takeText = (text: string): void => {
    if (skipping > 0) return;
    const element = open.at(-1);
    if (element === undefined) {
      if (text.trim() !== "") fail("there is text between the elements");
      return;
    }
    element.text += text;
    characters += text.length;
    if (element.text.length > readingLimits.text || characters > readingLimits.characters)
      fail("a text is longer than any that these messages have");
    if (forbidden.test(text)) fail("a text holds a character that XML forbids");
  };
  parser.ontext = takeText;
  parser.oncdata = takeText;
  let attributes = 0;
  parser.onopentagstart = () => {
    attributes = 0;
  };
  parser.onattribute = () => {
    attributes += 1;
    if (attributes > readingLimits.attributes)
      fail(`an element has more than ${readingLimits.attributes.toString()} attributes`);
  };
  parser.ondoctype = () => fail("a document type is not allowed");
  parser.onprocessinginstruction = ({ name, body }) => {
    const encoding = /encoding\s*=\s*["']([^"']*)["']/.exec(body)?.[1];
    if (name === "xml" && encoding !== undefined && !/^(utf-8|us-ascii)$/i.test(encoding))
      fail("the file must be in UTF-8");
  };
  parser.onerror = ({ message }) => fail(message.split("\n")[0] ?? "this is no XML");
  return {
    parser,
    take: () => {
      const taken = found;
      found = [];
      return taken;
    },
    shape: () => shape,
  };
};

/** So much may pass without an element or text in it: start tags and comments are far shorter. */
const silentCharactersMax = 16 * 1024;

export interface OpenMessage {
  readonly shape: MessageShape;
  readonly parts: MessagePart[];
}

/**
 * The message's parts in the order of the file, in lots as they are read; each lot names the message.
 * Throws a BankFileError where the file is not well formed, not of a known message, or beyond a limit.
 */
export async function* readParts(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<OpenMessage> {
  const { parser, take, shape } = startReading();
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let total = 0;
  let silent = 0;
  const decoded = (chunk?: Uint8Array): string => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch {
      throw new BankFileError(
        `The file must be in UTF-8; the bytes before ${total.toString()} are not.`,
      );
    }
  };
  const lot = (): OpenMessage | undefined => {
    const known = shape();
    const parts = take();
    return known === undefined || parts.length === 0 ? undefined : { shape: known, parts };
  };
  for await (const chunk of bytes) {
    total += chunk.byteLength;
    if (total > readingLimits.fileBytes)
      throw new BankFileError(
        `The file has more than ${readingLimits.fileBytes.toString()} bytes.`,
      );
    const text = decoded(chunk);
    const before = parser.startTagPosition;
    parser.write(text);
    silent = parser.startTagPosition === before ? silent + text.length : 0;
    if (silent > silentCharactersMax)
      throw new BankFileError(
        `Line ${(parser.line + 1).toString()}: an element or text is longer than any that these messages have.`,
      );
    const next = lot();
    if (next !== undefined) yield next;
  }
  parser.write(decoded()).close();
  if (shape() === undefined) throw new BankFileError("The file holds no message.");
  const last = lot();
  if (last !== undefined) yield last;
}
