/**
 * The short way for the answers nearly every function gives: an object with a status, a few
 * headers and a string, bytes or JSON. It yields exactly what the library's `HttpResponse` would,
 * without building a Response and reading its stream again; whatever is unusual goes the long way.
 */

export interface PlainResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}

const nullBodyStatuses = new Set([204, 205, 304]);
const headerName = /^[\w!#$%&'*+.^`|~-]+$/;
const headerValue = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/;
/** Framing is the host's business: functions that set these go the long way, where it is checked. */
const framingHeaders = new Set([
  "connection",
  "content-length",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "trailers",
  "transfer-encoding",
  "upgrade",
]);

const isPlainObject = (value: unknown): value is Record<string, unknown> => {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

const plainHeaders = (given: unknown): Record<string, string> | undefined => {
  const headers: Record<string, string> = {};
  if (given === undefined || given === null) return headers;
  if (!isPlainObject(given)) return undefined;
  for (const name in given) {
    const value = given[name];
    const key = name.toLowerCase();
    if (typeof value !== "string" || !headerValue.test(value)) return undefined;
    if (!headerName.test(key) || framingHeaders.has(key) || key in headers) return undefined;
    headers[key] = value;
  }
  return headers;
};

const isUsualStatus = (status: unknown): status is number | undefined =>
  status === undefined ||
  (typeof status === "number" && Number.isInteger(status) && status >= 200 && status <= 599);

/** Undefined where the result is none of the usual shapes. */
export const plainResponse = (result: unknown): PlainResponse | undefined => {
  if (!isPlainObject(result)) return undefined;
  const { status, body, jsonBody, cookies } = result;
  if (!isUsualStatus(status)) return undefined;
  if (cookies !== undefined && !(Array.isArray(cookies) && cookies.length === 0)) return undefined;
  const headers = plainHeaders(result["headers"]);
  if (headers === undefined) return undefined;
  const code = status ?? 200;
  if (nullBodyStatuses.has(code)) return { status: code, headers, body: undefined };
  if (jsonBody !== undefined && jsonBody !== null) {
    const text = JSON.stringify(jsonBody) as string | undefined;
    if (text === undefined) return undefined;
    headers["content-type"] ??= "application/json";
    return { status: code, headers, body: text };
  }
  if (body === undefined || body === null) return { status: code, headers, body: undefined };
  if (typeof body === "string") {
    headers["content-type"] ??= "text/plain;charset=UTF-8";
    return { status: code, headers, body };
  }
  return body instanceof Uint8Array ? { status: code, headers, body } : undefined;
};
