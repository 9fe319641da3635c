/** Reads CSV back as RFC 4180 says, so that no test trusts the writer's own idea of it. */

export const readCsv = (text: string): string[][] => {
  const lines: string[][] = [];
  let line: string[] = [];
  let rest = text;
  while (rest !== "") {
    const match = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/.exec(rest);
    if (match === null) throw new Error(`no CSV: ${rest.slice(0, 80)}`);
    const [whole, quoted, plain = "", end] = match;
    line.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === "\r\n") {
      lines.push(line);
      line = [];
    }
    rest = rest.slice(whole.length);
  }
  if (line.length > 0) throw new Error("the last line has no end");
  return lines;
};

/** `-0.05` as -5n; refuses what is no amount with two decimals. */
export const centsOfText = (text: string): bigint => {
  const match = /^(-?)(\d+)\.(\d\d)$/.exec(text);
  if (match === null) throw new Error(`no amount: ${text}`);
  const [, sign, euros = "", cents = ""] = match;
  return BigInt(`${sign ?? ""}${euros}${cents}`);
};
