/** The instances in memory: brings them in when something arrives for them, lets idle ones go. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "pg";
import { noteFailure } from "../../failures.js";
import type { LocalClock } from "../../clock.js";
import type { ActivityRunner } from "../turns/activity-runner.js";
import type { Change, Committed, NewInstance } from "../storage/change.js";
import type { Committer } from "../storage/committer.js";
import type { InstanceEnd } from "../turns/end-waiters.js";
import { Entity } from "../turns/entity.js";
import type { DurableFunctions } from "../protocol/functions.js";
import { freshInstance } from "../storage/fresh-instance.js";
import type { Hub, LiveInstance } from "../turns/hub.js";
import type { InstanceKeys } from "../storage/instance-keys.js";
import { InstanceLoader, loadMax } from "./instance-loader.js";
import {
  instancesWithWork,
  type StoredActivity,
  type StoredInstance,
} from "../storage/instance-rows.js";
import type { MessageIds } from "../storage/message-ids.js";
import type { Message } from "../protocol/messages.js";
import { Orchestration } from "../turns/orchestration.js";
import { orchestrationState, type ActivityEnd } from "../turns/orchestration-state.js";
import type { Ownership } from "./ownership.js";
import { errorMessage } from "../protocol/protocol.js";
import { Resting } from "./resting.js";
import type { Timers } from "./timers.js";
import type { VersionSettings } from "../protocol/versions.js";

export interface RegistryParts {
  readonly pool: Pool;
  readonly hub: string;
  readonly functions: DurableFunctions;
  readonly clock: LocalClock;
  readonly versions: VersionSettings;
  readonly entityBatchMax: number;
  readonly committer: Committer;
  readonly activities: ActivityRunner;
  readonly messageIds: MessageIds;
  readonly instanceKeys: InstanceKeys;
  readonly ownership: () => Ownership;
  readonly timers: () => Timers;
  readonly idleMax: number;
  readonly keepsSessions: boolean;
  /** Called after each turn, for those who wait for an instance's end. */
  readonly onMoved: (instanceId: string, end: InstanceEnd | undefined) => void;
}

/** So many instances may be at work at the same time; the others wait in the database. */
const atWorkMax = 10_000;
const quarantineMs = 5_000;

export class Registry implements Hub {
  readonly functions: DurableFunctions;
  readonly clock: LocalClock;
  readonly keepsSessions: boolean;
  readonly versions: VersionSettings;
  readonly entityBatchMax: number;
  readonly #parts: RegistryParts;
  readonly #live = new Map<string, LiveInstance>();
  readonly #resting = new Resting();
  /** Those at work that have to be read again once they rest. */
  readonly #outdated = new Set<string>();
  readonly #loader: InstanceLoader;
  /** How many do their first turn and are not on disk yet. */
  #beginning = 0;
  #isSweeping = false;
  #isBacklogged = false;
  #stopped = false;

