/** Where a text stops being JSON, in the words and with the counting of the service's parser. */

export interface JsonFault {
  /** The text ends too early; otherwise a character is wrong. */
  readonly isTruncated: boolean;
  /** What was open where it happened. */
  readonly container: "object" | "array" | "none";
  /** Such as `Path 'a.b[1]', line 1, position 5`. */
  readonly place: string;
  /** The character that is wrong; empty at the end of the text. */
  readonly character: string;
}

interface Level {
  readonly kind: "object" | "array";
  key: string;
  index: number;
}

const atom = /(?:"(?:[^"\\\n]|\\.)*"|true|false|null|-?\d[\d.eE+-]*)/uy;

const pathOf = (levels: readonly Level[]): string =>
  levels.reduce(
    (path, { kind, key, index }) =>
      kind === "array"
        ? `${path}[${index}]`
        : key === ""
          ? path
          : path === ""
            ? key
            : `${path}.${key}`,
    "",
  );

/** Reads token by token, as far as it goes; whether the order of tokens is right shows on the way. */
export const jsonFault = (text: string): JsonFault => {
  const levels: Level[] = [];
  let at = 0;
  let wantsKey = false;
  for (; at < text.length;) {
    const character = text[at] ?? "";
    const level = levels.at(-1);
    if (/\s/u.test(character)) at++;
    else if (character === "{" || character === "[") {
      levels.push({ kind: character === "{" ? "object" : "array", key: "", index: 0 });
      wantsKey = character === "{";
      at++;
    } else if (level !== undefined && (character === "}" || character === "]")) {
      levels.pop();
      wantsKey = false;
      at++;
    } else if (level !== undefined && character === ",") {
      level.index++;
      wantsKey = level.kind === "object";
      at++;
    } else if (level?.kind === "object" && character === ":") {
      at++;
    } else {
      atom.lastIndex = at;
      const [token] = atom.exec(text) ?? [];
      if (token === undefined) break;
      if (wantsKey && level !== undefined) level.key = token.slice(1, -1);
      wantsKey = false;
      at += token.length;
    }
  }
  const before = text.slice(0, at);
  const line = at === 0 ? 0 : before.split("\n").length;
  const position = at - (before.lastIndexOf("\n") + 1);
  return {
    isTruncated: at >= text.length,
    container: levels.at(-1)?.kind ?? "none",
    place: `Path '${pathOf(levels)}', line ${line}, position ${position}`,
    character: text[at] ?? "",
  };
};
