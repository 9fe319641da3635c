/** A client's sender: every message is acknowledged when it is committed, and not before. */
import { asBrokerError, BrokerError, conditions } from "../errors.js";
import type { Destination } from "../entities/destination.js";
import type { Delivery, Link } from "../wire/rhea.js";
import { parseBatch, parseMessage } from "../wire/sections.js";
import { settleAccepted, settleRejected } from "./settlement.js";

/** The size of a message in the standard tier, and of a batch of them. */
export const messageBytesMax = 256 * 1024;

const batchFormat = 0x8001_3700;

export class ProducerLink {
  readonly #link: Link;
  readonly #destination: Destination;

  constructor(link: Link, destination: Destination) {
    this.#link = link;
    this.#destination = destination;
  }

  receive(encoded: Buffer, format: number, delivery: Delivery): void {
    void this.#take(encoded, format, delivery);
  }

  async #take(encoded: Buffer, format: number, delivery: Delivery): Promise<void> {
    const { connection } = this.#link;
    try {
      if (encoded.length > messageBytesMax)
        throw new BrokerError(
          conditions.messageTooLarge,
          `The message of ${encoded.length} bytes exceeds the size of ${messageBytesMax} bytes that is currently allowed.`,
        );
      await this.#destination.send(
        format === batchFormat ? parseBatch(encoded) : [parseMessage(encoded)],
      );
      if (connection.is_open()) settleAccepted(delivery);
    } catch (error) {
      // What was thrown before the first wait is answered after the frames of this turn are read.
      await Promise.resolve();
      if (connection.is_open()) settleRejected(delivery, connection, asBrokerError(error));
    }
  }
}
