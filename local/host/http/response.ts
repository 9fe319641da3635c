/** Writes what a function returned to the connection, as the genuine host would answer. */
import type { ServerResponse } from "node:http";
import type { HttpResponse, HttpResponseInit } from "@azure/functions";
import type { FunctionsLibrary } from "../app/loader.js";
import type { HttpData } from "../app/core-types.js";
import type { PlainResponse } from "./plain-response.js";
import { bufferedCookie, streamedCookie } from "./set-cookie.js";

export const invocationIdHeader = "x-ms-invocation-id";

/** A response whose head cannot be written. */
class ResponseHeaderError extends Error {
  override readonly name = "ResponseHeaderError";
}

const connectionHeaders = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "trailers",
  "transfer-encoding",
  "upgrade",
]);

/** Those that the answer has unless it brings its own. */
export const setHeaders = (
  res: ServerResponse,
  headers: Readonly<Record<string, string>>,
): void => {
  for (const name in headers) res.setHeader(name, headers[name] ?? "");
};

export const writeEmpty = (
  res: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): void => {
  if (res.headersSent || res.destroyed) return;
  res.writeHead(status, status === 204 ? headers : { "Content-Length": "0", ...headers });
  res.end();
};

/**
 * An empty 500; a response that has begun is cut off, since it can no longer become an error.
 * Without streaming, the genuine host leaves the headers that it had set before it failed.
 */
export const writeFailure = (res: ServerResponse, streaming: boolean): void => {
  if (res.headersSent) {
    res.destroy();
    return;
  }
  if (streaming) for (const name of res.getHeaderNames()) res.removeHeader(name);
  writeEmpty(res, 500, streaming ? { Connection: "close" } : {});
};

/** `head` holds the names and values in turn, which is what node writes with the least work. */
export const writePlain = (
  res: ServerResponse,
  { status, headers, body }: PlainResponse,
  invocationId: string | undefined,
  customHeaders: Readonly<Record<string, string>>,
): void => {
  if (res.destroyed) return;
  const head: string[] = [];
  for (const name in headers) head.push(name, headers[name] ?? "");
  for (const name in customHeaders)
    if (!(name in headers)) head.push(name, customHeaders[name] ?? "");
  if (invocationId !== undefined) head.push(invocationIdHeader, invocationId);
  if (status !== 204 && status !== 304)
    head.push("content-length", String(body === undefined ? 0 : Buffer.byteLength(body)));
  res.writeHead(status, head);
  res.end(body);
};

/** The genuine host refuses to send a header that is not ASCII, and so does this one. */
const setHeader = (res: ServerResponse, name: string, value: string): void => {
  if (!/^[\t\x20-\x7e]*$/.test(value))
    throw new ResponseHeaderError(`The value of the response header "${name}" is not ASCII.`);
  res.setHeader(name, value);
};

/** An answer in the library's wire form, whose body is complete. */
export const writeBuffered = (res: ServerResponse, http: HttpData): void => {
  if (res.destroyed) return;
  const status = Number(http.statusCode ?? "200");
  const body = http.body?.bytes ?? new Uint8Array();
  const headers = Object.entries(http.headers ?? {});
  const declared = headers.find(([name]) => name === "content-length")?.[1];
  if (declared !== undefined && Number(declared) !== body.length)
    throw new ResponseHeaderError(
      `The function declares ${declared} bytes of body and returns ${body.length}.`,
    );
  for (const [name, value] of headers)
    if (!connectionHeaders.has(name)) setHeader(res, name, value);
  const cookies = http.cookies ?? [];
  if (cookies.length > 0) res.setHeader("Set-Cookie", cookies.map(bufferedCookie));
  if (status !== 204 && status !== 304) res.setHeader("Content-Length", String(body.length));
  res.writeHead(status);
  res.end(body);
};

const isHttpResponse = (value: object, library: FunctionsLibrary): value is HttpResponse =>
  value instanceof library.HttpResponse;

const toHttpResponse = (result: unknown, library: FunctionsLibrary): HttpResponse => {
  if (typeof result !== "object" || result === null)
    throw new TypeError(
      'An HTTP function must return an object with optional "body", "status", "headers", "cookies".',
    );
  if (isHttpResponse(result, library)) return result;
  return new library.HttpResponse(result satisfies HttpResponseInit);
};

/** Resolves when the client has taken what waits for it, or is gone. */
const drained = (res: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      res.off("drain", done);
      res.off("close", done);
      resolve();
    };
    res.on("drain", done);
    res.on("close", done);
  });

/** Never more bytes than declared: what follows would be read as the next response. */
const writeChunk = async (
  res: ServerResponse,
  chunk: Uint8Array,
  left: number | undefined,
): Promise<void> => {
  const part = left !== undefined && chunk.length > left ? chunk.subarray(0, left) : chunk;
  if (!res.write(part) && !res.destroyed) await drained(res);
};

/** Passes the body on piece by piece, at the speed at which the client takes it. */
const writeBody = async (
  res: ServerResponse,
  body: AsyncIterable<Uint8Array | string>,
  declared: number | undefined,
): Promise<void> => {
  let sent = 0;
  for await (const piece of body) {
    if (res.destroyed) return;
    const chunk = typeof piece === "string" ? Buffer.from(piece) : piece;
    await writeChunk(res, chunk, declared === undefined ? undefined : declared - sent);
    sent += chunk.length;
  }
  if (declared !== undefined && sent < declared) res.destroy();
};

export const writeStreamed = async (
  res: ServerResponse,
  result: unknown,
  library: FunctionsLibrary,
  invocationId: string,
): Promise<void> => {
  const response = toHttpResponse(result, library);
  if (res.destroyed) return;
  for (const [name, value] of response.headers.entries())
    if (!connectionHeaders.has(name)) setHeader(res, name, value);
  res.setHeader(invocationIdHeader, invocationId);
  if (response.cookies.length > 0)
    res.setHeader("Set-Cookie", response.cookies.map(streamedCookie));
  const length = res.getHeader("content-length");
  const declared = length === undefined ? undefined : Number(length);
  res.statusCode = response.status;
  if (response.body === null) {
    res.end();
    return;
  }
  await writeBody(res, response.body, declared);
  res.end();
};
