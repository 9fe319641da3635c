/** Requests that come as messages, and the links on which their replies go back. */
import { codec, type DecodedMessage, type SendingLink } from "../wire/rhea.js";

export interface Reply {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

let lastTag = 0;

/** The reply links of one connection, by the names that requests give. */
export class ReplyLinks {
  readonly #links = new Map<string, SendingLink>();

  /** A client that gives its link no target address means the link's name. */
  add(link: SendingLink): void {
    this.#links.set(link.name, link);
    const address = link.target?.address;
    if (typeof address === "string") this.#links.set(address, link);
  }

  remove(link: SendingLink): void {
    for (const [name, other] of this.#links) if (other === link) this.#links.delete(name);
  }

  /** Sent as settled: an answer to it would only delay what the client does next. */
  send(request: DecodedMessage, { properties, body }: Reply): void {
    const link = this.#links.get(request.reply_to ?? "");
    if (link?.is_open() !== true) return;
    const encoded = codec.encode({
      correlation_id: request.message_id,
      application_properties: properties,
      body,
    });
    lastTag += 1;
    link.send(encoded, Buffer.from(String(lastTag)), 0).settled = true;
  }
}
