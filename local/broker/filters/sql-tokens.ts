/** Cuts the text of a SQL filter into tokens. */
import { BrokerError, conditions } from "../errors.js";

export type Token =
  | { readonly kind: "word"; readonly text: string }
  | { readonly kind: "name"; readonly text: string }
  | { readonly kind: "symbol"; readonly text: string }
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "number"; readonly value: number };

export const filterError = (message: string): BrokerError =>
  new BrokerError(conditions.invalidField, `The filter expression is not valid: ${message}.`);

const pattern =
  /\s*(?:(?<text>'(?:[^']|'')*')|(?<name>\[(?:[^\]]|\]\])+\]|"(?:[^"]|"")+")|(?<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)|(?<word>[A-Za-z_][\w$]*)|(?<symbol><>|!=|<=|>=|[=<>()+\-*/%,.;]))/y;

const tokenOf = (groups: Readonly<Record<string, string | undefined>>): Token => {
  const { text, name, number, word, symbol } = groups;
  if (text !== undefined) return { kind: "text", value: text.slice(1, -1).replaceAll("''", "'") };
  if (name !== undefined) {
    const inner = name.slice(1, -1);
    return {
      kind: "name",
      text: name.startsWith("[") ? inner.replaceAll("]]", "]") : inner.replaceAll('""', '"'),
    };
  }
  if (number !== undefined) return { kind: "number", value: Number(number) };
  if (word !== undefined) return { kind: "word", text: word };
  return { kind: "symbol", text: symbol ?? "" };
};

export const tokensOf = (expression: string): Token[] => {
  const tokens: Token[] = [];
  const end = expression.trimEnd().length;
  pattern.lastIndex = 0;
  while (pattern.lastIndex < end) {
    const at = pattern.lastIndex;
    const match = pattern.exec(expression);
    if (match?.groups === undefined) throw filterError(`unexpected text at position ${at + 1}`);
    tokens.push(tokenOf(match.groups));
  }
  return tokens;
};
