/** LIKE of SQL filters: `%` stands for any run of characters, `_` for one; in time linear in the text per run. */

interface Part {
  readonly kind: "run" | "one" | "literal";
  readonly character: string;
}

const partsOf = (pattern: string, escape: string | null): readonly Part[] => {
  const parts: Part[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const isEscaped = pattern[at] === escape && at + 1 < pattern.length;
    if (isEscaped) at += 1;
    const character = pattern[at] ?? "";
    const kind = isEscaped
      ? "literal"
      : character === "%"
        ? "run"
        : character === "_"
          ? "one"
          : "literal";
    parts.push({ kind, character });
  }
  return parts;
};

/**
 * Compiles a pattern. Only the last run that was met is ever taken back: whatever the parts before it
 * matched first is never in the way of a later match, so no pattern makes it search again and again.
 */
export const likeMatcher = (
  pattern: string,
  escape: string | null,
): ((text: string) => boolean) => {
  const parts = partsOf(pattern, escape);
  return (text) => {
    let part = 0;
    let at = 0;
    let partAfterRun = -1;
    let endOfRun = 0;
    while (at < text.length) {
      const wanted = parts[part];
      if (wanted?.kind === "run") {
        part += 1;
        partAfterRun = part;
        endOfRun = at;
      } else if (wanted?.kind === "one" || wanted?.character === text[at]) {
        part += 1;
        at += 1;
      } else if (partAfterRun >= 0) {
        part = partAfterRun;
        endOfRun += 1;
        at = endOfRun;
      } else return false;
    }
    return parts.slice(part).every(({ kind }) => kind === "run");
  };
};
