/** One client's connection: its claims, and what each of its links is for. */
import { asBrokerError, BrokerError, conditions, entityNotFound } from "../errors.js";
import type { Directory } from "../entities/directory.js";
import type { Queue } from "../entities/queue.js";
import type { SessionLocks } from "../entities/session-locks.js";
import type { EntityStore } from "../storage/entity-store.js";
import type { Delivery, IncomingLink, Link, SendingLink, Session } from "../wire/rhea.js";
import { putToken } from "../requests/authorization-node.js";
import type { ManagedEntity } from "../requests/management.js";
import { answer } from "../requests/management-node.js";
import { ReceiverLink, type OutcomeName } from "../links/receiver-link.js";
import { ReplyLinks, type Reply } from "../requests/replies.js";
import { RequestLink, type Request, type RequestBounds } from "../requests/request-link.js";
import { Claims, type SharedKey } from "../peers/sas.js";
import { SenderLink } from "../links/sender-link.js";
import {
  describeSession,
  requestedSession,
  waitForSession,
  withholdAttach,
} from "../links/session-accept.js";
import { amqpError, settleUnanswered } from "../peers/settlement.js";

export interface ConnectionParts {
  readonly directory: Directory;
  readonly entities: EntityStore;
  readonly key: SharedKey;
  /** Told of failures that no client waits for. */
  readonly report: (error: unknown) => void;
}

/** A link that the client sends on. */
interface MessageTarget {
  receive(encoded: Buffer, format: number, delivery: Delivery): Promise<void>;
}

const authorizationAddress = "$cbs";
const managementSuffix = /\/\$management$/i;
const presettled = 1;
const authorizationBounds: RequestBounds = { pendingMax: 100, bytesMax: 64 * 1024 };
const managementBounds: RequestBounds = { pendingMax: 1000, bytesMax: 1024 * 1024 };

const refuse = (link: Link, error: unknown): void => link.close(amqpError(asBrokerError(error)));

const echoModes = (link: Link): void => {
  link.local.attach.snd_settle_mode = link.snd_settle_mode ?? 2;
  link.local.attach.rcv_settle_mode = link.rcv_settle_mode ?? 0;
};

const echoTermini = (link: Link): void => {
  link.set_source({ address: link.source?.address ?? null });
  link.set_target({ address: link.target?.address ?? null });
};

/** Both ends of a link have an address or none. */
const checkAddresses = ({ source, target }: Link): void => {
  for (const address of [source?.address, target?.address])
    if (typeof (address ?? "") !== "string")
      throw new BrokerError(conditions.invalidField, "The address of a link is a text.");
};

export class ClientConnection {
  readonly #parts: ConnectionParts;
  readonly #claims: Claims;
  readonly #replies = new ReplyLinks();
  readonly #targets = new Map<Link, MessageTarget>();
  readonly #receivers = new Map<SendingLink, ReceiverLink>();
  /** Receivers whose session is still to come: each with a way to end the waiting. */
  readonly #accepting = new Map<SendingLink, () => void>();

  constructor(parts: ConnectionParts, onAuthorized: () => void) {
    this.#parts = parts;
    this.#claims = new Claims(onAuthorized);
  }

  openSender(link: IncomingLink): void {
    try {
      checkAddresses(link);
      const target = this.#targetFor(link, link.target?.address ?? "");
      echoModes(link);
      echoTermini(link);
      this.#targets.set(link, target);
    } catch (error) {
      refuse(link, error);
    }
  }

  openReceiver(link: SendingLink): void {
    try {
      checkAddresses(link);
      const address = link.source?.address ?? "";
      if (address === authorizationAddress || managementSuffix.test(address)) {
        if (address !== authorizationAddress) this.#managed(address);
        echoTermini(link);
        link.local.attach.snd_settle_mode = presettled;
        this.#replies.add(link);
        return;
      }
      this.#openReceiver(link, this.#queue(address));
    } catch (error) {
      refuse(link, error);
    }
  }

  receive(link: Link, encoded: Buffer, format: number, delivery: Delivery): void {
    const target = this.#targets.get(link);
    if (target === undefined) settleUnanswered(delivery);
    else this.#inBackground(target.receive(encoded, format, delivery));
  }

  flow(link: SendingLink): void {
    this.#replies.flow(link);
    const receiver = this.#receivers.get(link);
    if (receiver !== undefined) this.#inBackground(receiver.flow());
  }

