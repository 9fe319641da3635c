/** JSON as guides show it: several values in a row, and `…` for what is left out. */

/** Stands for any value, any further items, any other fields; at the end of a text for the rest of it. */
export const leftOut = "…";

const parts = /"(?:[^"\\]|\\.)*"|…|[[\]{},:]|[^\s"…[\]{},:]+/g;

/** `…` where JSON has a value or a field becomes a text, or a field of that name. */
const asJson = (tokens: readonly string[]): string[] => {
  const open: string[] = [];
  return tokens.map((token, place) => {
    if (token === "{" || token === "[") open.push(token);
    if (token === "}" || token === "]") open.pop();
    if (token !== leftOut) return token;
    const isField = open.at(-1) === "{" && tokens[place - 1] !== ":";
    return isField ? `"${leftOut}":null` : `"${leftOut}"`;
  });
};

/** The values that stand one after the other in a text; SyntaxError where it is no JSON but for `…`. */
export const shownValues = (text: string): unknown[] => {
  const values: unknown[] = [];
  let value = "";
  let depth = 0;
  for (const token of asJson(text.match(parts) ?? [])) {
    if (token === "{" || token === "[") depth += 1;
    if (token === "}" || token === "]") depth -= 1;
    value += token;
    if (depth > 0) continue;
    values.push(JSON.parse(value));
    value = "";
  }
  if (value !== "") throw new SyntaxError(`The JSON is not closed: ${text}`);
  return values;
};
