/** One client's connection: its claims, and what each of its links is for. */
import { asBrokerError, BrokerError, conditions, entityNotFound } from "../errors.js";
import type { Directory } from "../entities/directory.js";
import type { Queue } from "../entities/queue.js";
import type { HeldSession, SessionDesk } from "../entities/session-desk.js";
import type { EntityStore } from "../storage/entity-store.js";
import { codec, type Delivery, type Link, type SendingLink, type Session } from "../wire/rhea.js";
import { putToken } from "./authorization-node.js";
import { ConsumerLink, type OutcomeName } from "./consumer-link.js";
import { answer } from "./management-node.js";
import { messageBytesMax, ProducerLink } from "./producer-link.js";
import { ReplyLinks, type Reply } from "./replies.js";
import { Claims, type SharedKey } from "./sas.js";
import {
  describeSession,
  requestedSession,
  waitForSession,
  withholdAttach,
} from "./session-accept.js";
import { amqpError, settleAccepted } from "./settlement.js";

export interface ConnectionParts {
  readonly directory: Directory;
  readonly entities: EntityStore;
  readonly key: SharedKey;
}

type Intake = (encoded: Buffer, format: number, delivery: Delivery) => void;

const authorizationAddress = "$cbs";
const managementSuffix = /\/\$management$/i;
const presettled = 1;

const refuse = (link: Link, error: BrokerError): void => link.close(amqpError(error));

const echoModes = (link: Link): void => {
  link.local.attach.snd_settle_mode = link.snd_settle_mode ?? 2;
  link.local.attach.rcv_settle_mode = link.rcv_settle_mode ?? 0;
};

const echoTermini = (link: Link): void => {
  link.set_source({ address: link.source?.address ?? null });
  link.set_target({ address: link.target?.address ?? null });
};

