/** Sends the requests of a recording and says what came back, in the recording's own form. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { request, type ClientRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { buffer } from "node:stream/consumers";
import { filledIn, type Run } from "./pattern.js";
import type { Answer, RequestBody, Send, SendRaw } from "./recording.js";

/** Longer than any of these answers takes on a busy machine; the genuine host's silence is no shorter. */
const patienceMs = 60_000;
/** The transport's own, or the clock's. */
const unrecorded = new Set(
  "date server keep-alive connection content-length transfer-encoding".split(" "),
);
const keptBytes = 64 * 1024;

const bytesOf = (body: RequestBody): Buffer => {
  if ("text" in body) return Buffer.from(body.text);
  if ("base64" in body) return Buffer.from(body.base64, "base64");
  const bytes = Buffer.alloc(body.length, body.repeated);
  const quote = Buffer.from(body.quoted === true ? '"' : "");
  return Buffer.concat([quote, bytes, quote]);
};

const describeBody = (bytes: Buffer): Partial<Answer> => {
  if (bytes.length === 0) return {};
  const text = bytes.toString();
  const isText = Buffer.from(text).equals(bytes);
  if (isText && /^[[{"]/.test(text))
    try {
      const json = JSON.parse(text) as Answer["json"];
      // All that was recorded is JSON without white space: anything else shows as a text.
      return JSON.stringify(json) === text ? { json } : { text };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  if (bytes.length > keptBytes || (!isText && bytes.length > 256))
    return { length: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
  return isText ? { text } : { base64: bytes.toString("base64") };
};

/** Names and values in turn, as they came. */
const describeHeaders = (raw: readonly string[]): Pick<Answer, "headers"> => {
  const headers: Record<string, string | string[]> = {};
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = "", value = ""] = [raw[at]?.toLowerCase(), raw[at + 1]];
    if (unrecorded.has(name)) continue;
    const earlier = headers[name];
    headers[name] = earlier === undefined ? value : [earlier, value].flat();
  }
  return Object.keys(headers).length === 0 ? {} : { headers };
};

const silence: Answer = { status: 0, text: "no answer in time" };
const cutOff: Answer = { status: 0, text: "cut off" };

const responseTo = async (sent: ClientRequest): Promise<Answer> => {
  const received = once(sent, "response") as Promise<[IncomingMessage]>;
  try {
    const [response] = await received;
    const answer = { status: response.statusCode ?? 0, ...describeHeaders(response.rawHeaders) };
    return { ...answer, ...describeBody(await buffer(response)) };
  } catch (error) {
    // That is an answer, too, and the recording says which was expected.
    if (error instanceof Error && "code" in error) return cutOff;
    throw error;
  }
};

/** One request on a connection of its own. */
export const send = async (base: URL, step: Send, run: Run): Promise<Answer> => {
  const [method = "", path = ""] = filledIn(step.send, run).split(/ (.*)/s);
  const headers = new Map(
    Object.entries(step.headers ?? {}).map(([name, value]) => [
      name,
      typeof value === "string" ? filledIn(value, run) : value,
    ]),
  );
  const body =
    step.json === undefined
      ? step.body && bytesOf(step.body)
      : Buffer.from(filledIn(JSON.stringify(step.json), run));
  if (step.json !== undefined) headers.set("content-type", "application/json");
  if (step.chunked === true) headers.set("transfer-encoding", "chunked");
  else if (body !== undefined) headers.set("content-length", String(body.length));
  const sent = request({
    host: base.hostname,
    port: base.port,
    method,
    path: path.replace(base.origin, ""),
    headers: Object.fromEntries(headers),
    agent: false,
    signal: AbortSignal.timeout(patienceMs),
  });
  sent.end(body);
  return responseTo(sent);
};

const interimHead = /^HTTP\/1\.1 (1\d\d)[^\r]*\r\n\r\n/;

const dechunked = (text: string): string | undefined => {
  let whole = "";
  for (let at = 0; ;) {
    const line = text.indexOf("\r\n", at);
    if (line < 0) return undefined;
    const size = Number.parseInt(text.slice(at, line), 16);
    if (size === 0) return whole;
    whole += text.slice(line + 2, line + 2 + size);
    at = line + 2 + size + 2;
  }
};

/** Undefined while something is missing; `ended` where the connection says that nothing is. */
const parseRaw = (received: string, ended: boolean): Answer | undefined => {
  const interim = interimHead.exec(received);
  const text = received.slice(interim?.[0].length ?? 0);
  const cut = text.indexOf("\r\n\r\n");
  if (cut < 0) return undefined;
  const [line = "", ...fields] = text.slice(0, cut).split("\r\n");
  const raw = fields.flatMap((field) => field.split(/: ?(.*)/s).slice(0, 2));
  const field = (name: string): string | undefined =>
    raw[raw.findIndex((each, at) => at % 2 === 0 && each.toLowerCase() === name) + 1];
  const rest = text.slice(cut + 4);
  const hasField = (name: string): boolean =>
    raw.some((each, at) => at % 2 === 0 && each.toLowerCase() === name);
  const body = hasField("transfer-encoding")
    ? dechunked(rest)
    : ended || (hasField("content-length") && rest.length >= Number(field("content-length")))
      ? rest
      : undefined;
  if (body === undefined) return undefined;
  return {
    status: Number(/^HTTP\/\S+ (\d+)/.exec(line)?.[1] ?? 0),
    ...(interim !== null && { interim: Number(interim[1]) }),
    ...describeHeaders(raw),
    ...describeBody(Buffer.from(body, "latin1")),
  };
};

/** Bytes as they are, for requests that a client library would not send. */
export const sendRaw = async (base: URL, step: SendRaw, run: Run): Promise<Answer> => {
  const socket = connect(Number(base.port), base.hostname);
  let received = "";
  try {
    socket.setTimeout(patienceMs, () => {
      socket.destroy(Object.assign(new Error("It says nothing."), { code: "ETIMEDOUT" }));
    });
    socket.write(filledIn(step.raw, run));
    let { onceContinued } = step;
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      received += chunk.toString("latin1");
      if (onceContinued !== undefined && interimHead.test(received)) {
        socket.write(onceContinued);
        onceContinued = undefined;
      }
      const answer = parseRaw(received, false);
      if (answer !== undefined) return answer;
    }
  } catch (error) {
    // A reset after the answer: what came before it counts.
    if (!(error instanceof Error && "code" in error)) throw error;
    if (error.code === "ETIMEDOUT") return silence;
  } finally {
    socket.destroy();
  }
  return parseRaw(received, true) ?? cutOff;
};
