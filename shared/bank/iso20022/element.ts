/** A part of a message in memory: small, bounded by its reader, asked by path. */
import { BankFileError } from "./bank-file-error.js";

export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

/** The elements at a path such as `RmtInf/Ustrd`, in their order. */
export const elementsAt = (element: Element, path: string): readonly Element[] => {
  let found: readonly Element[] = [element];
  for (const name of path.split("/"))
    found = found.flatMap(({ children }) => children.filter((child) => child.name === name));
  return found;
};

const firstAt = (
  { children }: Element,
  names: readonly string[],
  place: number,
): Element | undefined => {
  for (const child of children) {
    if (child.name !== names[place]) continue;
    const found = place === names.length - 1 ? child : firstAt(child, names, place + 1);
    if (found !== undefined) return found;
  }
  return undefined;
};

export const elementAt = (element: Element, path: string): Element | undefined =>
  firstAt(element, path.split("/"), 0);

/** The trimmed text of the first element at one of these paths that has any. */
export const textAt = (element: Element, ...paths: readonly string[]): string | undefined => {
  for (const path of paths) {
    const text = elementAt(element, path)?.text.trim();
    if (text !== undefined && text !== "") return text;
  }
  return undefined;
};

export const textNeeded = (element: Element, path: string, place: string): string => {
  const text = textAt(element, path);
  if (text === undefined) throw new BankFileError(`${place} lacks ${path}.`);
  return text;
};
