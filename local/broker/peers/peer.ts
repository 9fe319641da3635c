/** One peer's socket: its bytes are checked before the library has them, and its faults end it alone. */
import type { Duplex } from "node:stream";
import { asBrokerError, BrokerError, conditions } from "../errors.js";
import { FrameGuard, ProtocolHeaderError } from "../wire/frame-guard.js";
import type { Connection, OpenFrame } from "../wire/rhea.js";
import { watchChannels, type ChannelBounds } from "./channels.js";
import { amqpError } from "./settlement.js";

/** How long a peer may take; a client whose open got stuck tries again only when its socket closes. */
export interface HandshakeTimeouts {
  /** From its connection to its open frame. */
  readonly openWithinMs: number;
  /** From its connection to its first valid token. */
  readonly authorizedWithinMs: number;
}

export const handshakeTimeouts: HandshakeTimeouts = {
  openWithinMs: 10_000,
  authorizedWithinMs: 30_000,
};

const unauthorizedBounds: ChannelBounds = { sessionsMax: 8, linksMax: 16 };
const authorizedBounds: ChannelBounds = { sessionsMax: 5000, linksMax: 5000 };

/** Smaller frames cannot carry a message (`MIN-MAX-FRAME-SIZE`). */
const frameBytesMin = 512;
/** A peer that wants a sign of life more often keeps us busy with nothing else. */
const idleTimeoutMinMs = 100;
/** What a peer does not read is not added to: nothing more of it is read either. */
const unreadBytesMax = 1024 * 1024;
/** Time for a peer to read why it is closed. */
const closeTimeoutMs = 1000;
const protocolHeader = Buffer.from("AMQP\x03\x01\x00\x00", "latin1");

export interface PeerParts {
  readonly connection: Connection;
  readonly socket: Duplex;
  readonly handshakeTimeouts: HandshakeTimeouts;
  readonly report: (error: unknown) => void;
  /** The peer reads again what was written for it. */
  readonly onDrain: () => void;
}

const checkOpen = ({ performative }: OpenFrame): void => {
  const { max_frame_size: frameBytes, idle_time_out: idleMs } = performative;
  if (typeof frameBytes === "number" && frameBytes < frameBytesMin)
    throw new BrokerError(
      conditions.invalidField,
      `A max-frame-size below ${frameBytesMin} is not allowed.`,
    );
  if (typeof idleMs === "number" && idleMs > 0 && idleMs < idleTimeoutMinMs)
    throw new BrokerError(
      conditions.notAllowed,
      `An idle-time-out below ${idleTimeoutMinMs} ms is not kept.`,
    );
};

/** The library tells of protocol faults in sentences, of its own surprises in the engine's words. */
const asPeerError = (error: unknown): BrokerError => {
  if (error instanceof BrokerError) return error;
  const isTold =
    error instanceof Error && !(error instanceof TypeError || error instanceof RangeError);
  return new BrokerError(
    conditions.illegalState,
    isTold ? error.message : "A frame does not fit the state of the connection.",
  );
};

export class Peer {
  readonly connection: Connection;
  readonly #parts: PeerParts;
  readonly #guard = new FrameGuard();
  #timer: NodeJS.Timeout;
  #isAuthorized = false;
  #isEnded = false;

  /** Before the library accepts the socket. */
  constructor(parts: PeerParts) {
    const { connection, socket } = parts;
    this.connection = connection;
    this.#parts = parts;
    this.#timer = setTimeout(() => {
      this.end(new BrokerError(conditions.timeout, "The connection was not opened in time."));
    }, parts.handshakeTimeouts.openWithinMs);
    socket.on("close", () => clearTimeout(this.#timer));
    socket.on("drain", () => {
      socket.resume();
      parts.onDrain();
    });
    this.#guardInput();
    this.#guardOutput();
    watchChannels(connection, () => (this.#isAuthorized ? authorizedBounds : unauthorizedBounds));
    const onOpen = connection.on_open.bind(connection);
    connection.on_open = (frame) => {
      checkOpen(frame);
      onOpen(frame);
    };
    for (const name of ["error", "protocol_error"] as const)
      connection.on(name, (error) => this.end(asPeerError(error)));
  }

  get isAuthorized(): boolean {
    return this.#isAuthorized;
  }

  opened(): void {
    clearTimeout(this.#timer);
    const { openWithinMs, authorizedWithinMs } = this.#parts.handshakeTimeouts;
    this.#timer = setTimeout(
      () => {
        this.end(new BrokerError(conditions.unauthorized, "No valid token was presented in time."));
      },
      Math.max(0, authorizedWithinMs - openWithinMs),
    );
  }

  authorized(): void {
    this.#isAuthorized = true;
    clearTimeout(this.#timer);
  }

  /** Tells the peer why, as far as it can be told, and closes its socket. */
  end(error: BrokerError): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const { connection, socket, report } = this.#parts;
    report(error);
    clearTimeout(this.#timer);
    try {
      if (this.#guard.isAmqp) {
        connection.open();
        connection.close(amqpError(error));
        connection._process();
      } else if (error instanceof ProtocolHeaderError) socket.write(protocolHeader);
    } catch (failure) {
      // The peer is not told why; it is closed all the same.
      report(failure);
    }
    socket.end();
    this.#timer = setTimeout(() => socket.destroy(), closeTimeoutMs);
    socket.resume();
  }

  destroy(): void {
    this.#isEnded = true;
    this.#parts.socket.destroy();
  }

  #guardInput(): void {
    const { connection } = this.#parts;
    const input = connection.input.bind(connection);
    const pass = (checked: () => Buffer): void => {
      // Bytes that waited may come after the end; the library would start a timer for a peer that is gone.
      if (this.#isEnded || this.#parts.socket.destroyed) return;
      try {
        const bytes = checked();
        if (bytes.length > 0) input(bytes);
      } catch (error) {
        this.end(asBrokerError(error));
      }
      if (this.#guard.fault !== undefined) this.end(this.#guard.fault);
      if (this.#guard.isPaused) setImmediate(() => pass(() => this.#guard.resume()));
      this.#waitForReader();
    };
    connection.input = (chunk) => pass(() => this.#guard.accept(chunk));
  }

  /** What is written out at the end of a turn throws into nobody's hands; to a peer that is gone nothing is. */
  #guardOutput(): void {
    const { connection, socket } = this.#parts;
    const output = connection.output.bind(connection);
    connection.output = () => {
      if (!socket.destroyed) output();
    };
    const process = connection._process.bind(connection);
    connection._process = () => {
      try {
        process();
      } catch (error) {
        this.end(asBrokerError(error));
      }
    };
  }

  #waitForReader(): void {
    const { socket } = this.#parts;
    if (socket.writableLength > unreadBytesMax && !this.#isEnded) socket.pause();
  }
}
