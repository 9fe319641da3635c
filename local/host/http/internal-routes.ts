/** What the host itself answers: its page, its administration and the durable engine's API. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpAnswer, HttpCall } from "../../durable/api/answer.js";
import { isAllowed, type FunctionKeys } from "./function-keys.js";
import { isFromBrowserPage, isLoopbackAddress } from "./browser-pages.js";
import { hostOf, readBody, requestHeaders } from "./request.js";
import { setHeaders, writeEmpty } from "./response.js";
import { hostPage } from "./host-page.js";

export interface HostStatus {
  readonly state: "Starting" | "Running" | "Stopping";
  readonly version: string;
  readonly functions: number;
  readonly port: number;
  readonly running: number;
  /** Durable messages and instances that wait for a person, as the durable engine's call `setAside` shows them. */
  readonly setAside: number;
}

/** What moving the sandbox clock has set going. */
export interface ClockMoved {
  readonly now: string;
  readonly flowsRun: number;
}

export interface InternalRoutes {
  readonly keys: FunctionKeys;
  readonly customHeaders: Readonly<Record<string, string>>;
  status(): HostStatus;
  moveClock(): Promise<ClockMoved>;
  /** Runs a timer function now; false where there is none of that name. */
  runTimer(name: string): boolean;
  /** Null where the durable engine has no such address. */
  durable(call: HttpCall): Promise<HttpAnswer | null>;
}

const reservedPath = /^\/(?:admin\/(?:host|functions)|runtime\/webhooks|durabletask)\//i;
const spareablePath = /^\/(?:$|\?|admin\/)/i;

/** Addresses that the host answers whatever routes the app has. */
export const isReservedPath = (path: string): boolean => reservedPath.test(path);

/** Addresses that the host answers where no route of the app does: its page, and unknown administration. */
export const isSpareablePath = (path: string): boolean => spareablePath.test(path);

const writeForbidden = (res: ServerResponse): void => {
  const text =
    "Management calls are not answered to web pages: call from a program, without the headers Origin and " +
    "Sec-Fetch-Site, and by the address that the host listens to.";
  res.writeHead(403, { "Content-Type": "text/plain", "Content-Length": text.length });
  res.end(text);
};

const writeJson = (res: ServerResponse, status: number, body: unknown): void => {
  const text = JSON.stringify(body);
  res.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
  });
  res.end(text);
};

/** Whoever is on this machine may, but for production, where that is no proof of anything. */
const mayMoveClock = (req: IncomingMessage, keys: FunctionKeys): boolean =>
  keys.clockNeedsKey
    ? isAllowed(req, "admin", keys)
    : isLoopbackAddress(req.socket.remoteAddress ?? "");

/** A master key opens the durable API too, whose own key the engine knows alone. */
const durableCall = (routes: InternalRoutes, req: IncomingMessage, body: Buffer): HttpCall => {
  const url = new URL(`http://${hostOf(req)}${req.url ?? "/"}`);
  const headers = requestHeaders(req);
  if (isAllowed(req, "admin", routes.keys)) {
    url.searchParams.delete("code");
    headers["x-functions-key"] = routes.keys.durableKey;
  }
  return { method: req.method ?? "GET", url, headers, body };
};

/** Whoever lacks the master key is not told which of the host's addresses exist. */
const writeUnknown = (routes: InternalRoutes, req: IncomingMessage, res: ServerResponse): void => {
  if (isAllowed(req, "admin", routes.keys)) writeEmpty(res, 404);
  else writeEmpty(res, 401, { "WWW-Authenticate": "Bearer" });
};

const serveDurable = async (
  routes: InternalRoutes,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> => {
  const answer = await routes.durable(durableCall(routes, req, await readBody(req)));
  if (answer === null) {
    writeUnknown(routes, req, res);
    return;
  }
  const length = { "Content-Length": String(Buffer.byteLength(answer.body)) };
  res.writeHead(answer.status, { ...answer.headers, ...(answer.status !== 204 && length) });
  res.end(answer.body);
};

const serveAdmin = async (
  routes: InternalRoutes,
  req: IncomingMessage,
  res: ServerResponse,
  path: string,
): Promise<void> => {
  const route = `${req.method ?? "GET"} ${path.toLowerCase().replace(/\/$/, "")}`;
  const [, timer] = /^POST \/admin\/functions\/([^/]+)$/.exec(route) ?? [];
  if (route === "GET /admin/host/ping")
    writeEmpty(res, 200, { "Cache-Control": "no-store,no-cache", Pragma: "no-cache" });
  else if (route === "POST /admin/host/clock" && mayMoveClock(req, routes.keys))
    writeJson(res, 200, await routes.moveClock());
  else if (!isAllowed(req, "admin", routes.keys))
    writeEmpty(res, 401, { "WWW-Authenticate": "Bearer" });
  else if (route === "GET /admin/host/status") writeJson(res, 200, routes.status());
  else writeEmpty(res, timer !== undefined && routes.runTimer(timer) ? 202 : 404);
};

export const serveInternal = async (
  routes: InternalRoutes,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> => {
  const path = (req.url ?? "").split("?", 1)[0] ?? "";
  setHeaders(res, routes.customHeaders);
  if (path === "/") {
    res.writeHead(200, { "Content-Type": "text/html" });
    res.end(hostPage(routes.status().functions));
  } else if (isFromBrowserPage(req)) writeForbidden(res);
  else if (/^\/admin\//i.test(path)) await serveAdmin(routes, req, res, path);
  else await serveDurable(routes, req, res);
};
