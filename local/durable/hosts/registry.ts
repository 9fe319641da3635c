/** The instances in memory: carries out what the table of their states says upon each event. */
import { setTimeout as sleep } from "node:timers/promises";
import { noteFailure } from "../../failures.js";
import type { Message } from "../protocol/messages.js";
import type { Committed, NewInstance } from "../storage/change.js";
import { freshInstance } from "../storage/fresh-instance.js";
import type { InstanceKeys } from "../storage/instance-keys.js";
import type { Mail, StoredInstance } from "../storage/instance-rows.js";
import type { InstanceEnd } from "../turns/end-waiters.js";
import { Entity } from "../turns/entity.js";
import type { InstanceHost, LiveInstance, TurnServices } from "../turns/instance-host.js";
import { Orchestration } from "../turns/orchestration.js";
import { orchestrationState } from "../turns/orchestration-state.js";
import { InstanceLoader, type LoadEvents } from "./instance-loader.js";
import {
  isInMemory,
  transition,
  type InstanceAction,
  type InstanceEvent,
} from "./instance-states.js";
import type { InstanceStore } from "./instance-store.js";
import { MailFetcher, type MailEvents } from "./mail.js";
import { Quarantine, type QuarantinedInstance } from "./quarantine.js";
import { Slots, type Slot } from "./slots.js";
import { Sweep, type SweepEvents } from "./sweep.js";
import type { Timers } from "./timers.js";

export interface RegistryParts {
  readonly services: TurnServices;
  readonly store: InstanceStore;
  readonly timers: Timers;
  readonly instanceKeys: InstanceKeys;
  /** So many instances stay in memory though they have nothing to do. */
  readonly idleMax: number;
  /** Called after each turn, for those who wait for an instance's end. */
  readonly onMoved: (instanceId: string, end: InstanceEnd | undefined) => void;
}

/** So many instances may be at work at the same time; the others wait in the database. */
const atWorkMax = 10_000;

/** What a host that is stopping passes over: all of it is on disk, for the next one. */
const bringsWork: ReadonlySet<InstanceEvent> = new Set([
  "message",
  "changed",
  "found",
  "created",
  "released",
]);

/** What an event brings along. */
interface Cargo {
  readonly message?: Message;
  readonly instance?: () => LiveInstance;
}

export class Registry implements InstanceHost, LoadEvents, MailEvents, SweepEvents {
  readonly #parts: RegistryParts;
  readonly #slots = new Slots();
  readonly #quarantine = new Quarantine();
  readonly #loader: InstanceLoader;
  readonly #mail: MailFetcher;
  readonly #sweep: Sweep;
  /** How many do their first turn and are not on disk yet. */
  #beginning = 0;
  #stopped = false;

  constructor(parts: RegistryParts) {
    this.#parts = parts;
    this.#loader = new InstanceLoader(parts.store, this);
    this.#mail = new MailFetcher(parts.store, this);
    this.#sweep = new Sweep(parts.store, this);
  }

  /** How many instances are in memory. */
  get size(): number {
    return this.#slots.inMemory;
  }

  get idle(): number {
    return this.#slots.resting;
  }

