/** What a dispatcher of messages knows of its receivers, and of the queue whose messages it dispatches. */
import type { BrokerError } from "../errors.js";
import type { CommitLog } from "../storage/commit-log.js";
import type { MessageReader } from "../storage/message-reader.js";
import type { StoredMessage } from "../storage/stored-message.js";
import type { Typed } from "../wire/rhea.js";
import type { Lock } from "./lock-table.js";

/** Application properties that a receiver sets while it settles. */
export type Changes = ReadonlyMap<string, Typed>;

/** A receiver, as a dispatcher sees it. */
export interface Receiver {
  /** Whether messages stay locked until they are settled, or are gone when they are sent. */
  readonly locks: boolean;
  /** The link's name: requests about a session say by it whose they are. */
  readonly name: string;
  /** How many more messages it asks for, those reserved apart. */
  capacity(): number;
  /** Sets room aside for a message that has to be removed before it is delivered. */
  reserve(): void;
  /** Gives that room back. */
  unreserve(): void;
  deliver(message: StoredMessage, lock: Lock | null): void;
  /** The session was lost: the link has to end with this. */
  end(error: BrokerError): void;
}

/** What passes messages on instead of having them received. */
export interface Forwarding {
  /** Null while messages stay. */
  readonly forward: ((message: StoredMessage) => Promise<void>) | null;
  /** Passes on what is there: at the start, and when a target may have come back. */
  retry(): void;
  stop(): void;
}

/** What a dispatcher needs of the queue that it belongs to. */
export interface DispatcherQueue {
  readonly entityId: number;
  readonly log: CommitLog;
  readonly reader: MessageReader;
  readonly settings: { readonly lockMs: number };
  readonly deliveryCountMax: number;
  readonly forwarder: Forwarding | null;
  readonly hasDeadLetters: boolean;
  /** One at a time: work that reads messages from the database and then claims them. */
  exclusive<T>(work: () => Promise<T>): Promise<T>;
  deadLetter(message: StoredMessage): Promise<void>;
  expire(message: StoredMessage): Promise<void>;
  /** A failure that nobody waits for. */
  report(error: unknown): void;
}
