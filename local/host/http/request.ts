/**
 * The request that the library's `HttpRequest` reads from. It stands for a `Request` of the
 * platform and makes one only when something asks for what only that has: most handlers read a
 * header or a JSON body, and building streams for them would cost more than all else together.
 */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { ReadableStream } from "node:stream/web";

const defaultBodyBytesMax = 100 * 1024 * 1024;

/** The largest body, as the genuine host reads the setting: what is no whole number counts for nothing. */
export const bodyBytesMax = (settings: Readonly<Record<string, string>>): number => {
  const set = settings["FUNCTIONS_REQUEST_BODY_SIZE_LIMIT"] ?? "";
  return /^\s*\d+\s*$/.test(set) ? Number(set) : defaultBodyBytesMax;
};

export class BodyTooLargeError extends Error {
  override readonly name = "BodyTooLargeError";
}

/** Requests whose bodies nobody is to read any more. */
const skipped = new WeakSet<IncomingMessage>();

/**
 * The body as a stream that takes a piece from the connection when a reader asks for one, so that a
 * slow reader slows its client down and many uploads at once do not pile up here. A reader that stops
 * early leaves the connection as it is: the answer goes out on it, and `skipBody` clears it.
 */
const bodyStream = (incoming: IncomingMessage, bytesMax: number): ReadableStream<Uint8Array> => {
  let total = 0;
  let isOver = false;
  const once = (end: () => void): void => {
    if (!isOver) end();
    isOver = true;
  };
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        const fail = (error: Error): void => once(() => controller.error(error));
        incoming.on("data", (chunk: Buffer) => {
          total += chunk.length;
          if (isOver) return;
          if (total > bytesMax) fail(new BodyTooLargeError("Request body too large."));
          else controller.enqueue(chunk);
          if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
        });
        incoming.once("end", () => {
          if (skipped.has(incoming)) fail(new Error("The function had ended before its body."));
          else once(() => controller.close());
        });
        incoming.once("error", fail);
        incoming.once("close", () => fail(new Error("The client went away.")));
        incoming.pause();
      },
      pull: () => void incoming.resume(),
      cancel: () => once(() => incoming.pause()),
    },
    { highWaterMark: 0 },
  );
};

/** So long the rest of a body is read away before its connection is cut, as on the genuine host. */
const skipLimitMs = 5_000;

/** Reads away what a function left of the body, so that the connection can bring the next request. */
export const skipBody = (incoming: IncomingMessage): void => {
  if (incoming.readableEnded || incoming.destroyed) return;
  skipped.add(incoming);
  incoming.removeAllListeners("data");
  incoming.resume();
  if (incoming.complete) return;
  const cut = setTimeout(() => incoming.destroy(), skipLimitMs);
  for (const event of ["end", "close"]) incoming.once(event, () => clearTimeout(cut));
};

/** The whole body; rejects where it is too large, or the client goes away before its end. */
export const readBody = (
  incoming: IncomingMessage,
  bytesMax = defaultBodyBytesMax,
): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let total = 0;
    incoming.on("data", (chunk: Buffer) => {
      total += chunk.length;
      if (total <= bytesMax) chunks.push(chunk);
      else reject(new BodyTooLargeError("Request body too large."));
    });
    incoming.once("end", () => {
      const [only] = chunks;
      resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks));
    });
    incoming.once("error", reject);
    incoming.once("close", () => {
      if (!incoming.readableEnded) reject(new Error("The client went away."));
    });
  });

/** Bytes above ASCII are UTF-8, as far as headers can hold such text; others stay one by one. */
const headerValue = (raw: string): string => {
  if (!/[^\x00-\x7f]/.test(raw)) return raw;
  const text = Buffer.from(raw, "latin1").toString("utf8");
  return /[^\x00-\xff]/.test(text) ? raw : text;
};

/** Repeated headers are joined by a comma alone. */
export const requestHeaders = (incoming: IncomingMessage): Record<string, string> => {
  const { rawHeaders } = incoming;
  const headers: Record<string, string> = {};
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase();
    const value = headerValue(rawHeaders[index + 1] ?? "");
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before},${value}`;
  }
  return headers;
};

/** The host that the request names; only one of HTTP/1.0 may name none. */
export const hostOf = ({ headers }: IncomingMessage): string => headers.host ?? "localhost";

/** Where the body comes from: nowhere, the connection, or bytes that are here already. */
export type BodySource = IncomingMessage | Buffer | null;

const withoutByteOrderMark = (text: string): string =>
  text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;

const exactArrayBuffer = (bytes: Buffer): ArrayBuffer => {
  const copy = new ArrayBuffer(bytes.length);
  new Uint8Array(copy).set(bytes);
  return copy;
};

export class HostRequest {
  readonly method: string;
  readonly url: string;
  readonly #incoming: IncomingMessage;
  readonly #source: BodySource;
  readonly #bytesMax: number;
  #headers: Headers | undefined;
  #native: Request | undefined;
  #consumed = false;

  constructor(incoming: IncomingMessage, url: string, source: BodySource, bytesMax: number) {
    this.#incoming = incoming;
    this.method = incoming.method ?? "GET";
    this.url = url;
    this.#source = source;
    this.#bytesMax = bytesMax;
  }

  get headers(): Headers {
    if (this.#native !== undefined) return this.#native.headers;
    return (this.#headers ??= new Headers(requestHeaders(this.#incoming)));
  }

  get body(): ReadableStream | null {
    return this.#source === null || this.#consumed ? null : this.#toNative().body;
  }

  get bodyUsed(): boolean {
    return this.#native === undefined ? this.#consumed : this.#native.bodyUsed;
  }

  async text(): Promise<string> {
    if (this.#native !== undefined) return this.#native.text();
    return withoutByteOrderMark((await this.#consume()).toString("utf8"));
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    if (this.#native !== undefined) return this.#native.arrayBuffer();
    return exactArrayBuffer(await this.#consume());
  }

  blob(): Promise<unknown> {
    return this.#toNative().blob();
  }

  formData(): Promise<unknown> {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- The library's request offers it.
    return this.#toNative().formData();
  }

  clone(): Request {
    return this.#toNative().clone();
  }

  async #consume(): Promise<Buffer> {
    const source = this.#source;
    if (source === null) return Buffer.alloc(0);
    if (this.#consumed) throw new TypeError("Body is unusable: Body has already been read");
    this.#consumed = true;
    return Buffer.isBuffer(source) ? source : readBody(source, this.#bytesMax);
  }

  #toNative(): Request {
    if (this.#native !== undefined) return this.#native;
    if (this.#consumed) throw new TypeError("Body is unusable: Body has already been read");
    const source = this.#source;
    const body =
      source === null || Buffer.isBuffer(source) ? source : bodyStream(source, this.#bytesMax);
    this.#native = new Request(this.url, {
      method: this.method,
      headers: this.headers,
      body,
      duplex: "half",
    });
    return this.#native;
  }
}

/** Headers that are read before any function is chosen. */
export const headerText = (headers: IncomingHttpHeaders, name: string): string | undefined => {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
};
