/** The call that the form describes, as a line for a terminal and as a program for Node. */
import type { Request } from "./requests.js";

export interface SampleCall extends Request {
  readonly isBinaryAnswer: boolean;
}

const tokenHeader = "Authorization";

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const curl = ({ method, url, headers, body }: SampleCall): string =>
  [
    `curl -X ${method} ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) =>
      name === tokenHeader
        ? `  -H "${tokenHeader}: Bearer $TOKEN"`
        : `  -H ${quoted(`${name}: ${value}`)}`,
    ),
    ...(body === undefined
      ? []
      : [typeof body === "string" ? `  -d ${quoted(body)}` : "  --data-binary @FILE"]),
  ].join(" \\\n");

const indented = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2).replaceAll("\n", "\n  ");
  } catch {
    return "";
  }
};

const nodeBody = (body: string | File): string => {
  if (typeof body !== "string") return `await readFile("FILE")`;
  const json = indented(body);
  return json === "" ? JSON.stringify(body) : `JSON.stringify(${json})`;
};

const node = ({ method, url, headers, body, isBinaryAnswer }: SampleCall): string => {
  const lines = Object.entries(headers).map(([name, value]) =>
    name === tokenHeader
      ? "    Authorization: `Bearer ${process.env.TOKEN}`,"
      : `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
  );
  return [
    ...(body === undefined || typeof body === "string"
      ? []
      : ['import { readFile } from "node:fs/promises";', ""]),
    `const answer = await fetch(${JSON.stringify(url)}, {`,
    `  method: "${method}",`,
    ...(lines.length === 0 ? [] : ["  headers: {", ...lines, "  },"]),
    ...(body === undefined ? [] : [`  body: ${nodeBody(body)},`]),
    "});",
    isBinaryAnswer
      ? "console.log(answer.status, new Uint8Array(await answer.arrayBuffer()));"
      : "console.log(answer.status, await answer.json());",
  ].join("\n");
};

export const samples: Readonly<Record<string, (call: SampleCall) => string>> = { curl, node };