export class ClientConnection {
  readonly #parts: ConnectionParts;
  readonly #claims = new Claims();
  readonly #replies = new ReplyLinks();
  /** What happens to messages on a link that the client sends on. */
  readonly #intakes = new Map<Link, Intake>();
  readonly #consumers = new Map<SendingLink, ConsumerLink>();
  /** Receivers whose session is still to come: each with a way to end the waiting. */
  readonly #accepting = new Map<SendingLink, () => void>();

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
  }

  /** The client opens a sender. */
  openProducer(link: Link): void {
    try {
      const intake = this.#intakeFor(link, link.target?.address ?? "");
      echoModes(link);
      echoTermini(link);
      link.local.attach.max_message_size = messageBytesMax;
      this.#intakes.set(link, intake);
    } catch (error) {
      refuse(link, asBrokerError(error));
    }
  }

  /** The client opens a receiver. */
  openConsumer(link: SendingLink): void {
    const address = link.source?.address ?? "";
    try {
      if (address === authorizationAddress || managementSuffix.test(address)) {
        if (address !== authorizationAddress) this.#managed(address);
        echoTermini(link);
        link.local.attach.snd_settle_mode = presettled;
        this.#replies.add(link);
        return;
      }
      this.#openReceiver(link, this.#queue(address));
    } catch (error) {
      refuse(link, asBrokerError(error));
    }
  }

  receive(link: Link, encoded: Buffer, format: number, delivery: Delivery): void {
    this.#intakes.get(link)?.(encoded, format, delivery);
  }

  flow(link: SendingLink): void {
    this.#consumers.get(link)?.flow();
  }

  settle(link: SendingLink, delivery: Delivery, outcome: OutcomeName): void {
    this.#consumers.get(link)?.settle(delivery, outcome);
  }

  closeProducer(link: Link): void {
    this.#intakes.delete(link);
  }

  closeConsumer(link: SendingLink): void {
    const giveUp = this.#accepting.get(link);
    if (giveUp !== undefined) {
      this.#accepting.delete(link);
      giveUp();
      // A link that was never opened on this side cannot be closed: the client waits for both.
      link.open();
      link.close();
    }
    this.#replies.remove(link);
    this.#consumers.get(link)?.closed();
    this.#consumers.delete(link);
  }

  /** The links of a session, or of the whole connection, end without a word. */
  close(session?: Session): void {
    const isMine = (link: Link): boolean => session === undefined || link.session === session;
    for (const link of [...this.#intakes.keys()].filter(isMine)) this.#intakes.delete(link);
    for (const [link, giveUp] of [...this.#accepting].filter(([each]) => isMine(each))) {
      this.#accepting.delete(link);
      giveUp();
    }
    for (const [link, consumer] of [...this.#consumers].filter(([each]) => isMine(each))) {
      this.#consumers.delete(link);
      consumer.closed();
    }
  }

  #intakeFor(link: Link, address: string): Intake {
    if (address === "")
      throw new BrokerError(conditions.notImplemented, "Transactions are not served.");
    if (address === authorizationAddress) return this.#requests(this.#authorize);
    if (managementSuffix.test(address)) {
      const entity = this.#managed(address);
      return this.#requests((request) => answer(entity, request));
    }
    this.#claims.require(address, Date.now());
    const destination = this.#parts.directory.destination(address);
    if (destination === undefined) throw entityNotFound(address);
    const producer = new ProducerLink(link, destination);
    return (encoded, format, delivery) => producer.receive(encoded, format, delivery);
  }

  readonly #authorize = async (request: ReturnType<typeof codec.decode>): Promise<Reply> =>
    putToken(request, this.#parts.key, this.#claims);

  #requests(serve: (request: ReturnType<typeof codec.decode>) => Promise<Reply>): Intake {
    return (encoded, _format, delivery) => {
      const request = codec.decode(encoded);
      settleAccepted(delivery);
      void serve(request).then((reply) => this.#replies.send(request, reply));
    };
  }

  #managed(address: string) {
    this.#claims.require(address, Date.now());
    const { directory, entities } = this.#parts;
    const path = address.replace(managementSuffix, "");
    const found = {
      queue: directory.queue(path),
      destination: directory.destination(path),
      subscription: directory.subscription(path),
      entities,
    };
    if (found.queue === undefined && found.destination === undefined) throw entityNotFound(path);
    return found;
  }

  #queue(address: string): Queue {
    this.#claims.require(address, Date.now());
    const { directory } = this.#parts;
    const queue = directory.queue(address);
    if (queue !== undefined) return queue;
    throw directory.destination(address) === undefined
      ? entityNotFound(address)
      : new BrokerError(
          conditions.notAllowed,
          `Messages of '${address}' are taken from its subscriptions.`,
        );
  }

  #openReceiver(link: SendingLink, queue: Queue): void {
    const sessionId = requestedSession(link);
    if ((queue.sessions === null) !== (sessionId === undefined))
      throw new BrokerError(
        conditions.notAllowed,
        queue.sessions === null
          ? `The entity '${queue.path}' has no sessions; open a receiver without session.`
          : `The entity '${queue.path}' requires sessions; open a receiver for a session.`,
      );
    echoModes(link);
    if (queue.sessions !== null && sessionId !== undefined) {
      withholdAttach(link);
      void this.#acceptSession(link, queue.sessions, sessionId);
      return;
    }
    echoTermini(link);
    const lane = queue.lane;
    const consumer = new ConsumerLink(link, lane, () => lane.detach(consumer));
    lane.attach(consumer);
    this.#consumers.set(link, consumer);
  }

  async #acceptSession(
    link: SendingLink,
    desk: SessionDesk,
    sessionId: string | null,
  ): Promise<void> {
    let held: HeldSession | undefined;
    const onWait = (giveUp: () => void): void => void this.#accepting.set(link, giveUp);
    onWait(() => undefined);
    try {
      held = await waitForSession(link, desk, { sessionId, onWait });
    } catch (error) {
      if (!this.#accepting.delete(link)) return;
      link.open();
      refuse(link, asBrokerError(error));
      return;
    }
    const session = held;
    if (!this.#accepting.delete(link)) {
      desk.close(session);
      return;
    }
    echoTermini(link);
    describeSession(link, session);
    const consumer = new ConsumerLink(link, session.lane, () => desk.close(session));
    this.#consumers.set(link, consumer);
    desk.attach(session, consumer);
    link.open();
  }
}
