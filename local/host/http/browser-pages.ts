/** Tells the calls of web pages from those of programs: a page of anywhere can call what listens on its reader's machine. */
import { isIP } from "node:net";
import type { IncomingMessage } from "node:http";
import { hostOf } from "./request.js";

export const isLoopbackAddress = (address: string): boolean =>
  /^(?:::ffff:)?127\.|^::1$/.test(address);

/** What a client calls the machine by: without the port, and without the brackets of an IPv6 address. */
const hostName = (host: string): string =>
  new URL(`http://${host}`).hostname.replace(/^\[(.*)\]$/, "$1");

/**
 * Whether the name is this machine's beyond doubt. Any other may be one that a page's owner has pointed at
 * us (DNS rebinding): to the browser, the page and we are then of one origin.
 */
const isOwnHost = (req: IncomingMessage): boolean => {
  const name = hostName(hostOf(req));
  if (name === "localhost") return true;
  return isIP(name) !== 0 && (isLoopbackAddress(name) || name === boundAddress(req));
};

const boundAddress = (req: IncomingMessage): string =>
  (req.socket.localAddress ?? "").replace(/^::ffff:/, "");

/** Pages cannot leave these headers out; who types an address into a browser comes from no page. */
export const isFromBrowserPage = (req: IncomingMessage): boolean => {
  const { origin, "sec-fetch-site": site = "none" } = req.headers;
  return origin !== undefined || site !== "none" || !isOwnHost(req);
};