  constructor(parts: RegistryParts) {
    this.#parts = parts;
    this.functions = parts.functions;
    this.clock = parts.clock;
    this.keepsSessions = parts.keepsSessions;
    this.versions = parts.versions;
    this.entityBatchMax = parts.entityBatchMax;
    this.#loader = new InstanceLoader({
      ...parts,
      isLive: (id) => this.#live.has(id),
      enter: (stored, early) => this.#bringIn(stored, early),
      deliver: (message) => this.#deliver(message),
      room: () => this.#room(),
    });
  }

  get size(): number {
    return this.#live.size;
  }

  /** True where the instance is in memory, and so has not ended. */
  holds(instanceId: string): boolean {
    return this.#live.has(instanceId);
  }

  get idle(): number {
    return this.#resting.size;
  }

  get #atWork(): number {
    return this.#live.size - this.#resting.size + this.#beginning;
  }

  /** True while some instance works, or is about to. */
  get isBusy(): boolean {
    return this.#loader.isBusy || this.#isBacklogged || this.#isSweeping || this.#atWork > 0;
  }

  stop(): void {
    this.#stopped = true;
    this.#live.clear();
    this.#resting.clear();
    this.#loader.stop();
  }

  /** Memory is not to be trusted any more; the database is. */
  dropAll(): void {
    for (const instance of this.#live.values()) instance.leave();
    this.#live.clear();
    this.#resting.clear();
  }

  async commit(change: Change, signal?: AbortSignal): Promise<Committed> {
    return this.#parts.committer.commit(change, signal);
  }

  nextMessageId(): number {
    return this.#parts.messageIds.next();
  }

  dispatch(messages: readonly Message[]): void {
    const now = this.clock.now();
    for (const message of messages)
      if (message.dueAt !== undefined && message.dueAt > now) this.#parts.timers().add(message);
      else this.#deliver(message);
  }

  #deliver(message: Message): void {
    const live = this.#live.get(message.target);
    if (live === undefined) {
      this.#loader.receive(message);
      return;
    }
    this.#resting.delete(live);
    live.receive(message);
    this.rest(live);
  }

  /** Something lies in the database of which memory does not know. */
  reread(instanceId: string): void {
    const live = this.#live.get(instanceId);
    if (live !== undefined && !this.#resting.has(live)) {
      this.#outdated.add(instanceId);
      return;
    }
    if (live !== undefined) this.#drop(live);
    this.#loader.want(instanceId);
  }

  /** Looks for everything that could go on and is not in memory, as fast as memory allows. */
  async sweep(): Promise<void> {
    if (this.#isSweeping) return;
    this.#isSweeping = true;
    const wasBacklogged = this.#isBacklogged;
    this.#isBacklogged = false;
    const { pool, hub, ownership } = this.#parts;
    try {
      for (let after: string | undefined = "0"; after !== undefined && !this.#stopped;) {
        const page = await instancesWithWork(pool, hub, ownership().hostId, after, loadMax);
        for (const { id, waiting } of page.instances) {
          const live = this.#live.get(id);
          // One that works will come to it; one that rests has missed what it does not know.
          if (live === undefined || (this.#resting.has(live) && live.waiting < waiting))
            this.reread(id);
        }
        after = page.next;
        if (after !== undefined) await this.#room();
      }
    } catch (error) {
      this.#isBacklogged ||= wasBacklogged;
      throw error;
    } finally {
      this.#isSweeping = false;
    }
  }

  /** Creates an orchestration with its first turn; false where room or a key is missing. */
  async begin(one: NewInstance, at: Date, signal: AbortSignal): Promise<boolean> {
    const key = this.#atWork < atWorkMax ? this.#parts.instanceKeys.next() : undefined;
    if (key === undefined) return false;
    const stored = freshInstance(one, { key, epoch: 1, executionId: one.executionId }, at);
    const orchestration = new Orchestration(this, orchestrationState(stored, at.getTime()));
    this.#beginning++;
    await orchestration.begin({ ...one, key }, signal).finally(() => this.#beginning--);
    return true;
  }

  enter(instance: LiveInstance): void {
    // A sweep may have been faster, and has then brought in what is on disk.
    if (this.#stopped || this.#live.has(instance.id)) instance.leave();
    else this.#live.set(instance.id, instance);
  }

  adopt(instances: readonly NewInstance[], { created }: Committed): void {
    const refused: Message[] = [];
    for (const one of instances) {
      const made = created.get(one.id);
      if (made?.executionId === one.executionId) {
        // Beyond, new ones stay in the database until a sweep finds room for them.
        if (this.#atWork < atWorkMax)
          this.#bringIn(freshInstance(one, made, new Date(this.clock.now())));
        else this.#isBacklogged = true;
      } else if (one.onConflict !== undefined) refused.push(one.onConflict);
    }
    this.dispatch(refused);
  }

  startActivity(
    activity: StoredActivity,
    instanceId: string,
    done: (outcome: ActivityEnd["outcome"]) => void,
  ): void {
    this.#parts.activities.start({ activity, instanceId, done });
  }

  moved(instanceId: string, end?: InstanceEnd): void {
    if (end !== undefined) {
      this.#live.delete(instanceId);
      this.#outdated.delete(instanceId);
      this.#relieve();
    }
    this.#parts.onMoved(instanceId, end);
  }

  /** Fetches those for which there was no room, once there is. */
  #relieve(): void {
    if (this.#isBacklogged && this.#atWork < atWorkMax / 2)
      void this.sweep().catch((error: unknown) => noteFailure("Looking for work", error));
  }

  rest(instance: LiveInstance): void {
    if (!instance.isIdle || this.#live.get(instance.id) !== instance) return;
    this.#resting.add(instance);
    if (this.#outdated.delete(instance.id)) this.reread(instance.id);
    for (const oldest of this.#resting.beyond(this.#parts.idleMax)) {
      this.#live.delete(oldest.id);
      oldest.leave();
    }
    this.#relieve();
  }

  /** This life of the id was removed from the database; another may have begun meanwhile. */
  forget(instanceId: string, key: number): void {
    const live = this.#live.get(instanceId);
    if (live?.key === key) this.#drop(live);
  }

  #drop(live: LiveInstance): void {
    live.leave();
    this.#live.delete(live.id);
    this.#resting.delete(live);
  }

  abandon(instance: LiveInstance): void {
    if (this.#live.get(instance.id) === instance) this.#live.delete(instance.id);
    this.#resting.delete(instance);
    this.#loader.want(instance.id);
  }

  /** It stays out of work for a while: what cannot be stored now may be later, or never. */
  quarantine(instance: LiveInstance, error: unknown): void {
    console.error(`durable: ${instance.id} could not be stored: ${errorMessage(error)}`);
    setTimeout(() => {
      if (!this.#stopped) this.abandon(instance);
    }, quarantineMs).unref();
  }

  #bringIn(stored: StoredInstance, early: readonly Message[] = []): void {
    const { id, kind } = stored.row;
    if (this.#stopped) return;
    if (this.#live.has(id)) {
      // Created here while it was being read: it has seen none of these.
      for (const message of early) this.#deliver(message);
      return;
    }
    const now = this.clock.now();
    const instance =
      kind === "entity"
        ? new Entity(this, stored)
        : new Orchestration(this, orchestrationState(stored, now));
    this.#live.set(id, instance);
    // Timers of a turn whose answer was lost, or of another host, are nowhere in memory yet.
    for (const message of stored.messages)
      if ((message.dueAt ?? 0) > now) this.#parts.timers().add(message);
    for (const message of early) instance.receive(message);
    instance.wake();
    this.rest(instance);
  }

  async #room(): Promise<void> {
    while (this.#atWork >= atWorkMax && !this.#stopped) await sleep(20, undefined, { ref: false });
  }
}
