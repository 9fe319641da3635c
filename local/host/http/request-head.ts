/** What is refused for the head of a request alone, with the limits of the genuine host's server. */
import type { IncomingMessage } from "node:http";

/** With method, version and line end, as there. */
const requestLineBytesMax = 8 * 1024;
const headerBytesMax = 32 * 1024;
const headersMax = 100;

/** Beyond this, the parser itself gives up. */
export const headBytesMax = requestLineBytesMax + headerBytesMax;

/** The request line without its target: method, two blanks, version, line end. */
const lineBytes = (method: string): number => method.length + " HTTP/1.1\r\n".length + 1;

/** Whether a line that the parser gave up is a request line, and not a header. */
export const isRequestLine = (line: string): boolean => /^[A-Z-]+ \S/.test(line);

/** Nearly every caller names the same host again. */
let lastHost: string | undefined;

/** A name or an address, with a port that exists: what a URL can be made with. */
const isHost = (host: string): boolean => {
  if (host === lastHost) return true;
  if (/[\s/?#@\\]/.test(host) || !URL.canParse(`http://${host}/`)) return false;
  lastHost = host;
  return true;
};

/** The status that refuses the request, undefined where nothing is wrong with its head. */
export const headRefusal = (req: IncomingMessage): number | undefined => {
  const { method = "", url = "", rawHeaders } = req;
  if (lineBytes(method) + url.length > requestLineBytesMax) return 414;
  if (rawHeaders.length > 2 * headersMax) return 431;
  let bytes = 0;
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    const value = rawHeaders[index + 1] ?? "";
    bytes += name.length + value.length + ": \r\n".length;
    if (name.length !== 4 || name.toLowerCase() !== "host") continue;
    hosts += 1;
    if (hosts > 1 || !isHost(value)) return 400;
  }
  return bytes > headerBytesMax ? 431 : undefined;
};
