// The call that the form describes, as a line for a terminal and as a program for Node.
const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

const shownToken = (name, value) => (name === "Authorization" ? "Bearer $TOKEN" : value);

const isText = (body) => typeof body === "string";

const curl = ({ method, url, headers, body }) =>
  [
    `curl -X ${method} ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => {
      const line = `${name}: ${shownToken(name, value)}`;
      return `  -H ${name === "Authorization" ? `"${line}"` : quoted(line)}`;
    }),
    ...(body === undefined
      ? []
      : [isText(body) ? `  -d ${quoted(body)}` : "  --data-binary @FILE"]),
  ].join(" \\\n");

const jsonOf = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return undefined;
  }
};

const nodeBody = (body) => {
  if (!isText(body)) return `await readFile("FILE")`;
  const json = jsonOf(body);
  return json === undefined
    ? JSON.stringify(body)
    : `JSON.stringify(${json.replaceAll("\n", "\n  ")})`;
};

const node = ({ method, url, headers, body, isBinaryAnswer }) => {
  const lines = Object.entries(headers).map(([name, value]) =>
    name === "Authorization"
      ? "    Authorization: `Bearer ${process.env.TOKEN}`,"
      : `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
  );
  return [
    ...(body === undefined || isText(body)
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

export const samples = { curl, node };
