/** The listening server: takes connections at once, answers them when the app is loaded. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { errorCode, StartError } from "../../start-error.js";
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

/** What the parser choked on, where it says. */
const packetOf = (error: Error): string =>
  "rawPacket" in error && Buffer.isBuffer(error.rawPacket)
    ? error.rawPacket.toString("latin1")
    : "";

/** The answer to what is no HTTP request; an unknown method is merely a route that does not exist. */
const answerClientError = (error: Error, socket: Socket): void => {
  if (errorCode(error) === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const isRequest = /^[A-Z-]+ \S+ HTTP\/1\.[01]\r\n/.test(packetOf(error));
  const unknownMethod = errorCode(error) === "HPE_INVALID_METHOD" && isRequest;
  const status = unknownMethod ? "404 Not Found" : "400 Bad Request";
  socket.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
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
  const server = createServer({ keepAliveTimeout: 75_000 });
  const dispatch = (req: IncomingMessage, res: ServerResponse): void => handler(req, res);
  server.on("request", dispatch);
  server.on("checkExpectation", dispatch);
  server.on("clientError", answerClientError);

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
