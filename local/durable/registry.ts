/** The instances in memory: brings them in when something arrives for them, lets idle ones go. */
import type { Pool } from "pg";
import type { LocalClock } from "../clock.js";
import type { ActivityRunner } from "./activity-runner.js";
import type { Change, Committed, NewInstance } from "./change.js";
import type { Committer } from "./committer.js";
import { Entity } from "./entity.js";
import type { DurableFunctions } from "./functions.js";
import type { Hub, LiveInstance } from "./hub.js";
import {
  claimInstances,
  waitingTargets,
  type StoredActivity,
  type StoredInstance,
} from "./instance-rows.js";
import type { MessageIds } from "./message-ids.js";
import type { Message } from "./messages.js";
import { Orchestration } from "./orchestration.js";
import { orchestrationState, type ActivityEnd } from "./orchestration-state.js";
import type { Ownership } from "./ownership.js";
import type { Timers } from "./timers.js";

export interface RegistryParts {
  readonly pool: Pool;
  readonly hub: string;
  readonly functions: DurableFunctions;
  readonly clock: LocalClock;
  readonly committer: Committer;
  readonly activities: ActivityRunner;
  readonly messageIds: MessageIds;
  readonly ownership: () => Ownership;
  readonly timers: () => Timers;
  readonly idleMax: number;
  /** Called after each turn, for those who wait for an instance's end. */
  readonly onMoved: (instanceId: string, ended: boolean) => void;
}

/** So many instances are read from the database at once. */
const loadMax = 200;

export class Registry implements Hub {
  readonly functions: DurableFunctions;
  readonly clock: LocalClock;
  readonly #parts: RegistryParts;
  readonly #live = new Map<string, LiveInstance>();
  /** Idle ones in the order in which they came to rest; the oldest leave first. */
  readonly #idle = new Set<LiveInstance>();
  readonly #wanted = new Set<string>();
  /** Those at work that have to be read again once they rest. */
  readonly #outdated = new Set<string>();
  /** What arrived for instances while they were being read. */
  readonly #early = new Map<string, Message[]>();
  #isLoading = false;
  #stopped = false;

  constructor(parts: RegistryParts) {
    this.#parts = parts;
    this.functions = parts.functions;
    this.clock = parts.clock;
  }

  get size(): number {
    return this.#live.size;
  }

  get idle(): number {
    return this.#idle.size;
  }

  /** True while some instance works, or is about to. */
  get isBusy(): boolean {
    return this.#isLoading || this.#wanted.size > 0 || this.#live.size > this.#idle.size;
  }

  stop(): void {
    this.#stopped = true;
    this.#live.clear();
    this.#idle.clear();
    this.#wanted.clear();
  }

