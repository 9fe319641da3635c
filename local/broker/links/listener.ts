/** The server: accepts connections and brings what the library reports to the connection it is about. */
import { once } from "node:events";
import type { AddressInfo, Server, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { conditions } from "../errors.js";
import { createContainer, type Connection, type Container, type Session } from "../wire/rhea.js";
import { ClientConnection, type ConnectionParts } from "./client-connection.js";
import type { OutcomeName } from "./consumer-link.js";
import { dropLateFrames } from "./late-frames.js";

export interface ListenerParts extends ConnectionParts {
  readonly host: string;
  readonly port: number;
  readonly report: (error: unknown) => void;
}

/** A client whose open got stuck tries again only when its old socket closes. */
const openWithinMs = 10_000;
const goodbyeMs = 100;

/** Any format that no client uses: the library decodes messages of format 0 and loses their bytes. */
const rawFormat = 0xffff_fff0;

/** Has messages of this session handed over as the bytes that came. */
const keepBytes = (session: Session): void => {
  const onTransfer = session.on_transfer.bind(session);
  session.on_transfer = (frame) => {
    if ((frame.performative.message_format ?? 0) === 0)
      frame.performative.message_format = rawFormat;
    onTransfer(frame);
  };
};

const listenOptions = {
  autoaccept: false,
  treat_modified_as_released: false,
  tcp_no_delay: true,
  idle_time_out: 240_000,
  max_frame_size: 65_536,
  channel_max: 4999,
  // Deliveries wait here until they are settled in order: one held long must not stop the others.
  session_buffer_size: { incoming: 2048, outgoing: 8192 },
};

export class Listener {
  readonly #parts: ListenerParts;
  readonly #container: Container = createContainer("borsello-broker");
  readonly #connections = new Map<Connection, ClientConnection>();
  readonly #sockets = new Map<Socket, NodeJS.Timeout>();
  readonly #server: Server;

  private constructor(parts: ListenerParts) {
    this.#parts = parts;
    this.#onLinks();
    this.#onConnections();
    this.#server = this.#container.listen({
      ...listenOptions,
      host: parts.host,
      port: parts.port,
    });
    this.#server.on("connection", (socket) => this.#admit(socket));
  }

  /** Rejects with the system's error (EADDRINUSE) where the port cannot be had. */
  static async open(parts: ListenerParts): Promise<Listener> {
    const listener = new Listener(parts);
    await once(listener.#server, "listening");
    return listener;
  }

  get port(): number {
    const address: AddressInfo | string | null = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : this.#parts.port;
  }

  get connectionCount(): number {
    return this.#connections.size;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    const goodbye = {
      condition: conditions.connectionForced,
      description: "The broker is stopping.",
    };
    for (const connection of this.#connections.keys()) connection.close(goodbye);
    if (this.#sockets.size > 0) await sleep(goodbyeMs);
    for (const socket of this.#sockets.keys()) socket.destroy();
    for (const client of this.#connections.values()) client.close();
    await closed;
  }

  #admit(socket: Socket): void {
    this.#sockets.set(
      socket,
      setTimeout(() => socket.destroy(), openWithinMs),
    );
    socket.on("close", () => {
      clearTimeout(this.#sockets.get(socket));
      this.#sockets.delete(socket);
    });
  }

  #onLinks(): void {
    const container = this.#container;
    container.on("receiver_open", ({ connection, receiver }) =>
      this.#connections.get(connection)?.openProducer(receiver),
    );
    container.on("sender_open", ({ connection, sender }) =>
      this.#connections.get(connection)?.openConsumer(sender),
    );
    container.on("message", ({ connection, receiver, message, format, delivery }) =>
      this.#connections
        .get(connection)
        ?.receive(receiver, message, format === rawFormat ? 0 : format, delivery),
    );
    for (const name of ["sender_flow", "sendable"] as const)
      container.on(name, ({ connection, sender }) =>
        this.#connections.get(connection)?.flow(sender),
      );
    const outcomes: readonly OutcomeName[] = ["accepted", "rejected", "released", "modified"];
    for (const name of outcomes)
      container.on(name, ({ connection, sender, delivery }) =>
        this.#connections.get(connection)?.settle(sender, delivery, name),
      );
    container.on("receiver_close", ({ connection, receiver }) =>
      this.#connections.get(connection)?.closeProducer(receiver),
    );
    container.on("sender_close", ({ connection, sender }) =>
      this.#connections.get(connection)?.closeConsumer(sender),
    );
  }

  #onConnections(): void {
    const container = this.#container;
    const ignore = (): void => undefined;
    // Their `close` counterparts follow; unheard, they would end the process.
    container.on("receiver_error", ignore);
    container.on("sender_error", ignore);
    container.on("session_error", ignore);
    container.on("connection_error", ignore);
    container.on("error", (error) => this.#parts.report(error));
    container.on("protocol_error", (error) => this.#parts.report(error));
    container.on("connection_open", ({ connection }) => this.#opened(connection));
    container.on("session_open", ({ session }) => keepBytes(session));
    container.on("session_close", ({ connection, session }) =>
      this.#connections.get(connection)?.close(session),
    );
    for (const name of ["connection_close", "disconnected"] as const)
      container.on(name, ({ connection }) => {
        this.#connections.get(connection)?.close();
        this.#connections.delete(connection);
      });
  }

  #opened(connection: Connection): void {
    dropLateFrames(connection);
    this.#connections.set(connection, new ClientConnection(this.#parts));
    clearTimeout(this.#sockets.get(connection.socket));
  }
}
