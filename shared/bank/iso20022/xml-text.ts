/** Writes XML: elements as text, piece by piece, so that a file is never whole in memory. */

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
};

/** Attributes here are currency codes and namespaces, which need no escaping. */
export const leaf = (name: string, text: string, attributes = ""): string =>
  `<${name}${attributes}>${text.replaceAll(/[&<>]/g, (found) => escapes[found] ?? found)}</${name}>`;

export const branch = (name: string, ...children: readonly string[]): string =>
  `<${name}>${children.join("")}</${name}>`;

/** A message of one root element below `Document`, whose first part is followed by the others. */
export function* documentOf(
  namespace: string,
  message: string,
  parts: Iterable<string>,
): Generator<string> {
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="${namespace}"><${message}>\n`;
  for (const part of parts) yield `${part}\n`;
  yield `</${message}></Document>\n`;
}