  /** Memory is not to be trusted any more; the database is. */
  dropAll(): void {
    for (const instance of this.#live.values()) instance.leave();
    this.#live.clear();
    this.#idle.clear();
  }

  async commit(change: Change): Promise<Committed> {
    return this.#parts.committer.commit(change);
  }

  nextMessageId(): number {
    return this.#parts.messageIds.next();
  }

  dispatch(messages: readonly Message[]): void {
    const now = this.clock.now();
    for (const message of messages)
      if (message.dueAt !== undefined && message.dueAt > now) this.#parts.timers().add(message);
      else this.deliver(message);
  }

  deliver(message: Message): void {
    const live = this.#live.get(message.target);
    if (live !== undefined) {
      this.#idle.delete(live);
      live.receive(message);
      return;
    }
    const early = this.#early.get(message.target);
    if (early !== undefined) early.push(message);
    else this.want(message.target);
  }

  /** Something lies in the database for this instance. */
  want(instanceId: string): void {
    if (this.#stopped) return;
    this.#wanted.add(instanceId);
    if (!this.#isLoading) void this.#load();
  }

  /** Something lies in the database of which memory does not know. */
  reread(instanceId: string): void {
    const live = this.#live.get(instanceId);
    if (live !== undefined && !this.#idle.has(live)) {
      this.#outdated.add(instanceId);
      return;
    }
    this.forget(instanceId);
    this.want(instanceId);
  }

  /** Looks for everything that could go on and is not in memory. */
  async sweep(): Promise<void> {
    const { pool, hub, ownership } = this.#parts;
    const ids = await waitingTargets(pool, hub, ownership().hostId, 2_000);
    for (const id of ids) {
      const live = this.#live.get(id);
      // One that works will come to it; one that rests has missed it.
      if (live === undefined || this.#idle.has(live)) this.reread(id);
    }
  }

  adopt(instances: readonly NewInstance[], { created }: Committed): void {
    const refused: Message[] = [];
    for (const one of instances) {
      const made = created.get(one.id);
      if (made?.executionId === one.executionId) this.#enter(this.#fresh(one, made));
      else if (one.onConflict !== undefined) refused.push(one.onConflict);
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

  moved(instanceId: string, ended: boolean): void {
    if (ended) {
      this.#live.delete(instanceId);
      this.#outdated.delete(instanceId);
    }
    this.#parts.onMoved(instanceId, ended);
  }

  rest(instance: LiveInstance): void {
    if (!instance.isIdle || this.#live.get(instance.id) !== instance) return;
    this.#idle.delete(instance);
    this.#idle.add(instance);
    if (this.#outdated.delete(instance.id)) this.reread(instance.id);
    for (const oldest of this.#idle) {
      if (this.#idle.size <= this.#parts.idleMax) return;
      this.#idle.delete(oldest);
      this.#live.delete(oldest.id);
      oldest.leave();
    }
  }

  /** The instance was removed from the database. */
  forget(instanceId: string): void {
    const live = this.#live.get(instanceId);
    if (live === undefined) return;
    live.leave();
    this.#live.delete(instanceId);
    this.#idle.delete(live);
  }

  abandon(instance: LiveInstance): void {
    if (this.#live.get(instance.id) === instance) this.#live.delete(instance.id);
    this.#idle.delete(instance);
    this.want(instance.id);
  }

  #enter(stored: StoredInstance): void {
    const { id, kind } = stored.row;
    if (this.#stopped || this.#live.has(id)) return;
    const instance =
      kind === "entity"
        ? new Entity(this, stored)
        : new Orchestration(this, orchestrationState(stored, this.clock.now()));
    this.#live.set(id, instance);
    for (const message of this.#early.get(id) ?? []) instance.receive(message);
    instance.wake();
    this.rest(instance);
  }

  /** An instance that was just created needs no reading: all of it is known. */
  #fresh(one: NewInstance, { key, epoch }: { key: number; epoch: number }): StoredInstance {
    const now = new Date(this.clock.now());
    const row: StoredInstance["row"] = {
      key: String(key),
      id: one.id,
      kind: one.kind,
      execution_id: one.executionId,
      name: one.name,
      version: one.version ?? null,
      status: one.status,
      input: one.input ?? null,
      output: null,
      custom_status: null,
      parent_id: one.parentId ?? null,
      parent_execution_id: one.parentExecutionId ?? null,
      parent_task_id: one.parentTaskId ?? null,
      carried: null,
      entity_state: null,
      entity_lock: null,
      epoch: String(epoch),
      turn: 0,
      created_at: now,
      updated_at: now,
      completed_at: null,
    };
    return { row, history: [], activities: [], messages: [] };
  }

  async #load(): Promise<void> {
    this.#isLoading = true;
    while (this.#wanted.size > 0 && !this.#stopped) {
      const ids = [...this.#wanted].slice(0, loadMax);
      for (const id of ids) {
        this.#wanted.delete(id);
        this.#early.set(id, []);
      }
      try {
        await this.#loadSome(ids);
      } catch {
        // The database is away: try again when it may be back.
        await new Promise((resolve) => setTimeout(resolve, 200).unref());
        for (const id of ids) this.#wanted.add(id);
      }
      for (const id of ids) this.#early.delete(id);
    }
    this.#isLoading = false;
  }

  async #loadSome(ids: readonly string[]): Promise<void> {
    const { pool, hub, ownership } = this.#parts;
    const missing = ids.filter((id) => !this.#live.has(id));
    const stored = await claimInstances(pool, hub, ownership().hostId, missing);
    for (const one of stored) this.#enter(one);
    const found = new Set(stored.map(({ row }) => row.id));
    const absent = missing.filter((id) => !found.has(id));
    if (absent.length > 0) await this.#passOn(absent);
  }

  /** Tells the owner elsewhere; what was meant for an instance that has ended is thrown away. */
  async #passOn(ids: readonly string[]): Promise<void> {
    const { pool, hub, ownership } = this.#parts;
    const { rows } = await pool.query<{ id: string; owner: string | null; ended: boolean }>(
      `select id, owner, completed_at is not null as ended from durable.instance
       where hub = $1 and id = any($2)`,
      [hub, ids],
    );
    const ended = rows.filter((row) => row.ended).map(({ id }) => id);
    if (ended.length > 0)
      await pool.query(
        "delete from durable.message where hub = $1 and instance_id = any($2) and due_at is null",
        [hub, ended],
      );
    for (const { id, owner } of rows.filter((row) => !row.ended))
      if (owner !== null && owner !== ownership().hostId) await ownership().notify(owner, id);
  }
}
