/** Texts of declarations: doc comments, names. */

export const docComment = (...parts: readonly string[]): string => {
  const lines = parts
    .filter((part) => part !== "")
    .join("\n\n")
    .replaceAll("*/", "*\\/")
    .split("\n");
  return lines.length === 1
    ? `/** ${lines.join("")} */\n`
    : `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join("\n")}\n */\n`;
};

export const indented = (text: string): string => text.replace(/^(?=.)/gm, "  ");

export const pascal = (id: string): string => id.charAt(0).toUpperCase() + id.slice(1);

/** A union of string literals. */
export const unionOf = (words: readonly (string | number)[]): string =>
  words.length === 0 ? "never" : words.map((word) => JSON.stringify(word)).join(" | ");
