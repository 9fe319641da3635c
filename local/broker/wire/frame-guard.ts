/** Cuts what a peer sends into frames and checks each, before the library's decoder sees it. */
import { asBrokerError, BrokerError, conditions } from "../errors.js";
import { checkPerformative, performative, readSaslMechanism } from "./performatives.js";

/** Announced to peers: a larger frame is refused by its first four bytes. */
export const frameBytesMax = 65_536;
/** Channels beyond it were not announced. */
export const channelMax = 4999;
/** What a peer may send before anything is agreed on (`MIN-MAX-FRAME-SIZE`). */
const saslFrameBytesMax = 512;

const headerBytes = 8;
/** A frame begins with its size. */
const sizeBytes = 4;
const frameHeaderBytes = 8;
const protocol = { amqp: 0, sasl: 3 } as const;
const mechanisms: readonly string[] = ["ANONYMOUS", "MSSBCBS"];
const nothing = Buffer.alloc(0);

const framingError = (what: string): BrokerError =>
  new BrokerError(conditions.framingError, `The connection cannot go on: ${what}.`);

/** Bytes of another protocol: they are answered with the header of ours. */
export class ProtocolHeaderError extends BrokerError {}

/** What the next bytes have to be. */
type Phase = "first header" | "SASL" | "AMQP header" | "open" | "frames" | "closed";

export class FrameGuard {
  #phase: Phase = "first header";
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** As long as fewer bytes are here, nothing can be said. */
  #wanted = headerBytes;
  #isPaused = false;
  #fault: BrokerError | undefined;

  /** What is wrong with the bytes after those that were handed out; nothing more is. */
  get fault(): BrokerError | undefined {
    return this.#fault;
  }

  /** Whether AMQP frames are exchanged, so that a fault can be told by one. */
  get isAmqp(): boolean {
    return this.#phase === "open" || this.#phase === "frames";
  }

  /** The library chooses the mechanism a moment later: until `resume`, what comes is held. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** The whole frames that came up to here, checked, each once. */
  accept(chunk: Buffer): Buffer {
    if (this.#fault !== undefined) return nothing;
    this.#heldBytes += chunk.length;
    this.#held.push(chunk);
    if (this.#isPaused || this.#heldBytes < this.#wanted) return nothing;
    const bytes = this.#held.length === 1 ? chunk : Buffer.concat(this.#held, this.#heldBytes);
    const end = this.#check(bytes);
    this.#held = end === bytes.length ? [] : [bytes.subarray(end)];
    this.#heldBytes = bytes.length - end;
    return bytes.subarray(0, end);
  }

  resume(): Buffer {
    this.#isPaused = false;
    return this.accept(nothing);
  }

  /** Where the last whole frame ends that is right. */
  #check(bytes: Buffer): number {
    let at = 0;
    try {
      for (let next; (next = this.#next(bytes, at)) !== undefined;) at = next;
    } catch (error) {
      this.#fault = asBrokerError(error);
    }
    // After its close a peer has nothing more to say.
    return this.#phase === "closed" ? bytes.length : at;
  }

  /** Where the header or frame ends that begins here, or undefined where that is still to come. */
  #next(bytes: Buffer, at: number): number | undefined {
    const isHeader = this.#phase === "first header" || this.#phase === "AMQP header";
    const left = bytes.length - at;
    this.#wanted = isHeader ? headerBytes : sizeBytes;
    if (this.#isPaused || this.#phase === "closed" || left < this.#wanted) return undefined;
    const size = isHeader ? headerBytes : this.#frameSize(bytes.readUInt32BE(at));
    this.#wanted = size;
    if (left < size) return undefined;
    const unit = bytes.subarray(at, at + size);
    if (isHeader) this.#header(unit);
    else this.#frame(unit);
    return at + size;
  }

  #frameSize(size: number): number {
    const max = this.#phase === "SASL" ? saslFrameBytesMax : frameBytesMax;
    if (size > max) throw framingError(`a frame of ${size} bytes exceeds the ${max} allowed`);
    if (size < frameHeaderBytes) throw framingError(`a frame of ${size} bytes has no header`);
    return size;
  }

  #header(header: Buffer): void {
    const id = header[4];
    const isKnown =
      header.toString("latin1", 0, 4) === "AMQP" &&
      header[5] === 1 &&
      header[6] === 0 &&
      (id === protocol.amqp || (id === protocol.sasl && this.#phase === "first header"));
    if (!isKnown)
      throw new ProtocolHeaderError(
        conditions.framingError,
        `Invalid protocol header: ${header.toString("hex")} is not AMQP 1.0.`,
      );
    this.#phase = id === protocol.sasl ? "SASL" : "open";
  }

  #frame(frame: Buffer): void {
    const bodyAt = (frame[4] ?? 0) * 4;
    if (bodyAt < frameHeaderBytes || bodyAt > frame.length)
      throw framingError("a frame's body begins outside of it");
    const isSasl = this.#phase === "SASL";
    if (frame[5] !== (isSasl ? 1 : 0)) throw framingError("a frame has another type");
    if (isSasl) this.#sasl(frame, bodyAt);
    else this.#amqp(frame, bodyAt);
  }

  #sasl(frame: Buffer, bodyAt: number): void {
    const mechanism = readSaslMechanism(frame, bodyAt);
    if (!mechanisms.includes(mechanism))
      throw new BrokerError(conditions.unauthorized, "The SASL mechanism is not offered.");
    this.#phase = "AMQP header";
    this.#isPaused = true;
  }

  #amqp(frame: Buffer, bodyAt: number): void {
    const channel = frame.readUInt16BE(6);
    if (channel > channelMax) throw framingError(`channel ${channel} was not announced`);
    // Without a body a frame says that the peer is alive.
    if (bodyAt === frame.length) return;
    const code = checkPerformative(frame, bodyAt);
    if ((code === performative.open) !== (this.#phase === "open"))
      throw new BrokerError(
        conditions.illegalState,
        this.#phase === "open" ? "A connection begins with open." : "The connection is open.",
      );
    this.#phase = code === performative.close ? "closed" : "frames";
  }
}
