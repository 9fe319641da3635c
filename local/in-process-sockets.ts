/** Sockets without a kernel: a client in this process that connects to a server of this process gets a pair in memory. */
import net from "node:net";
import { Duplex } from "node:stream";

type Done = (error?: Error | null) => void;

/** What a socket could be told, and what in memory is so anyway. */
const nothing = (): void => undefined;

/** So much is taken for one turn; the writer then waits for the next. */
const bytesAtOnce = 64 * 1024;

/**
 * One end of a pair. What is written in one turn of the event loop arrives as one piece in the
 * next: as with a socket, nobody is called from within his own write.
 */
export class MemorySocket extends Duplex {
  readonly remoteAddress = "127.0.0.1";
  readonly setNoDelay = nothing;
  readonly setKeepAlive = nothing;
  #peer: MemorySocket | undefined;
  #written: Buffer[] = [];
  #bytes = 0;
  #hasEnded = false;
  #isScheduled = false;
  /** The peer has more than it reads: the writer waits, its `done` is kept. */
  #isFull = false;
  #done: Done | undefined;

  private constructor() {
    super({ allowHalfOpen: false });
  }

  static pair(): [MemorySocket, MemorySocket] {
    const [one, other] = [new MemorySocket(), new MemorySocket()];
    one.#peer = other;
    other.#peer = one;
    return [one, other];
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#written.push(chunk);
    this.#bytes += chunk.length;
    this.#schedule();
    if (this.#isFull || this.#bytes >= bytesAtOnce) this.#done = done;
    else done();
  }

  override _read(): void {
    if (this.#peer !== undefined) this.#peer.#goOn();
  }

  override _final(done: Done): void {
    setImmediate(() => {
      this.#passEnd();
      done();
    });
  }

  /** What was written before still arrives, and the end after it. */
  override _destroy(error: Error | null, done: Done): void {
    setImmediate(() => {
      this.#passEnd();
      if (this.#peer !== undefined) this.#peer.#goOn();
      this.#peer = undefined;
    });
    done(error);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#pass();
    });
  }

  #pass(): void {
    const [first, ...rest] = this.#written;
    if (first === undefined) return;
    this.#written = [];
    this.#bytes = 0;
    if (this.#peer === undefined || this.#peer.destroyed || this.#hasEnded) {
      // Nobody reads it: a writer who waited on would never come to his own end.
      this.#goOn();
      return;
    }
    this.#isFull = !this.#peer.push(rest.length === 0 ? first : Buffer.concat([first, ...rest]));
    if (!this.#isFull) this.#goOn();
  }

  #passEnd(): void {
    this.#pass();
    if (this.#peer !== undefined && !this.#peer.destroyed) this.#peer.push(null);
    this.#hasEnded = true;
  }

  #goOn(): void {
    this.#isFull = false;
    const done = this.#done;
    this.#done = undefined;
    done?.();
  }
}

type Accept = (socket: Duplex) => void;

const servers = new Map<number, Accept>();
const isLoopback = (host: unknown): boolean => host === "127.0.0.1" || host === "localhost";

const connectInMemory = (accept: Accept, connected: unknown): MemorySocket => {
  const [mine, theirs] = MemorySocket.pair();
  setImmediate(() => {
    accept(theirs);
    mine.emit("connect");
    if (typeof connected === "function") (connected as () => void)(); // A listener of "connect", as with net.connect.
  });
  return mine;
};

/** `net.connect(port, host, …, listener)` is how the AMQP library connects; all else goes its usual way. */
const watchConnections = (): void => {
  const connect = net.connect as (...args: unknown[]) => net.Socket;
  const patched = (...args: unknown[]): Duplex => {
    const [port, host] = args;
    const accept = servers.get(Number(port));
    return accept !== undefined && isLoopback(host)
      ? connectInMemory(accept, args.at(-1))
      : connect(...args);
  };
  net.connect = patched as typeof net.connect; // A pair serves wherever only a stream is asked of a socket.
};
let isWatching = false;

/** Until the returned function is called, this process reaches the server on that port in memory; others by the port. */
export const serveInProcess = (port: number, accept: Accept): (() => void) => {
  if (!isWatching) watchConnections();
  isWatching = true;
  servers.set(port, accept);
  return () => {
    if (servers.get(port) === accept) servers.delete(port);
  };
};
