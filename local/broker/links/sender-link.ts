/** A client's sender: every message is acknowledged when it is committed, and not before. */
import { BrokerError, conditions } from "../errors.js";
import type { Destination } from "../entities/destination.js";
import type { Delivery, IncomingLink } from "../wire/rhea.js";
import { parseBatch, parseMessage } from "../wire/sections.js";
import { IncomingCredit } from "../peers/credit.js";
import { inTime } from "../peers/deadline.js";
import { settleAccepted, settleRejected } from "../peers/settlement.js";

/** The size of a message in the standard tier, and of a batch of them. */
export const messageBytesMax = 256 * 1024;
/** Messages on the way to the disk. */
const uncommittedMax = 1000;

const batchFormat = 0x8001_3700;

export const messageTooLarge = (): BrokerError =>
  new BrokerError(
    conditions.messageTooLarge,
    `The received message exceeds the limit (${messageBytesMax} bytes) currently allowed on the link.`,
  );

export class SenderLink {
  readonly #link: IncomingLink;
  readonly #destination: Destination;
  readonly #credit: IncomingCredit;

  constructor(link: IncomingLink, destination: Destination) {
    this.#link = link;
    this.#destination = destination;
    link.local.attach.max_message_size = messageBytesMax;
    this.#credit = new IncomingCredit(link, uncommittedMax);
  }

  async receive(encoded: Buffer, format: number, delivery: Delivery): Promise<void> {
    const { connection } = this.#link;
    try {
      if (encoded.length > messageBytesMax) throw messageTooLarge();
      const messages = format === batchFormat ? parseBatch(encoded) : [parseMessage(encoded)];
      await inTime(this.#destination.send(messages));
      if (connection.is_open()) settleAccepted(delivery);
    } catch (error) {
      // What was thrown before the first wait is answered after the frames of this turn are read.
      await Promise.resolve();
      settleRejected(delivery, connection, error);
    } finally {
      this.#credit.done();
    }
  }
}
