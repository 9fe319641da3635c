/** A client's receiver: sends what it asks for, and carries out what it decides on each message. */
import { asBrokerError, type BrokerError } from "../errors.js";
import type { Dispatcher } from "../entities/dispatcher.js";
import type { Lock } from "../entities/lock-table.js";
import { encodeDelivery } from "../entities/delivery.js";
import type { Changes, Receiver } from "../entities/receiver.js";
import type { StoredMessage } from "../storage/stored-message.js";
import type { Delivery, SendingLink, Typed } from "../wire/rhea.js";
import { listFields, mapEntries } from "../wire/values.js";
import { OutgoingCredit } from "../peers/credit.js";
import { inTime } from "../peers/deadline.js";
import { amqpError, settleAccepted, settleRejected } from "../peers/settlement.js";

export type OutcomeName = "accepted" | "rejected" | "released" | "modified";

const deadLetterCondition = "com.microsoft:dead-letter";
const settledMode = 1;

const changesOf = (map: Typed | undefined): Changes => new Map(mapEntries(map));

export class ReceiverLink implements Receiver {
  readonly locks: boolean;
  readonly name: string;
  readonly #link: SendingLink;
  readonly #dispatcher: Dispatcher;
  readonly #onClose: () => void;
  readonly #credit: OutgoingCredit;
  #reserved = 0;
  #drainIsDue = false;
  #draining: Promise<void> | undefined;

  constructor(link: SendingLink, dispatcher: Dispatcher, onClose: () => void) {
    this.#link = link;
    this.#dispatcher = dispatcher;
    this.#onClose = onClose;
    this.#credit = new OutgoingCredit(link);
    this.name = link.name;
    this.locks = link.snd_settle_mode !== settledMode;
    // A drain is answered even where no credit is left: the client waits for it.
    link._get_drain = () => this.#drain();
  }

  capacity(): number {
    return this.#credit.left - this.#reserved;
  }

  reserve(): void {
    this.#reserved += 1;
  }

  unreserve(): void {
    this.#reserved -= 1;
  }

  deliver(message: StoredMessage, lock: Lock | null): void {
    if (!this.#link.is_open()) return;
    try {
      const encoded = encodeDelivery(message, lock?.lockedUntilMs ?? null);
      const tag = lock?.token ?? Buffer.from(String(message.sequenceNumber));
      const delivery = this.#link.send(encoded, tag, 0);
      this.#credit.spend();
      if (!this.locks) delivery.settled = true;
    } catch (error) {
      // A message that cannot be sent ends this link alone, and comes back when its lock expires.
      this.end(asBrokerError(error));
    }
  }

  end(error: BrokerError): void {
    this.#link.close(amqpError(error));
  }

  /** The client changed how much it asks for, or there is room again. */
  async flow(): Promise<void> {
    this.#dispatcher.dispatch();
    if (!this.#link._draining) return;
    this.#draining ??= this.#answerDrain().finally(() => (this.#draining = undefined));
    await this.#draining;
  }

  async settle(delivery: Delivery, outcome: OutcomeName): Promise<void> {
    const { connection } = this.#link;
    try {
      if (this.locks) await inTime(this.#carryOut(delivery, outcome));
      if (connection.is_open()) settleAccepted(delivery);
    } catch (error) {
      await Promise.resolve();
      settleRejected(delivery, connection, error);
    }
  }

  closed(): void {
    this.#onClose();
  }

  async #carryOut({ tag, remote_state: state }: Delivery, outcome: OutcomeName): Promise<void> {
    const dispatcher = this.#dispatcher;
    switch (outcome) {
      case "accepted":
        return dispatcher.complete(tag);
      case "released":
        return dispatcher.abandon(tag, changesOf(undefined));
      case "modified": {
        const changes = changesOf(state?.value[2]);
        return state?.undeliverable_here === true
          ? dispatcher.defer(tag, changes)
          : dispatcher.abandon(tag, changes);
      }
      case "rejected": {
        const [condition, , info] = listFields(state?.value[0]);
        const changes = condition?.value === deadLetterCondition ? info : undefined;
        return dispatcher.deadLetter(tag, changesOf(changes));
      }
    }
  }

  async #answerDrain(): Promise<void> {
    await this.#dispatcher.idle();
    if (!this.#link._draining || !this.#link.is_open()) return;
    this.#drainIsDue = true;
    this.#link.issue_flow = true;
    this.#link.connection._register();
  }

  /** Called when a flow is written: whether it says that all credit is used up. */
  #drain(): boolean {
    if (!this.#drainIsDue) return false;
    this.#drainIsDue = false;
    this.#credit.forfeit();
    return true;
  }
}
