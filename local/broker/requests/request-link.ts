/** A client's link to `$cbs` or a `$management` node: messages that are requests, each with a reply. */
import { BrokerError, conditions } from "../errors.js";
import { codec, type Delivery, type IncomingLink } from "../wire/rhea.js";
import { checkMessage, decodeFailure, readFields } from "../wire/sections.js";
import { IncomingCredit } from "../peers/credit.js";
import type { Reply, ReplyAddress, ReplyLinks } from "./replies.js";
import { settleAccepted, settleRejected } from "../peers/settlement.js";

export interface Request extends ReplyAddress {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

export interface RequestBounds {
  /** Requests whose replies the client has not taken. */
  readonly pendingMax: number;
  readonly bytesMax: number;
}

/** The types of a message id: ulong, uuid, binary, string. */
const messageIdCodes: readonly number[] = [0x80, 0x53, 0x44, 0x98, 0xa0, 0xb0, 0xa1, 0xb1];

const decodeRequest = (encoded: Buffer) => {
  try {
    checkMessage(encoded);
    const [messageId] = readFields(encoded).properties;
    const { reply_to: replyTo, application_properties: properties, body } = codec.decode(encoded);
    return { messageId, replyTo, properties, body };
  } catch (error) {
    throw decodeFailure(error);
  }
};

const readRequest = (encoded: Buffer, { bytesMax }: RequestBounds): Request => {
  if (encoded.length > bytesMax)
    throw new BrokerError(
      conditions.messageTooLarge,
      `The request exceeds the size of ${bytesMax} bytes that is currently allowed.`,
    );
  const { messageId, replyTo, properties, body } = decodeRequest(encoded);
  if (messageId !== undefined && !messageIdCodes.includes(messageId.type.typecode))
    throw new BrokerError(
      conditions.decodeError,
      "The message id of the request has no such type.",
    );
  return {
    messageId,
    replyTo: typeof replyTo === "string" ? replyTo : "",
    properties: properties ?? {},
    body,
  };
};

export class RequestLink {
  readonly #link: IncomingLink;
  readonly #bounds: RequestBounds;
  readonly #credit: IncomingCredit;
  readonly #replies: ReplyLinks;
  readonly #serve: (request: Request) => Promise<Reply>;

  constructor(
    link: IncomingLink,
    bounds: RequestBounds,
    { replies, serve }: { replies: ReplyLinks; serve: (request: Request) => Promise<Reply> },
  ) {
    this.#link = link;
    this.#bounds = bounds;
    this.#replies = replies;
    this.#serve = serve;
    link.local.attach.max_message_size = bounds.bytesMax;
    this.#credit = new IncomingCredit(link, bounds.pendingMax);
  }

  async receive(encoded: Buffer, _format: number, delivery: Delivery): Promise<void> {
    try {
      const request = readRequest(encoded, this.#bounds);
      settleAccepted(delivery);
      await this.#replies.send(request, await this.#serve(request));
    } catch (error) {
      await Promise.resolve();
      if (delivery.settled) throw error;
      settleRejected(delivery, this.#link.connection, error);
    } finally {
      this.#credit.done();
    }
  }
}
