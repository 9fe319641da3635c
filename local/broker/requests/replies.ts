/** The links on which the replies to requests go back, as fast as the client takes them. */
import { codec, type SendingLink, type Typed } from "../wire/rhea.js";
import { OutgoingCredit } from "../peers/credit.js";

export interface Reply {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** Where a reply goes, and the id by which the client knows what it replies to. */
export interface ReplyAddress {
  readonly replyTo: string;
  readonly messageId: Typed | undefined;
}

interface WaitingReply {
  readonly encoded: Buffer;
  /** The reply is written, or never will be. */
  readonly done: () => void;
}

let lastTag = 0;

/** Holds back what there is no credit for; how much that can be is up to those who take requests. */
class ReplyLink {
  readonly #link: SendingLink;
  readonly #credit: OutgoingCredit;
  #waiting: WaitingReply[] = [];

  constructor(link: SendingLink) {
    this.#link = link;
    this.#credit = new OutgoingCredit(link);
  }

  send(reply: WaitingReply): void {
    this.#waiting.push(reply);
    this.flow();
  }

  /** Sent as settled: an answer to it would only delay what the client does next. */
  flow(): void {
    if (!this.#link.is_open()) {
      this.close();
      return;
    }
    for (const { encoded, done } of this.#waiting.splice(0, this.#credit.left)) {
      lastTag += 1;
      this.#link.send(encoded, Buffer.from(String(lastTag)), 0).settled = true;
      this.#credit.spend();
      done();
    }
  }

  close(): void {
    for (const { done } of this.#waiting.splice(0)) done();
  }
}

/** The reply links of one connection, by the names that requests give. */
export class ReplyLinks {
  readonly #links = new Map<SendingLink, ReplyLink>();
  readonly #names = new Map<string, SendingLink>();

  /** A client that gives its link no target address means the link's name. */
  add(link: SendingLink): void {
    this.#links.set(link, new ReplyLink(link));
    this.#names.set(link.name, link);
    const address = link.target?.address;
    if (typeof address === "string") this.#names.set(address, link);
  }

  remove(link: SendingLink): void {
    for (const [name, other] of this.#names) if (other === link) this.#names.delete(name);
    this.#links.get(link)?.close();
    this.#links.delete(link);
  }

  flow(link: SendingLink): void {
    this.#links.get(link)?.flow();
  }

  flowAll(): void {
    for (const reply of this.#links.values()) reply.flow();
  }

  removeAll(isGone: (link: SendingLink) => boolean): void {
    for (const link of [...this.#links.keys()].filter(isGone)) this.remove(link);
  }

  /** Resolves when the reply is handed over, or when there is nobody to take it. */
  send({ replyTo, messageId }: ReplyAddress, { properties, body }: Reply): Promise<void> {
    const link = this.#names.get(replyTo);
    const reply = link && this.#links.get(link);
    if (reply === undefined) return Promise.resolve();
    const encoded = codec.encode({
      correlation_id: messageId,
      application_properties: properties,
      body,
    });
    return new Promise((done) => reply.send({ encoded, done }));
  }
}
