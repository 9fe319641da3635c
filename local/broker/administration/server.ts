/** The management interface over HTTP: who may ask, what is too much, and how failures are told. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Claims } from "../access/claims.js";
import type { KeyRing } from "../access/key-ring.js";
import { verifyToken } from "../access/signatures.js";
import { asBrokerError, BrokerError, conditions, entityNotFound } from "../errors.js";
import { inTime } from "../peers/deadline.js";
import { statusCodes } from "../requests/management-node.js";
import { errorDocument } from "./atom.js";
import type { Answer } from "./requests.js";
import { Resources, type AdministrationParts } from "./resources.js";
import { readXml } from "./xml-reader.js";

export interface AdministrationServerParts extends AdministrationParts {
  readonly keys: KeyRing;
  readonly report: (error: unknown) => void;
}

const bodyBytesMax = 256 * 1024;
const headerBytesMax = 16 * 1024;
const idleMs = 30_000;
const methods = ["GET", "PUT", "DELETE"];

/** Some of these are told by HTTP alone. */
class HttpRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax)
      throw new HttpRefusal(413, `The body has more than ${bodyBytesMax} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** Clients bring tokens for what an entity is to forward to; some name the host in them and nothing else. */
const supplementary = [
  "servicebussupplementaryauthorization",
  "servicebusdlqsupplementaryauthorization",
] as const;

/** What the request's tokens may manage: the addresses that they are for, and what lies below them. */
const claimsOf = ({ headers }: IncomingMessage, keys: KeyRing): Claims => {
  const claims = new Claims(keys);
  const nowMs = Date.now();
  claims.add(verifyToken(headers.authorization ?? "", keys, nowMs), nowMs);
  for (const token of supplementary.flatMap((name) => headers[name] ?? [])) {
    const claim = verifyToken(token, keys, nowMs);
    const isForAll = claim.path === headers.host?.toLowerCase();
    claims.add(isForAll ? { ...claim, path: "" } : claim, nowMs);
  }
  return claims;
};

/** Behind TLS or not, it is the host that the client named. */
const urlOf = (request: IncomingMessage): URL => {
  const scheme = "encrypted" in request.socket ? "https" : "http";
  const { host = "localhost" } = request.headers;
  try {
    return new URL(request.url ?? "/", `${scheme}://${host}`);
  } catch {
    throw new HttpRefusal(400, "SubCode=40000. The address is not valid.");
  }
};

const pathOf = ({ pathname }: URL): string => {
  try {
    return decodeURIComponent(pathname).replaceAll(/^\/+|\/+$/g, "");
  } catch {
    throw new HttpRefusal(400, "SubCode=40000. The address is not valid.");
  }
};

const serve = async (
  request: IncomingMessage,
  { keys }: AdministrationServerParts,
  resources: Resources,
): Promise<Answer> => {
  const { method = "", headers } = request;
  // No page in a browser has anything to do here, whatever key it knows.
  if (headers.origin !== undefined)
    throw new HttpRefusal(403, "SubCode=40301. Requests of web pages are not taken.");
  const url = urlOf(request);
  const path = pathOf(url);
  const claims = claimsOf(request, keys);
  const requireManage = (target: string): void => claims.require(target, "Manage", Date.now());
  requireManage(path);
  if (!methods.includes(method)) throw new HttpRefusal(405, `The method ${method} is not served.`);
  if (path === "" || path.includes("\0")) throw entityNotFound(path);
  const bytes = await readBody(request);
  return inTime(
    resources.answer({
      method,
      origin: url.origin,
      path,
      query: url.searchParams,
      ifMatch: headers["if-match"],
      body: () => readXml(bytes),
      requireManage,
    }),
  );
};

const send = (response: ServerResponse, { status, body, eTag }: Answer): void => {
  response.writeHead(status, {
    "content-type": "application/atom+xml;type=entry;charset=utf-8",
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...(eTag === undefined ? {} : { etag: eTag }),
    // What is left of a body that was too large is not read to its end.
    ...(status === 413 ? { connection: "close" } : {}),
  });
  response.end(body);
};

const refusalOf = (error: unknown, report: (error: unknown) => void): Answer => {
  if (error instanceof HttpRefusal)
    return { status: error.status, body: errorDocument(error.status, error.message) };
  const { condition, message } = asBrokerError(error);
  const status = statusCodes[condition] ?? 500;
  if (!(error instanceof BrokerError) || condition === conditions.internalError) report(error);
  return { status, body: errorDocument(status, message) };
};

/** Serves the connections that are given to it as `connection` events; it listens to no port. */
export const administrationServer = (parts: AdministrationServerParts): Server => {
  const resources = new Resources(parts);
  const server = createServer({ maxHeaderSize: headerBytesMax }, (request, response) => {
    serve(request, parts, resources)
      .catch((error: unknown) => refusalOf(error, parts.report))
      .then((answer) => send(response, answer))
      .catch(parts.report);
  });
  // Requests that never end are bounded by how many connections there may be.
  server.setTimeout(idleMs);
  return server;
};
