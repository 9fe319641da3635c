/** The listening server: takes connections at once, answers them when the app is loaded. */
import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { Socket, type AddressInfo } from "node:net";
import { errorCode, StartError } from "../../start-error.js";
import { headBytesMax, headRefusal, isRequestLine } from "./request-head.js";
import { writeEmpty } from "./response.js";

export type RequestHandler = (req: IncomingMessage, res: ServerResponse) => void;

export interface HttpServer {
  readonly port: number;
  /** Answers what has waited so far and all that comes. */
  serve(handler: RequestHandler): void;
  /** Takes no more connections, lets running requests end, then cuts what is left. */
  stop(timeoutMs: number): Promise<void>;
}

const idleSweepMs = 20;

/** What the parser choked on, from the beginning of the line where it did, as far as it says. */
const chokedOn = (error: Error): string => {
  if (!("rawPacket" in error) || !Buffer.isBuffer(error.rawPacket)) return "";
  const at = "bytesParsed" in error ? Number(error.bytesParsed) : 0;
  const packet = error.rawPacket.toString("latin1");
  return packet.slice(packet.lastIndexOf("\n", at - 1) + 1);
};

/** An unknown method is merely a route that does not exist. */
const statusOf = (error: Error): number => {
  const code = errorCode(error);
  if (code === "HPE_INVALID_METHOD")
    return /^[A-Z-]+ \S+ HTTP\/1\.[01]\r\n/.test(chokedOn(error)) ? 404 : 400;
  if (code === "HPE_HEADER_OVERFLOW") return isRequestLine(chokedOn(error)) ? 414 : 431;
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
};

/** The last request of each connection, to which what cannot be read may belong. */
type Exchanges = WeakMap<Socket, readonly [IncomingMessage, ServerResponse]>;

/**
 * Answers what is no HTTP request. Within a request's body it is that request's answer; behind a whole
 * request it belongs to the next one, and waits until those before it have their answers.
 */
const answerClientError = (error: Error, socket: Socket, exchanges: Exchanges): void => {
  if (errorCode(error) === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = statusOf(error);
  const [req, res] = exchanges.get(socket) ?? [];
  if (req?.complete === false && res?.headersSent === false) {
    // Once it is answered, Node forgets the request: whoever reads its body would wait for ever.
    res.once("finish", () => req.destroy());
    writeEmpty(res, status, { Connection: "close" });
  } else if (req?.complete === true && res?.writableFinished === false) {
    res.once("close", () => answerClientError(error, socket, exchanges));
  } else {
    const line = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`;
    socket.end(`${line}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
  }
};

const listen = (server: Server, port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", (error) => {
      reject(
        errorCode(error) === "EADDRINUSE"
          ? new StartError(`Port ${port} is in use: choose another one with --port.`)
          : error,
      );
    });
    server.listen(port, host, () => {
      resolve((server.address() as AddressInfo).port);
    });
  });

export const listenHttp = async (port: number, host: string): Promise<HttpServer> => {
  const waiting: [IncomingMessage, ServerResponse][] = [];
  let handler: RequestHandler = (req, res) => void waiting.push([req, res]);
  // An idle connection outlives the pools of common clients, so that they never reuse a dead one.
  const server = createServer({ keepAliveTimeout: 75_000, maxHeaderSize: headBytesMax });
  // Their number is checked: the server itself would leave out what is too many, without a word.
  server.maxHeadersCount = 0;
  const exchanges: Exchanges = new WeakMap();
  const dispatch = (req: IncomingMessage, res: ServerResponse): void => {
    exchanges.set(req.socket, [req, res]);
    const refused = headRefusal(req);
    if (refused === undefined) handler(req, res);
    else writeEmpty(res, refused, { Connection: "close" });
  };
  server.on("request", dispatch);
  server.on("checkExpectation", dispatch);
  server.on("clientError", (error, socket) => {
    // Only a server with TLS has other sockets than these.
    if (socket instanceof Socket) answerClientError(error, socket, exchanges);
    else socket.destroy();
  });

  return {
    port: await listen(server, port, host),
    serve: (next) => {
      handler = next;
      for (const [req, res] of waiting.splice(0)) next(req, res);
    },
    stop: async (timeoutMs) => {
      handler = (_req, res) => writeEmpty(res, 503, { Connection: "close" });
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      // A connection whose last request has ended would be kept open for the next one.
      const idle = setInterval(() => server.closeIdleConnections(), idleSweepMs);
      const cut = setTimeout(() => server.closeAllConnections(), timeoutMs);
      await closed;
      clearInterval(idle);
      clearTimeout(cut);
    },
  };
};
