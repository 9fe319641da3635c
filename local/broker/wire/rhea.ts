/**
 * The part of rhea that the broker uses, typed: rhea's own declarations leave out its codec and the
 * link internals that a server needs. The casts of this file are the only ones to rhea.
 */
import rhea from "rhea";
import type { Duplex } from "node:stream";

/** A value together with its AMQP type, as rhea's codec reads and writes it. */
export interface Typed {
  readonly type: { readonly typecode: number };
  readonly value: unknown;
  readonly descriptor?: Typed;
}

export interface Reader {
  position: number;
  read(): Typed;
  read_constructor(): { readonly descriptor?: Typed };
  remaining(): number;
}

export interface Writer {
  write(value: Typed): void;
  toBuffer(): Buffer;
}

interface Types {
  readonly Reader: new (buffer: Buffer) => Reader;
  readonly Writer: new () => Writer;
  wrap(value: unknown): Typed;
  wrap_string(value: string): Typed;
  wrap_symbol(value: string): Typed;
  wrap_boolean(value: boolean): Typed;
  wrap_double(value: number): Typed;
  wrap_int(value: number): Typed;
  wrap_uint(value: number): Typed;
  wrap_ubyte(value: number): Typed;
  wrap_ulong(value: number): Typed;
  wrap_uuid(value: Buffer): Typed;
  wrap_list(values: readonly unknown[]): Typed;
  wrap_array(values: readonly unknown[], typecode: number): Typed;
  wrap_error(error: AmqpError): Typed;
  Null(): Typed;
  Long(value: number | Buffer): Typed;
  Timestamp(value: number): Typed;
  Map32(items: readonly Typed[]): Typed;
  List32(items: readonly Typed[]): Typed;
  described(descriptor: Typed, value: Typed): Typed;
  unwrap(value: unknown): unknown;
}

export interface AmqpError {
  readonly condition: string;
  readonly description: string;
}

export interface Terminus {
  readonly address?: string | null;
  readonly filter?: Readonly<Record<string, unknown>> | null;
}

/** An outcome keeps its fields as typed values, in the order of the specification. */
export interface Outcome {
  readonly value: readonly (Typed | undefined)[];
  readonly undeliverable_here?: boolean;
  readonly error?: { readonly condition?: string };
}

export interface Delivery {
  readonly id: number;
  readonly tag: Buffer;
  readonly remote_state?: Outcome;
  settled: boolean;
  remote_settled: boolean;
  update(settled: boolean, state: Typed): void;
}

/** A frame as far as it says whom it is for. */
export interface ChannelFrame {
  readonly channel: number;
}

export interface TransferFrame extends ChannelFrame {
  readonly performative: {
    readonly handle: number;
    readonly aborted?: boolean | null;
    message_format?: number | null;
  };
  payload?: Buffer | undefined;
}

export interface FlowFrame extends ChannelFrame {
  readonly performative: { readonly handle?: number | null };
}

/** Of an attach or a detach. */
export interface HandleFrame extends ChannelFrame {
  readonly performative: { readonly handle: number };
}

export interface DispositionFrame extends ChannelFrame {
  readonly performative: { readonly role: boolean; first: number; last?: number | null };
}

export interface OpenFrame extends ChannelFrame {
  readonly performative: {
    readonly max_frame_size?: number | null;
    readonly idle_time_out?: number | null;
  };
}

/** The deliveries of one direction that are not settled by both sides, in the order of their ids. */
interface Deliveries {
  readonly size: number;
  get_head(): { readonly id: number } | undefined;
}

export interface Session {
  readonly connection: Connection;
  readonly local: { readonly begin: { handle_max?: number } };
  readonly remote: { readonly handles: Readonly<Record<number, IncomingLink>> };
  readonly incoming: { readonly deliveries: Deliveries };
  readonly outgoing: {
    readonly deliveries: Deliveries;
    readonly next_delivery_id: number;
    readonly next_pending_delivery: number;
    available(): number;
    /** How many frames the peer has room for. */
    transfer_window(): number;
  };
  on_flow(frame: FlowFrame): void;
  on_transfer(frame: TransferFrame): void;
}

