/** One client's connection: its claims, and what each of its links is for. */
import type { KeyRing } from "../access/key-ring.js";
import { asBrokerError, BrokerError, conditions } from "../errors.js";
import { isWithin, type Directory } from "../entities/directory.js";
import type { Queue } from "../entities/queue.js";
import type { SessionLocks } from "../entities/session-locks.js";
import type { EntityStore } from "../storage/entity-store.js";
import type { Delivery, IncomingLink, Link, SendingLink, Session } from "../wire/rhea.js";
import { putToken } from "../requests/authorization-node.js";
import { answer } from "../requests/management-node.js";
import { ReceiverLink, type OutcomeName } from "../links/receiver-link.js";
import { ReplyLinks, type Reply } from "../requests/replies.js";
import { RequestLink, type Request, type RequestBounds } from "../requests/request-link.js";
import { SenderLink } from "../links/sender-link.js";
import {
  describeSession,
  requestedSession,
  waitForSession,
  withholdAttach,
} from "../links/session-accept.js";
import { amqpError, settleUnanswered } from "../peers/settlement.js";
import {
  authorizationAddress,
  checkAddresses,
  destinationAt,
  isManagement,
  managedAt,
  queueAt,
} from "./addresses.js";
import { LinkAccess } from "./link-access.js";

export interface ConnectionParts {
  readonly directory: Directory;
  readonly entities: EntityStore;
  readonly keys: KeyRing;
  /** Told of failures that no client waits for. */
  readonly report: (error: unknown) => void;
}

/** A link that the client sends on. */
interface MessageTarget {
  receive(encoded: Buffer, format: number, delivery: Delivery): Promise<void>;
}

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

export class ClientConnection {
  readonly #parts: ConnectionParts;
  readonly #access: LinkAccess;
  readonly #replies = new ReplyLinks();
  readonly #targets = new Map<Link, MessageTarget>();
  readonly #receivers = new Map<Link, ReceiverLink>();
  /** Receivers whose session is still to come: each with a way to end the waiting. */
  readonly #accepting = new Map<Link, () => void>();

  constructor(parts: ConnectionParts, onAuthorized: () => void) {
    this.#parts = parts;
    const { keys, report } = parts;
    const end = (link: Link, error: BrokerError): void => this.#end(link, error);
    this.#access = new LinkAccess({ keys, onAuthorized, end, report });
  }

  openSender(link: IncomingLink): void {
    try {
      checkAddresses(link);
      const target = this.#targetFor(link, link.target?.address ?? "");
      echoModes(link);
      echoTermini(link);
      this.#targets.set(link, target);
    } catch (error) {
      this.#access.closed(link);
      refuse(link, error);
    }
  }

  openReceiver(link: SendingLink): void {
    try {
      checkAddresses(link);
      const address = link.source?.address ?? "";
      if (address === authorizationAddress || isManagement(address)) {
        if (address !== authorizationAddress) {
          this.#access.require(address, "any");
          managedAt(this.#parts, address);
        }
        echoTermini(link);
        link.local.attach.snd_settle_mode = presettled;
        this.#replies.add(link);
        return;
      }
      this.#access.open(link, address, "Listen");
      this.#openReceiver(link, queueAt(this.#parts.directory, address));
    } catch (error) {
      this.#access.closed(link);
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
    this.#access.closed(link);
    this.#targets.delete(link);
  }

  closeReceiver(link: SendingLink): void {
    // A link that was never opened on this side cannot be closed: the client waits for both.
    if (this.#stopAccepting(link)) {
      link.open();
      link.close();
    }
    this.#access.closed(link);
    this.#replies.remove(link);
    this.#receivers.get(link)?.closed();
    this.#receivers.delete(link);
  }

  /** Keys were changed: ends the links that no token allows any more. */
  checkAccess(): void {
    this.#access.check();
  }

  /** What is at this address, or belongs to it, is not there any more or not as it was. */
  endLinks(address: string, error: BrokerError): void {
    const isMeant = (given: unknown): boolean =>
      typeof given === "string" && isWithin(given, address);
    for (const link of [...this.#targets.keys()].filter(({ target }) => isMeant(target?.address)))
      this.#end(link, error);
    for (const link of [...this.#receivers.keys()].filter(({ source }) => isMeant(source?.address)))
      this.#end(link, error);
  }

  /** The links of a session, or of the whole connection, end without a word. */
  close(session?: Session): void {
    const isMine = (link: Link): boolean => session === undefined || link.session === session;
    for (const link of [...this.#targets.keys()].filter(isMine)) this.#targets.delete(link);
    this.#access.closeAll(isMine);
    if (session === undefined) this.#inBackground(this.#access.stop());
    this.#replies.removeAll(isMine);
    for (const link of [...this.#accepting.keys()].filter(isMine)) this.#stopAccepting(link);
    for (const [link, receiver] of [...this.#receivers].filter(([each]) => isMine(each))) {
      this.#receivers.delete(link);
      receiver.closed();
    }
  }

  /** Nothing that comes on it is taken any more, though the client has yet to learn of its end. */
  #end(link: Link, error: BrokerError): void {
    if (this.#stopAccepting(link)) link.open();
    refuse(link, error);
    this.#access.closed(link);
    this.#targets.delete(link);
    this.#receivers.get(link)?.closed();
    this.#receivers.delete(link);
  }

  /** Whether it waited for a session. */
  #stopAccepting(link: Link): boolean {
    this.#accepting.get(link)?.();
    return this.#accepting.delete(link);
  }

  #targetFor(link: IncomingLink, address: string): MessageTarget {
    if (address === "")
      throw new BrokerError(conditions.notImplemented, "Transactions are not served.");
    if (address === authorizationAddress)
      return this.#requests(link, authorizationBounds, async (request) =>
        putToken(request, (token) => this.#access.takeToken(token)),
      );
    if (isManagement(address)) {
      this.#access.open(link, address, "any");
      const entity = managedAt(this.#parts, address);
      return this.#requests(link, managementBounds, (request) =>
        answer(entity, request, (right) => this.#access.require(address, right)),
      );
    }
    this.#access.open(link, address, "Send");
    return new SenderLink(link, destinationAt(this.#parts.directory, address));
  }

  #requests(
    link: IncomingLink,
    bounds: RequestBounds,
    serve: (request: Request) => Promise<Reply>,
  ): MessageTarget {
    return new RequestLink(link, bounds, { replies: this.#replies, serve });
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
