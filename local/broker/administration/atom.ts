/** Writes the Atom documents that administrators are answered with. */

const namespaces = {
  atom: "http://www.w3.org/2005/Atom",
  content: "http://schemas.microsoft.com/netservices/2010/10/servicebus/connect",
  instance: "http://www.w3.org/2001/XMLSchema-instance",
  counts: "http://schemas.microsoft.com/netservices/2011/06/servicebus",
} as const;

const special: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** What XML cannot say is left out; line ends are written so that a reader does not change them. */
export const escaped = (text: string): string =>
  text
    .replaceAll(/[\0-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "")
    .replaceAll(/[&<>"']/g, (character) => special[character] ?? "")
    .replaceAll("\r", "&#13;");

/** An element whose content is written already. */
export const element = (name: string, content: string, attributes = ""): string =>
  `<${name}${attributes === "" ? "" : ` ${attributes}`}>${content}</${name}>`;

export const textElement = (name: string, text: string, attributes = ""): string =>
  element(name, escaped(text), attributes);

/** Elements of a record of texts. */
export const fieldElements = (fields: Readonly<Record<string, string>>): string =>
  Object.entries(fields)
    .map(([name, text]) => textElement(name, text))
    .join("");

/** The counts of messages: clients look for the prefix that this element declares. */
export const countDetails = (counts: Readonly<Record<string, number>>): string =>
  element(
    "CountDetails",
    Object.entries(counts)
      .map(([name, count]) => textElement(`d2p1:${name}`, String(count)))
      .join(""),
    `xmlns:d2p1="${namespaces.counts}"`,
  );

export interface Entry {
  /** Its last segments are how clients know which entity it is. */
  readonly address: string;
  readonly title: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** The element that describes the entity, such as `QueueDescription`. */
  readonly root: string;
  readonly content: string;
}

const time = (ms: number): string => new Date(ms).toISOString();

const entryContent = ({ address, title, createdAtMs, updatedAtMs, root, content }: Entry): string =>
  textElement("id", address) +
  textElement("title", title, 'type="text"') +
  textElement("published", time(createdAtMs)) +
  textElement("updated", time(updatedAtMs)) +
  `<link rel="self" href="${escaped(address)}"/>` +
  element(
    "content",
    element(root, content, `xmlns="${namespaces.content}" xmlns:i="${namespaces.instance}"`),
    'type="application/xml"',
  );

export const entryDocument = (entry: Entry): string =>
  element("entry", entryContent(entry), `xmlns="${namespaces.atom}"`);

export interface Feed {
  readonly address: string;
  readonly title: string;
  readonly updatedAtMs: number;
  /** Where the next page is; undefined on the last one. */
  readonly next: string | undefined;
  readonly entries: readonly Entry[];
}

export const feedDocument = ({ address, title, updatedAtMs, next, entries }: Feed): string =>
  element(
    "feed",
    textElement("title", title, 'type="text"') +
      textElement("id", address) +
      textElement("updated", time(updatedAtMs)) +
      `<link rel="self" href="${escaped(address)}"/>` +
      (next === undefined ? "" : `<link rel="next" href="${escaped(next)}"/>`) +
      entries.map((entry) => element("entry", entryContent(entry))).join(""),
    `xmlns="${namespaces.atom}"`,
  );

export const errorDocument = (code: number, detail: string): string =>
  element("Error", textElement("Code", String(code)) + textElement("Detail", detail));
