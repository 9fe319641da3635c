/** Whole requests: sound ones, such as lie on limits, and such as are spoilt in one way or another. */
import type { Json } from "../platform/request-fields.js";
import type { FuzzOperation } from "./operations.js";
import { pick, type Chance, type Values } from "./values.js";

export interface FuzzRequest {
  readonly operation: FuzzOperation;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  /** False where it asks for nothing that a document describes. */
  readonly isDocumented: boolean;
  /** True where it may ask another operation. */
  readonly isElsewhere?: boolean;
}

export interface Credentials {
  /** The headers of a sound call of the operation. */
  readonly headersFor: (operation: FuzzOperation) => Readonly<Record<string, string>>;
  readonly basePath: (operation: FuzzOperation) => string;
}

/** As UTF-8, which knows no halves of surrogate pairs. */
const encoded = (value: unknown): string => {
  const text = typeof value === "string" ? value : JSON.stringify(value ?? null);
  return encodeURIComponent(Buffer.from(text).toString());
};

/** What a client may put into a header; the rest goes over bare sockets. */
const headerText = (text: string): string =>
  text.replace(/[^\t\x20-\x7e\x80-\xff]/g, "").slice(0, 2_000);

/** Longer ones are refused before any function is asked. */
const addressMax = 8_000;

const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

export class Requests {
  readonly #chance: Chance;
  readonly #values: Values;
  readonly #credentials: Credentials;

  constructor(chance: Chance, values: Values, credentials: Credentials) {
    this.#chance = chance;
    this.#values = values;
    this.#credentials = credentials;
  }

  sound(operation: FuzzOperation): FuzzRequest {
    const [body, type] = this.#body(operation, (value) => value);
    return {
      operation,
      method: operation.route.method,
      path: this.#path(operation, (schema, name) => this.#value(operation, schema, name)),
      headers: this.#headers(operation, type),
      body,
      isDocumented: true,
    };
  }

  any(operation: FuzzOperation): FuzzRequest {
    const request = this.sound(operation);
    const kind = this.#chance(20);
    if (kind < 9) return request;
    if (kind < 11) return this.#onLimits(request);
    if (kind < 14) return this.#spoiltBody(request);
    if (kind < 16) return this.#spoiltParameters(request);
    if (kind < 18) return this.#spoiltHeaders(request);
    return this.#elsewhere(request);
  }

