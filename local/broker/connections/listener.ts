/** The server: accepts connections and brings what the library reports to the connection it is about. */
import { once } from "node:events";
import { createServer, type AddressInfo, type Server } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { BrokerError, conditions } from "../errors.js";
import { channelMax, frameBytesMax } from "../wire/frame-guard.js";
import { createContainer, type Connection, type Container } from "../wire/rhea.js";
import { ClientConnection, type ConnectionParts } from "./client-connection.js";
import { Entrance, type EntranceParts } from "./entrance.js";
import { handshakeTimeouts, Peer, type HandshakeTimeouts } from "../peers/peer.js";
import type { OutcomeName } from "../links/receiver-link.js";
import { formatOf, watchTransfers } from "../peers/transfers.js";

export interface ListenerParts extends ConnectionParts {
  readonly host: string;
  readonly port: number;
  readonly handshakeTimeouts?: HandshakeTimeouts | undefined;
  readonly administration: EntranceParts["administration"];
  readonly certificate: EntranceParts["certificate"];
}

const closeFrameMs = 100;

/** Connections of clients that have proved themselves. */
const clientsMax = 1000;
/** All others: where one more comes, the oldest goes. */
const unauthorizedMax = 100;

const connectionOptions = {
  autoaccept: false,
  treat_modified_as_released: false,
  tcp_no_delay: true,
  idle_time_out: 240_000,
  max_frame_size: frameBytesMax,
  channel_max: channelMax,
  // Credit is granted as messages are dealt with, not as they come.
  credit_window: 0,
  // Deliveries wait here until they are settled in order: one held long must not stop the others.
  session_buffer_size: { incoming: 2048, outgoing: 8192 },
};

export class Listener {
  readonly #parts: ListenerParts;
  readonly #container: Container = createContainer("borsello-broker");
  readonly #clients = new Map<Connection, ClientConnection>();
  readonly #peers = new Map<Connection, Peer>();
  /** Peers without a valid token, the oldest first. */
  readonly #unauthorized = new Set<Peer>();
  readonly #entrance: Entrance;
  readonly #server: Server;

  private constructor(parts: ListenerParts) {
    this.#parts = parts;
    this.#onLinks();
    this.#onConnections();
    this.#entrance = new Entrance({
      ...parts,
      acceptAmqp: (socket) => this.#admit(socket),
      openWithinMs: (parts.handshakeTimeouts ?? handshakeTimeouts).openWithinMs,
    });
    this.#server = createServer((socket) => this.#entrance.admit(socket));
    this.#server.listen({ host: parts.host, port: parts.port });
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
    return this.#clients.size;
  }

  /** A client that is connected otherwise than by the port. */
  accept(socket: Duplex): void {
    this.#admit(socket);
  }

  /** Ends the links to what is at this address or belongs to it. */
  endLinks(address: string, error: BrokerError): void {
    for (const client of this.#clients.values()) client.endLinks(address, error);
  }

  /** Keys were changed: what was opened by one that is gone ends. */
  checkAccess(): void {
    for (const client of this.#clients.values()) client.checkAccess();
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#entrance.close();
    const stopping = {
      condition: conditions.connectionForced,
      description: "The broker is stopping.",
    };
    for (const connection of this.#clients.keys()) connection.close(stopping);
    if (this.#peers.size > 0) await sleep(closeFrameMs);
    for (const peer of this.#peers.values()) peer.destroy();
    for (const client of this.#clients.values()) client.close();
    await closed;
  }

  #admit(socket: Duplex): void {
    const connection = this.#container.create_connection(connectionOptions);
    const peer = new Peer({
      connection,
      socket,
      handshakeTimeouts: this.#parts.handshakeTimeouts ?? handshakeTimeouts,
      report: this.#parts.report,
      onDrain: () => this.#clients.get(connection)?.flowAll(),
    });
    this.#peers.set(connection, peer);
    this.#unauthorized.add(peer);
    socket.on("close", () => {
      this.#peers.delete(connection);
      this.#unauthorized.delete(peer);
      this.#forget(connection);
    });
    const [oldest] = this.#unauthorized;
    if (this.#unauthorized.size > unauthorizedMax) oldest?.destroy();
    connection.accept(socket);
  }

  #onLinks(): void {
    const container = this.#container;
    container.on("receiver_open", ({ connection, receiver }) =>
      this.#clients.get(connection)?.openSender(receiver),
    );
    container.on("sender_open", ({ connection, sender }) =>
      this.#clients.get(connection)?.openReceiver(sender),
    );
    container.on("message", ({ connection, receiver, message, format, delivery }) =>
      this.#clients.get(connection)?.receive(receiver, message, formatOf(format), delivery),
    );
    for (const name of ["sender_flow", "sendable"] as const)
      container.on(name, ({ connection, sender }) => this.#clients.get(connection)?.flow(sender));
    const outcomes: readonly OutcomeName[] = ["accepted", "rejected", "released", "modified"];
    for (const name of outcomes)
      container.on(name, ({ connection, sender, delivery }) =>
        this.#clients.get(connection)?.settle(sender, delivery, name),
      );
    container.on("receiver_close", ({ connection, receiver }) =>
      this.#clients.get(connection)?.closeSender(receiver),
    );
    container.on("sender_close", ({ connection, sender }) =>
      this.#clients.get(connection)?.closeReceiver(sender),
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
    container.on("connection_open", ({ connection }) => this.#opened(connection));
    container.on("session_open", ({ connection, session }) =>
      watchTransfers(session, () => this.#clients.get(connection)?.flowAll(session)),
    );
    container.on("session_close", ({ connection, session }) =>
      this.#clients.get(connection)?.close(session),
    );
    for (const name of ["connection_close", "disconnected"] as const)
      container.on(name, ({ connection }) => this.#forget(connection));
  }

  #opened(connection: Connection): void {
    const peer = this.#peers.get(connection);
    if (peer === undefined) return;
    if (this.#peers.size - this.#unauthorized.size >= clientsMax) {
      peer.end(
        new BrokerError(
          conditions.resourceLimitExceeded,
          `More than ${clientsMax} connections are open.`,
        ),
      );
      return;
    }
    peer.opened();
    const onAuthorized = (): void => {
      peer.authorized();
      this.#unauthorized.delete(peer);
    };
    this.#clients.set(connection, new ClientConnection(this.#parts, onAuthorized));
  }

  #forget(connection: Connection): void {
    this.#clients.get(connection)?.close();
    this.#clients.delete(connection);
  }
}