  /** There is room again for all links, or for those of one session. */
  flowAll(session?: Session): void {
    this.#replies.flowAll();
    for (const [link, receiver] of this.#receivers)
      if (session === undefined || link.session === session) this.#inBackground(receiver.flow());
  }

  settle(link: SendingLink, delivery: Delivery, outcome: OutcomeName): void {
    const receiver = this.#receivers.get(link);
    if (receiver !== undefined) this.#inBackground(receiver.settle(delivery, outcome));
  }

  closeSender(link: Link): void {
    this.#targets.delete(link);
  }

  closeReceiver(link: SendingLink): void {
    const giveUp = this.#accepting.get(link);
    if (giveUp !== undefined) {
      this.#accepting.delete(link);
      giveUp();
      // A link that was never opened on this side cannot be closed: the client waits for both.
      link.open();
      link.close();
    }
    this.#replies.remove(link);
    this.#receivers.get(link)?.closed();
    this.#receivers.delete(link);
  }

  /** What is at this address, or below it, is not there any more or not as it was. */
  endLinks(address: string, error: BrokerError): void {
    const path = address.toLowerCase();
    const isMeant = (given: unknown): boolean =>
      typeof given === "string" && `${given.toLowerCase()}/`.startsWith(`${path}/`);
    for (const link of [...this.#targets.keys()].filter(({ target }) => isMeant(target?.address)))
      refuse(link, error);
    for (const link of [...this.#receivers.keys()].filter(({ source }) =>
      isMeant(source?.address),
    )) {
      refuse(link, error);
      this.closeReceiver(link);
    }
  }

  /** The links of a session, or of the whole connection, end without a word. */
  close(session?: Session): void {
    const isMine = (link: Link): boolean => session === undefined || link.session === session;
    for (const link of [...this.#targets.keys()].filter(isMine)) this.#targets.delete(link);
    this.#replies.removeAll(isMine);
    for (const [link, giveUp] of [...this.#accepting].filter(([each]) => isMine(each))) {
      this.#accepting.delete(link);
      giveUp();
    }
    for (const [link, receiver] of [...this.#receivers].filter(([each]) => isMine(each))) {
      this.#receivers.delete(link);
      receiver.closed();
    }
  }

  #targetFor(link: IncomingLink, address: string): MessageTarget {
    if (address === "")
      throw new BrokerError(conditions.notImplemented, "Transactions are not served.");
    if (address === authorizationAddress)
      return this.#requests(link, authorizationBounds, async (request) =>
        putToken(request, this.#parts.key, this.#claims),
      );
    if (managementSuffix.test(address)) {
      const entity = this.#managed(address);
      return this.#requests(link, managementBounds, (request) => answer(entity, request));
    }
    this.#claims.require(address, Date.now());
    const { directory } = this.#parts;
    const destination = directory.destination(address);
    if (destination === undefined && directory.subscription(address) !== undefined)
      throw new BrokerError(
        conditions.notAllowed,
        `Cannot create a message sender for a subscription. Entity: '${address}'.`,
      );
    if (destination === undefined) throw entityNotFound(address);
    return new SenderLink(link, destination);
  }

  #requests(
    link: IncomingLink,
    bounds: RequestBounds,
    serve: (request: Request) => Promise<Reply>,
  ): MessageTarget {
    return new RequestLink(link, bounds, { replies: this.#replies, serve });
  }

  #managed(address: string): ManagedEntity {
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
    queue?.checkReceivable();
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
          ? "A sessionful message receiver cannot be created on an entity that does not require " +
              `sessions. Entity: '${queue.path}'.`
          : "It is not possible for an entity that requires sessions to create a non-sessionful " +
              `message receiver. Entity: '${queue.path}'.`,
      );
    echoModes(link);
    if (queue.sessions !== null && sessionId !== undefined) {
      withholdAttach(link);
      this.#inBackground(this.#acceptSession(link, queue.sessions, sessionId));
      return;
    }
    echoTermini(link);
    const dispatcher = queue.dispatcher;
    const receiver = new ReceiverLink(link, dispatcher, () => dispatcher.detach(receiver));
    dispatcher.attach(receiver);
    this.#receivers.set(link, receiver);
  }

  async #acceptSession(
    link: SendingLink,
    sessions: SessionLocks,
    sessionId: string | null,
  ): Promise<void> {
    const onWait = (giveUp: () => void): void => void this.#accepting.set(link, giveUp);
    onWait(() => undefined);
    try {
      const session = await waitForSession(link, sessions, { sessionId, onWait });
      if (!this.#accepting.delete(link)) {
        sessions.close(session);
        return;
      }
      echoTermini(link);
      describeSession(link, session);
      const receiver = new ReceiverLink(link, session.dispatcher, () => sessions.close(session));
      this.#receivers.set(link, receiver);
      sessions.attach(session, receiver);
      link.open();
    } catch (error) {
      if (!this.#accepting.delete(link) && !this.#receivers.delete(link)) return;
      link.open();
      refuse(link, error);
    }
  }

  #inBackground(work: Promise<void>): void {
    work.catch(this.#parts.report);
  }
}
