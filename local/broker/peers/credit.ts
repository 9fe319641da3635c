/** How much may be on its way on a link: towards the client, and from it. */
import type { IncomingLink, SendingLink } from "../wire/rhea.js";

/** What the socket of a client that does not read may have to hold. */
const unreadBytesMax = 4 * 1024 * 1024;

/** What a client still asks for on its receiver, counted before the library writes it out. */
export class OutgoingCredit {
  readonly #link: SendingLink;
  /** How many deliveries the link has been given since its beginning, sent or not. */
  #given = 0;

  constructor(link: SendingLink) {
    this.#link = link;
  }

  /** As many as the client asked for, has room for and reads. */
  get left(): number {
    const { credit, delivery_count: sent, session, connection } = this.#link;
    if (connection.socket.writableLength > unreadBytesMax) return 0;
    const { outgoing } = session;
    const unsent = outgoing.next_delivery_id - outgoing.next_pending_delivery;
    const left = Math.min(
      credit + sent - this.#given,
      outgoing.available(),
      outgoing.transfer_window() - unsent,
    );
    // A session whose window is not known yet has none.
    return left > 0 ? left : 0;
  }

  spend(): void {
    this.#given += 1;
  }

  /** The client takes back what it has not used. */
  forfeit(): void {
    // What waits for the peer's window is still to be sent, on credit that is granted later.
    this.#given += this.#link.credit;
    this.#link.delivery_count += this.#link.credit;
    this.#link.credit = 0;
  }
}

/**
 * Grants a client credit for as many messages as may wait to be dealt with, and new credit only when
 * some of them are: the protocol's own way of letting a fast sender wait.
 */
export class IncomingCredit {
  readonly #link: IncomingLink;
  readonly #max: number;
  #done = 0;

  constructor(link: IncomingLink, max: number) {
    this.#link = link;
    this.#max = max;
    link.add_credit(max);
  }

  /** One message is dealt with. */
  done(): void {
    this.#done += 1;
    if (this.#done < this.#max / 4 || !this.#link.is_open()) return;
    this.#link.add_credit(this.#done);
    this.#done = 0;
  }
}
