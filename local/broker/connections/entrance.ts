/** The one port for all: by its first byte a peer is known to speak TLS, AMQP or HTTP. */
import type { Server as HttpServer } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createSecureContext, TLSSocket, type SecureContext } from "node:tls";
import type { CertificatePems } from "./certificate-der.js";

export interface EntranceParts {
  /** Takes a peer that speaks AMQP, or something that only the protocol can answer. */
  readonly acceptAmqp: (socket: Duplex) => void;
  /** Loaded when the first request comes. */
  readonly administration: () => Promise<HttpServer>;
  /** Null where TLS is not served. Asked for each connection: it may have been renewed. */
  readonly certificate: (() => Promise<CertificatePems>) | null;
  /** How long a peer may take to say anything, and to agree on TLS. */
  readonly openWithinMs: number;
  readonly report: (error: unknown) => void;
}

/** Of those that have said nothing yet, and of those that speak HTTP: for one more the oldest goes. */
const connectionsMax = 100;
const tlsHandshake = 0x16;

/** `A` begins AMQP, and no method of HTTP that is of use here. */
const isHttp = (byte: number): boolean => byte > 0x41 && byte <= 0x5a;

class Bounded {
  readonly #sockets = new Set<Duplex>();

  add(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    const [oldest] = this.#sockets;
    if (this.#sockets.size > connectionsMax) oldest?.destroy();
  }

  remove(socket: Duplex): void {
    this.#sockets.delete(socket);
  }

  destroy(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

export class Entrance {
  readonly #parts: EntranceParts;
  readonly #undecided = new Bounded();
  readonly #http = new Bounded();
  #context: { readonly pems: CertificatePems; readonly secureContext: SecureContext } | undefined;

  constructor(parts: EntranceParts) {
    this.#parts = parts;
  }

  admit(socket: Socket): void {
    // Its end is told by `close`; unheard, an error would end the process.
    socket.on("error", () => undefined);
    this.#decide(socket, true);
  }

  close(): void {
    this.#undecided.destroy();
    this.#http.destroy();
  }

  #decide(socket: Socket, mayBeTls: boolean): void {
    this.#undecided.add(socket);
    const timer = setTimeout(() => socket.destroy(), this.#parts.openWithinMs);
    socket.once("close", () => clearTimeout(timer));
    const onReadable = (): void => {
      const first: unknown = socket.read(1);
      if (!Buffer.isBuffer(first)) return;
      socket.off("readable", onReadable);
      clearTimeout(timer);
      socket.unshift(first);
      this.#handOn(socket, first[0] ?? 0, mayBeTls);
    };
    socket.on("readable", onReadable);
  }

  #handOn(socket: Socket, byte: number, mayBeTls: boolean): void {
    const { acceptAmqp, administration, certificate, report } = this.#parts;
    const orDestroy = (work: Promise<unknown>): void => {
      work.catch((error: unknown) => {
        report(error);
        socket.destroy();
      });
    };
    if (mayBeTls && byte === tlsHandshake && certificate !== null) {
      orDestroy(certificate().then((pems) => this.#secure(socket, pems)));
      return;
    }
    this.#undecided.remove(socket);
    if (isHttp(byte)) {
      this.#http.add(socket);
      orDestroy(administration().then((server) => server.emit("connection", socket)));
    } else acceptAmqp(socket);
  }

  /** What it speaks is known when it has agreed on TLS: until then the same bounds hold. */
  #secure(socket: Socket, pems: CertificatePems): void {
    if (this.#context?.pems !== pems)
      this.#context = {
        pems,
        secureContext: createSecureContext({
          cert: pems.certificate,
          key: pems.key,
          minVersion: "TLSv1.2",
        }),
      };
    const { secureContext } = this.#context;
    const secured = new TLSSocket(socket, { isServer: true, secureContext });
    this.#undecided.remove(socket);
    // A peer that does not trust us, or breaks off, is its own affair.
    secured.on("error", () => socket.destroy());
    this.#decide(secured, false);
  }
}