  #value({ resolve }: FuzzOperation, schema: Json, name: string): unknown {
    return this.#values.sound(schema, resolve, name);
  }

  #path(operation: FuzzOperation, valueOf: (schema: Json, name: string) => unknown): string {
    const query: string[] = [];
    let path = this.#credentials.basePath(operation);
    for (const { name, in: place, required, schema } of operation.parameters) {
      if (place === "path") path = path.replace(`{${name}}`, encoded(valueOf(schema, name)));
      if (place === "query" && (required || this.#chance(3) === 0))
        query.push(`${encoded(name)}=${encoded(valueOf(schema, name))}`);
    }
    return query.length === 0 ? path : `${path}?${query.join("&")}`;
  }

  #headers(operation: FuzzOperation, type: string | undefined): Readonly<Record<string, string>> {
    const own: Record<string, string> = { ...this.#credentials.headersFor(operation) };
    if (type !== undefined) own["content-type"] = type;
    for (const { name, in: place, schema } of operation.parameters)
      if (place === "header" && this.#chance(4) === 0)
        own[name.toLowerCase()] = headerText(String(this.#value(operation, schema, name)));
    return own;
  }

  #body(
    operation: FuzzOperation,
    change: (value: unknown, schema: Json) => unknown,
  ): [Buffer | undefined, string | undefined] {
    const [type, schema] = pick(operation.bodies, this.#chance) ?? [];
    if (type === undefined) return [undefined, undefined];
    if (schema === undefined || !type.includes("json"))
      return [Buffer.concat([png, Buffer.alloc(this.#chance(5_000), this.#chance(256))]), type];
    const value = change(this.#value(operation, schema, ""), operation.resolve(schema));
    return [Buffer.from(JSON.stringify(value)), type];
  }

  #onLimits(request: FuzzRequest): FuzzRequest {
    const { operation } = request;
    const [body] = this.#body(operation, (value, { properties }) => {
      const fields = Object.entries((properties ?? {}) as Json);
      const [name, schema] = pick(fields, this.#chance) ?? [];
      if (name === undefined || typeof value !== "object") return value;
      return { ...value, [name]: this.#values.boundary(operation.resolve(schema as Json)) };
    });
    const path = this.#path(operation, (schema) =>
      this.#values.boundary(operation.resolve(schema)),
    );
    if (body !== undefined && this.#chance(2) === 0) return { ...request, body };
    // An address with an empty part is another address, and one that is too long is the host's to refuse.
    const isOther = path.length > addressMax || /^[^?]*\/(?:[/?]|$)/.test(path);
    return { ...request, path, isDocumented: !isOther };
  }

  #spoiltBody(request: FuzzRequest): FuzzRequest {
    const chance = this.#chance;
    const [body] = this.#body(request.operation, (value) => this.#values.spoilt(value));
    // A body that nobody asked for is ignored.
    if (body === undefined) return { ...request, body: Buffer.from("{") };
    const bytes = [
      () => body,
      () => body,
      () => body,
      () => body.subarray(0, chance(body.length + 1)),
      () =>
        Buffer.concat([
          body.subarray(0, chance(body.length + 1)),
          Buffer.from([chance(256)]),
          body,
        ]),
      () => Buffer.from(`\ufeff${body.toString()}`, "utf16le"),
      () => Buffer.from(body.toString().replace("{", '{"a":1,"a":2,')),
      () => Buffer.from("[".repeat(1 + chance(100_000))),
      () => Buffer.alloc(chance(300_000), 0x20),
    ];
    return { ...request, body: (pick(bytes, chance) ?? (() => body))() };
  }

  #spoiltParameters(request: FuzzRequest): FuzzRequest {
    const { operation } = request;
    const spoilt = this.#path(operation, (schema, name) =>
      this.#chance(2) === 0 ? this.#values.hostileText() : this.#value(operation, schema, name),
    );
    const more = [
      `${encoded(this.#values.hostileText())}=${encoded(this.#values.hostileText())}`,
      "pageSize=5&pageSize=6",
      "=&&=&",
      "a[b]=1&a[]=2&tag.=x&tag.a.b=y",
    ];
    const path = `${spoilt}${spoilt.includes("?") ? "&" : "?"}${pick(more, this.#chance) ?? ""}`;
    // A path that is longer than any address may be is the host's to refuse, and so is an empty part.
    return { ...request, path: path.slice(0, 9_000), isDocumented: false };
  }

  #spoiltHeaders(request: FuzzRequest): FuzzRequest {
    const { headers } = request;
    const hostile = headerText(this.#values.hostileText());
    const names = ["authorization", "authkey", "partner", "x-forwarded-partner", "content-type"];
    const others = [
      "accept",
      "accept-encoding",
      "content-encoding",
      "expect",
      "idempotency-key",
      "if-match",
      "range",
      "traceparent",
      "x-http-method-override",
      "x-request-id",
      "x-ms-invocation-id",
    ];
    const name = pick([...names, ...others], this.#chance) ?? "accept";
    const left = { ...headers };
    Reflect.deleteProperty(left, name);
    const token = headers["authorization"] ?? "";
    const values = [
      hostile,
      `Bearer ${hostile}`,
      token.slice(0, this.#chance(token.length + 1)),
      `${token}, ${token}`,
      "globex",
      "application/json; charset=utf-7",
      "gzip, br;q=NaN",
      "*/*;q=0",
    ];
    const changed = { ...left, [name]: pick(values, this.#chance) ?? "" };
    return { ...request, headers: this.#chance(4) === 0 ? left : changed, isDocumented: false };
  }

  /** Near what is served: another method, another spelling, another place. */
  #elsewhere(request: FuzzRequest): FuzzRequest {
    const { path } = request;
    const methods = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "PURGE"];
    const paths = [
      path,
      path.toUpperCase(),
      path.replaceAll("/", "//"),
      `${path}/`,
      `${path}/..%2f..`,
      path.replace(/\/[^/]*$/, "/%"),
      path.replace(/\/[^/]*$/, "/%c0%ae%ff"),
      path.replace(/^\/\w+/, ""),
      `/admin${path}`,
      `/runtime/webhooks/durabletask${path}`,
      `/runtime/webhooks/durabletask/instances/${encoded(this.#values.hostileText())}?code=x`,
      `/docs/${encoded(this.#values.hostileText())}`,
      `/sandbox/identity/${encoded(this.#values.hostileText())}/oauth2/v2.0/token`,
      "/openapi/wallet.json",
      "/health",
      "*",
      "",
    ];
    return {
      ...request,
      method: pick(methods, this.#chance) ?? "GET",
      path: (pick(paths, this.#chance) ?? path).slice(0, 9_000) || "/",
      isDocumented: false,
      isElsewhere: true,
    };
  }
}