  get #atWork(): number {
    return this.#slots.inMemory - this.#slots.resting + this.#beginning;
  }

  /** True while some instance works, or is about to. */
  get isBusy(): boolean {
    const { isRunning, isNeeded } = this.#sweep;
    const isReading = this.#loader.isBusy || this.#mail.isBusy;
    return isReading || isRunning || isNeeded || this.#atWork > 0;
  }

  /** Those that could not be read, or not be stored, when they were last tried. */
  get quarantined(): readonly QuarantinedInstance[] {
    return this.#quarantine.all;
  }

  get quarantinedCount(): number {
    return this.#quarantine.count;
  }

  /** True where the instance is in memory, and so has not ended. */
  holds(instanceId: string): boolean {
    return isInMemory(this.#slots.stateOf(instanceId));
  }

  stop(): void {
    this.lost();
    this.#stopped = true;
    this.drain();
  }

  /** Takes nothing in any more; what is in memory ends the turn that it is in. */
  drain(): void {
    this.#loader.stop();
    this.#mail.stop();
    this.#sweep.stop();
  }

  /** True while some instance is in the middle of a turn. */
  get isTurning(): boolean {
    return this.#beginning > 0 || this.#slots.isBusy;
  }

  /** The host has lost its lease: memory is not to be trusted any more, the database is. */
  lost(): void {
    for (const id of this.#slots.ids) this.#fire(id, "lost");
  }

  /** Something lies in the database of which memory does not know. */
  changed(instanceId: string): void {
    this.#fire(instanceId, "changed");
  }

  /** This life of the id was removed from the database; another may have begun meanwhile. */
  removed(instanceId: string, key: number): void {
    if (this.#slots.instanceOf(instanceId)?.key === key) this.#fire(instanceId, "removed");
  }

  /**
   * Looks for everything that could go on and is not in memory. What is being read meanwhile is read again: its
   * read may have begun before there was anything to find, and a due timer is told of only once.
   */
  async sweep(): Promise<void> {
    for (const id of this.#slots.ids) if (this.#slots.stateOf(id) === "loading") this.changed(id);
    return this.#sweep.run();
  }

  /** A look now and then, for what nobody has told of; it rests after a long one. */
  async sweepInTurn(): Promise<void> {
    return this.#sweep.runInTurn();
  }

  seen(instanceId: string, waiting: number): void {
    const instance = this.#slots.instanceOf(instanceId);
    const hasMissed = instance !== undefined && instance.waiting < waiting;
    if (this.#slots.stateOf(instanceId) === "absent" || hasMissed) this.changed(instanceId);
  }

  async room(): Promise<void> {
    while (this.#atWork >= atWorkMax && !this.#stopped) await sleep(20, undefined, { ref: false });
  }

  readBegun(instanceId: string): boolean {
    this.#fire(instanceId, "readBegun");
    return this.#slots.stateOf(instanceId) === "loading";
  }

  found(stored: StoredInstance): void {
    const { id } = stored.row;
    // Opened only where it is wanted: its activities begin with that.
    if (!transition(this.#slots.stateOf(id), "found").actions.includes("admit")) return;
    let instance: LiveInstance;
    try {
      instance = this.#open(stored);
    } catch (error) {
      this.unreadable(id, error);
      return;
    }
    this.#fire(id, "found", { instance: () => instance });
  }

  unreadable(instanceId: string, error: unknown): void {
    this.#quarantine.note(instanceId, "cannot be read", error);
    this.#slots.takeKept(instanceId);
    this.#fire(instanceId, "unreadable");
  }

  delivered({ id, key, epoch, turn, messages }: Mail): boolean {
    const instance = this.#slots.instanceOf(id);
    if (instance === undefined) {
      this.changed(id);
      return true;
    }
    if (instance.key !== key || instance.epoch !== epoch) {
      this.refused(instance);
      return true;
    }
    // Of what it has consumed since, some might be among the messages.
    if (turn < instance.turn) return false;
    for (const message of messages.filter((one) => !instance.has(one.id)))
      if (message.dueAt === undefined) this.#fire(id, "message", { message });
      // What was due before its writer heard of its write fires at once.
      else this.#parts.timers.add(message);
    return true;
  }

  unowned(instanceId: string): void {
    // One that is about to end learns it from its own write.
    if (this.#slots.instanceOf(instanceId)?.isBusy !== true) this.#fire(instanceId, "refused");
  }

  missing(instanceId: string): void {
    this.#fire(instanceId, "missing");
  }

  readFailed(instanceId: string): void {
    this.#fire(instanceId, "readFailed");
  }

  /** These timers of instances of this host are due. */
  due(messages: readonly Message[]): void {
    for (const message of messages) this.#fire(message.target, "message", { message });
  }

  sent(messages: readonly Message[], { isShared }: Committed): void {
    const now = this.#parts.services.clock.now();
    for (const message of messages)
      if (message.dueAt !== undefined && message.dueAt > now) this.#parts.timers.add(message);
      // From memory it could overtake what another host has sent before, or be taken twice.
      else if (isShared) this.changed(message.target);
      else this.#fire(message.target, "message", { message });
  }

  /** Creates an orchestration with its first turn; false where room or a key is missing. */
  async begin(one: NewInstance, at: Date, signal: AbortSignal): Promise<boolean> {
    const hasRoom = this.#atWork < atWorkMax && !this.#parts.services.isStopping();
    const key = hasRoom ? this.#parts.instanceKeys.next() : undefined;
    if (key === undefined) return false;
    const stored = freshInstance(one, { key, epoch: 1, executionId: one.executionId }, at);
    const state = orchestrationState(stored, at.getTime());
    const orchestration = new Orchestration(this.#parts.services, this, state);
    this.#beginning++;
    await orchestration.begin({ ...one, key }, signal).finally(() => this.#beginning--);
    return true;
  }

  begun(instance: LiveInstance): void {
    if (this.#stopped || this.#parts.services.isStopping()) instance.leave();
    else this.#fire(instance.id, "begun", { instance: () => instance });
  }

  created(instances: readonly NewInstance[], committed: Committed): void {
    const { created } = committed;
    const conflicts: Message[] = [];
    for (const one of instances) {
      const made = created.get(one.id);
      if (made?.executionId === one.executionId) {
        const fresh = (): StoredInstance =>
          freshInstance(one, made, new Date(this.#parts.services.clock.now()));
        // Beyond, new ones stay in the database until a sweep finds room for them.
        if (this.#atWork < atWorkMax)
          this.#fire(one.id, "created", { instance: () => this.#open(fresh()) });
        else this.#sweep.need();
      } else if (one.onConflict !== undefined) conflicts.push(one.onConflict);
    }
    this.sent(conflicts, committed);
  }

  moved(instance: LiveInstance): void {
    this.#quarantine.lift(instance.id);
    this.#parts.onMoved(instance.id, undefined);
  }

  ended(instance: LiveInstance, end: InstanceEnd): void {
    if (this.#has(instance)) this.#fire(instance.id, "ended");
    this.#relieve();
    this.#parts.onMoved(instance.id, end);
  }

  rested(instance: LiveInstance): void {
    if (!instance.isIdle || !this.#has(instance)) return;
    this.#quarantine.lift(instance.id);
    this.#fire(instance.id, instance.holdsResults ? "restedHolding" : "rested");
    for (const id of this.#slots.idleBeyond(this.#parts.idleMax)) this.#fire(id, "evicted");
    this.#relieve();
  }

  refused(instance: LiveInstance): void {
    this.#fire(instance.id, this.#has(instance) ? "refused" : "changed");
  }

  /** What cannot be stored now may be later, or never. */
  unstorable(instance: LiveInstance, error: unknown): void {
    this.#quarantine.note(instance.id, "could not be stored", error);
    if (this.#has(instance)) this.#fire(instance.id, "unstorable");
  }

  #has(instance: LiveInstance): boolean {
    return this.#slots.instanceOf(instance.id) === instance;
  }

  /** Fetches those for which there was no room, once there is. */
  #relieve(): void {
    if (this.#sweep.isNeeded && this.#atWork < atWorkMax / 2)
      void this.sweep().catch((error: unknown) => noteFailure("Looking for work", error));
  }

  #open(stored: StoredInstance): LiveInstance {
    const { services, timers } = this.#parts;
    const now = services.clock.now();
    // Timers of a turn whose answer was lost, or of another host, are nowhere in memory yet.
    for (const message of stored.messages) if ((message.dueAt ?? 0) > now) timers.add(message);
    return stored.row.kind === "entity"
      ? new Entity(services, this, stored)
      : new Orchestration(services, this, orchestrationState(stored, now));
  }

  #fire(id: string, event: InstanceEvent, cargo: Cargo = {}): void {
    if (this.#stopped || (bringsWork.has(event) && this.#parts.services.isStopping())) return;
    const instance = this.#slots.instanceOf(id);
    const { to, actions } = transition(this.#slots.stateOf(id), event);
    const slot = this.#slots.move(id, to);
    if (to === "absent") this.#quarantine.lift(id);
    for (const action of actions) this.#actions[action](slot, instance, cargo);
  }

  /** `instance` is the one that was in memory when the event came. */
  readonly #actions: Readonly<
    Record<InstanceAction, (slot: Slot, instance: LiveInstance | undefined, cargo: Cargo) => void>
  > = {
    keep: ({ id }, _instance, { message }) => {
      if (message !== undefined && !this.#slots.keep(id, message)) this.changed(id);
    },
    deliver: (_slot, instance, { message }) => {
      if (instance === undefined || message === undefined) return;
      instance.receive(message);
      this.rested(instance);
    },
    enqueue: ({ id }) => this.#loader.enqueue(id),
    fetch: ({ id }) => this.#mail.want(id),
    admit: (slot, _instance, { instance: newcomer }) => {
      const instance = newcomer?.();
      if (instance === undefined) return;
      slot.instance = instance;
      for (const message of this.#slots.takeKept(slot.id)) instance.receive(message);
      instance.wake();
      this.rested(instance);
    },
    reject: (_slot, _instance, { instance: newcomer }) => newcomer?.().leave(),
    leave: (_slot, instance) => instance?.leave(),
    pause: ({ id }, instance) => {
      setTimeout(() => {
        if (this.#slots.instanceOf(id) === instance) this.#fire(id, "released");
      }, this.#quarantine.pauseMs(id)).unref();
    },
  };
}