export interface Connection {
  accept(socket: Duplex): void;
  input(bytes: Buffer): void;
  /** Writes out what is due, now. */
  /** Writes what waits to the socket, and starts the timers that watch for silence. */
  output(): void;
  _process(): void;
  /** Has what is due written out at the end of this turn. */
  _register(): void;
  is_open(): boolean;
  open(): void;
  close(error?: AmqpError): void;
  on(name: "error" | "protocol_error", on: (error: unknown) => void): void;
  on_open(frame: OpenFrame): void;
  on_begin(frame: ChannelFrame): void;
  on_end(frame: ChannelFrame): void;
  on_attach(frame: HandleFrame): void;
  on_flow(frame: FlowFrame): void;
  on_transfer(frame: TransferFrame): void;
  on_disposition(frame: DispositionFrame): void;
  on_detach(frame: HandleFrame): void;
  readonly remote_channel_map: Readonly<Record<number, Session>>;
  readonly socket: Duplex;
}

interface Attach {
  source?: unknown;
  target?: unknown;
  snd_settle_mode?: number;
  rcv_settle_mode?: number;
  max_message_size?: number;
  properties?: Readonly<Record<string, Typed>>;
}

export interface Link {
  readonly name: string;
  readonly session: Session;
  readonly connection: Connection;
  readonly local: { readonly attach: Attach };
  readonly state: { local_open: boolean; open_requests: number };
  readonly source?: Terminus | null;
  readonly target?: Terminus | null;
  readonly snd_settle_mode?: number;
  readonly rcv_settle_mode?: number;
  readonly properties?: Readonly<Record<string, unknown>> | null;
  set_source(terminus: Terminus): void;
  set_target(terminus: Terminus): void;
  open(): void;
  close(error?: AmqpError): void;
  is_open(): boolean;
}

/** Our side of a client's sender. */
export interface IncomingLink extends Link {
  readonly credit: number;
  /** The delivery of which frames are still to come. */
  _incomplete?: { settled: boolean } | undefined;
  is_receiver(): boolean;
  add_credit(credit: number): void;
}

/** Our side of a client's receiver. */
export interface SendingLink extends Link {
  credit: number;
  delivery_count: number;
  issue_flow: boolean;
  readonly _draining: boolean;
  _get_drain(): boolean;
  send(payload: Buffer, tag: Buffer, format: number): Delivery;
}

export interface ConnectionContext {
  readonly connection: Connection;
}
export interface SessionContext extends ConnectionContext {
  readonly session: Session;
}
export interface SendingContext extends SessionContext {
  readonly sender: SendingLink;
}
export interface OutcomeContext extends SendingContext {
  readonly delivery: Delivery;
}
export interface ReceivingContext extends SessionContext {
  readonly receiver: IncomingLink;
}
export interface TransferContext extends ReceivingContext {
  readonly delivery: Delivery;
  readonly message: Buffer;
  readonly format: number;
}

interface Mechanism {
  readonly outcome: boolean;
  start(): void;
}

export interface Container {
  readonly sasl_server_mechanisms: Record<string, unknown> & { enable_anonymous(): void };
  on(
    name: "sender_open" | "sender_flow" | "sendable" | "sender_close" | "sender_error",
    on: (context: SendingContext) => void,
  ): void;
  on(
    name: "accepted" | "rejected" | "released" | "modified",
    on: (context: OutcomeContext) => void,
  ): void;
  on(
    name: "receiver_open" | "receiver_close" | "receiver_error",
    on: (context: ReceivingContext) => void,
  ): void;
  on(name: "message", on: (context: TransferContext) => void): void;
  on(
    name: "session_open" | "session_close" | "session_error",
    on: (context: SessionContext) => void,
  ): void;
  on(
    name: "connection_open" | "connection_close" | "connection_error" | "disconnected",
    on: (context: ConnectionContext) => void,
  ): void;
  on(name: "error", on: (error: unknown) => void): void;
  create_connection(options: Readonly<Record<string, unknown>>): Connection;
}

export interface DecodedMessage {
  readonly message_id?: unknown;
  readonly reply_to?: string;
  readonly application_properties?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

interface MessageCodec {
  encode(message: Readonly<Record<string, unknown>>): Buffer;
  decode(encoded: Buffer): DecodedMessage;
  accepted(): { described(): Typed };
  rejected(fields: { readonly error: AmqpError }): { described(): Typed };
}

export const types = rhea.types as unknown as Types;
export const codec = rhea.message as unknown as MessageCodec;

/** A mechanism of the service's own for clients that prove themselves later, by token. */
const claimsLater = (): Mechanism => ({ outcome: true, start: () => undefined });

export const createContainer = (id: string): Container => {
  const container = rhea.create_container({ id }) as unknown as Container;
  container.sasl_server_mechanisms.enable_anonymous();
  container.sasl_server_mechanisms["MSSBCBS"] = claimsLater;
  return container;
};
