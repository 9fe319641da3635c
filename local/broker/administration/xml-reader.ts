/** Reads the small XML documents of administrators; document types and entities are refused. */
import sax from "sax";
import { BrokerError, conditions } from "../errors.js";

export interface Element {
  /** Without prefix. */
  readonly name: string;
  /** What `xsi:type` says, without prefix. */
  readonly type: string | undefined;
  readonly children: Element[];
  text: string;
}

const depthMax = 16;
const elementsMax = 5_000;
const attributesMax = 16;
const instanceNamespace = "http://www.w3.org/2001/XMLSchema-instance";

/** Only the five entities of XML itself; its types do not know that option. */
const options = { xmlns: true, strictEntities: true };

const fail = (what: string): never => {
  throw new BrokerError(conditions.invalidField, `SubCode=40000. The body is not valid: ${what}.`);
};

const withoutPrefix = (name: string): string => name.slice(name.indexOf(":") + 1);

const typeOf = (tag: sax.Tag | sax.QualifiedTag): string | undefined => {
  if (!("uri" in tag)) return undefined;
  const type = Object.values(tag.attributes).find(
    ({ local, uri }) => local === "type" && uri === instanceNamespace,
  );
  return type === undefined ? undefined : withoutPrefix(type.value);
};

/** The document's root element. Its size is bounded by who reads the bytes. */
export const readXml = (bytes: Uint8Array): Element => {
  const parser = sax.parser(true, options);
  const root: Element = { name: "", type: undefined, children: [], text: "" };
  const open: Element[] = [root];
  let elements = 0;
  let attributes = 0;
  parser.onopentagstart = () => (attributes = 0);
  parser.onattribute = () => {
    attributes += 1;
    if (attributes > attributesMax) fail(`an element has more than ${attributesMax} attributes`);
  };
  parser.onopentag = (tag) => {
    elements += 1;
    if (open.length > depthMax) fail(`elements lie more than ${depthMax} deep`);
    if (elements > elementsMax) fail(`there are more than ${elementsMax} elements`);
    const element = { name: withoutPrefix(tag.name), type: typeOf(tag), children: [], text: "" };
    open.at(-1)?.children.push(element);
    open.push(element);
  };
  parser.onclosetag = () => void open.pop();
  const takeText = (text: string): void => {
    const element = open.at(-1);
    if (element !== undefined) element.text += text;
  };
  parser.ontext = takeText;
  parser.oncdata = takeText;
  parser.ondoctype = () => fail("a document type is not allowed");
  parser.onerror = ({ message }) => fail(message.split("\n")[0] ?? "it is no XML");
  let text = "";
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    fail("it is not UTF-8");
  }
  parser.write(text).close();
  return root.children[0] ?? fail("it is empty");
};

export const child = (element: Element | undefined, name: string): Element | undefined =>
  element?.children.find((each) => each.name === name);

/** The text of a child; undefined where there is none, or one that is empty. */
export const childText = (element: Element | undefined, name: string): string | undefined => {
  const text = child(element, name)?.text ?? "";
  return text === "" ? undefined : text;
};
