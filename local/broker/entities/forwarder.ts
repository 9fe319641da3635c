/** Moves the messages of one entity on to another, each in one commit: none is lost or there twice. */
import { BrokerError, conditions } from "../errors.js";
import type { StoredMessage } from "../storage/stored-message.js";
import { types } from "../wire/rhea.js";
import { encodeAnnotations, withApplicationProperties } from "../wire/sections.js";
import { deadLetterChanges } from "./dead-letter.js";
import type { Destination } from "./destination.js";
import type { Queue } from "./queue.js";
import type { Forwarding, Receiver } from "./receiver.js";

/** As the service has it: so often a message is passed on, from wherever it was sent to. */
const hopsMax = 4;
/** Messages on the way to the disk. */
const movingMax = 1000;

export interface ForwarderParts {
  readonly queue: Queue;
  /** The path of the entity that is forwarded to. */
  readonly target: string;
  /** Where messages go that cannot be passed on. */
  readonly transferLetters: Queue;
  /** Set for dead letters: the entity whose they are. */
  readonly deadLettersOf: string | null;
  readonly find: (path: string) => Destination | undefined;
}

/** The reason for which the service, too, keeps a message from its target. */
const reasonOf = (error: BrokerError): string => {
  if (error.condition === conditions.entityDisabled) return "MessagingEntityDisabled";
  return error.condition === conditions.notAllowed ? "Session ID is null." : "ForwardingFailed";
};

/** To the dispatcher it is a receiver: one for which every message goes its way by itself. */
export class Forwarder implements Receiver, Forwarding {
  readonly locks = false;
  readonly name = "$forward";
  readonly #parts: ForwarderParts;
  #moving = 0;

  constructor(parts: ForwarderParts) {
    this.#parts = parts;
  }

  /** Takes the place of receivers. */
  start(): void {
    const { queue } = this.#parts;
    queue.forwarder = this;
    queue.dispatcher.attach(this);
  }

  stop(): void {
    const { queue } = this.#parts;
    queue.forwarder = null;
    queue.dispatcher.detach(this);
  }

  /** Passes on what is there: at the start, and when a target may have come back. */
  retry(): void {
    this.#parts.queue.dispatcher.dispatch();
  }

  /** Null while messages stay: dead letters wait for a target that is not there. */
  get forward(): ((message: StoredMessage) => Promise<void>) | null {
    const { deadLettersOf, find, target } = this.#parts;
    if (deadLettersOf !== null && find(target) === undefined) return null;
    return (message) => this.#forward(message);
  }

  capacity(): number {
    return this.forward === null ? 0 : movingMax - this.#moving;
  }

  reserve(): void {
    this.#moving += 1;
  }

  unreserve(): void {
    this.#moving -= 1;
  }

  deliver(): void {
    throw new Error("A forwarder is given nothing.");
  }

  end(error: BrokerError): void {
    throw error;
  }

  async #forward(message: StoredMessage): Promise<void> {
    this.reserve();
    await this.#move(message).finally(() => this.unreserve());
    // After the message is known to be gone: there is room for the next. One that fails rests before it is tried again.
    setImmediate(() => this.retry());
  }

  async #move(message: StoredMessage): Promise<void> {
    const { target, find, deadLettersOf } = this.#parts;
    if (message.hops >= hopsMax)
      return this.#giveUp(
        message,
        "MaxTransferHopCountExceeded",
        `The message was forwarded ${hopsMax} times, which is as often as is allowed.`,
      );
    const destination = find(target);
    if (destination === undefined)
      return this.#giveUp(
        message,
        "MessagingEntityNotFound",
        `The messaging entity '${target}', which messages are forwarded to, could not be found.`,
      );
    try {
      await destination.takeOver(
        message,
        deadLettersOf === null
          ? message.annotations
          : encodeAnnotations(
              message.annotations,
              new Map([["x-opt-deadletter-source", types.wrap_string(deadLettersOf)]]),
            ),
      );
    } catch (error) {
      // What the target refuses it would refuse again; anything else is tried again.
      if (!(error instanceof BrokerError)) throw error;
      await this.#giveUp(message, reasonOf(error), error.message);
    }
  }

  async #giveUp(message: StoredMessage, reason: string, description: string): Promise<void> {
    const { queue, transferLetters } = this.#parts;
    const changes = deadLetterChanges(reason, description);
    message.bare = withApplicationProperties(message.bare, changes);
    await queue.moveTo(transferLetters, message);
  }
}
