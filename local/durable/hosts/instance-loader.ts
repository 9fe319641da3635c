/** Reads instances into memory, many at a time, when something has arrived for them. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "pg";
import { noteFailure } from "../../failures.js";
import { claimInstances, type StoredInstance } from "../storage/instance-rows.js";
import type { Message } from "../protocol/messages.js";
import type { Ownership } from "./ownership.js";

/** So many instances are read from the database at once. */
export const loadMax = 200;

/** For so many instances messages are kept until they are read; all of them are on disk anyway. */
const earlyMax = 10_000;

export interface LoaderParts {
  readonly pool: Pool;
  readonly hub: string;
  readonly ownership: () => Ownership;
  readonly isLive: (instanceId: string) => boolean;
  /** `early` is what has arrived since the instance was wanted. */
  readonly enter: (stored: StoredInstance, early: readonly Message[]) => void;
  /** For an instance that has come into memory by another way meanwhile. */
  readonly deliver: (message: Message) => void;
  /** Resolves when there is room for more instances. */
  readonly room: () => Promise<void>;
}

export class InstanceLoader {
  readonly #parts: LoaderParts;
  readonly #wanted = new Set<string>();
  /** What has arrived for instances that are wanted, or being read. */
  readonly #early = new Map<string, Message[]>();
  #isLoading = false;
  #stopped = false;

  constructor(parts: LoaderParts) {
    this.#parts = parts;
  }

  get isBusy(): boolean {
    return this.#isLoading;
  }

  stop(): void {
    this.#stopped = true;
    this.#wanted.clear();
    this.#early.clear();
  }

  /** Something lies in the database for this instance. */
  want(instanceId: string): void {
    if (this.#stopped) return;
    this.#wanted.add(instanceId);
    if (!this.#isLoading) void this.#load();
  }

  /** A message for an instance that is not in memory. */
  receive(message: Message): void {
    const { target } = message;
    const early = this.#early.get(target);
    if (early !== undefined) early.push(message);
    else {
      if (this.#early.size < earlyMax) this.#early.set(target, [message]);
      this.want(target);
    }
  }

  async #load(): Promise<void> {
    this.#isLoading = true;
    while (this.#wanted.size > 0 && !this.#stopped) {
      await this.#parts.room();
      const ids = [...this.#wanted].slice(0, loadMax).filter((id) => this.#isNeeded(id));
      try {
        if (ids.length > 0) await this.#loadSome(ids);
      } catch (error) {
        noteFailure("Reading instances", error);
        await sleep(200, undefined, { ref: false });
        for (const id of ids) this.#wanted.add(id);
      }
      for (const id of ids) this.#early.delete(id);
    }
    this.#isLoading = false;
  }

  /** One that was created while it was wanted is here, without what arrived before. */
  #isNeeded(id: string): boolean {
    this.#wanted.delete(id);
    const early = this.#early.get(id) ?? [];
    if (!this.#parts.isLive(id)) {
      this.#early.set(id, early);
      return true;
    }
    this.#early.delete(id);
    for (const message of early) this.#parts.deliver(message);
    return false;
  }

  async #loadSome(ids: readonly string[]): Promise<void> {
    const { pool, hub, ownership, enter } = this.#parts;
    const stored = await claimInstances(pool, hub, ownership().hostId, ids);
    if (this.#stopped) return;
    for (const one of stored) enter(one, this.#early.get(one.row.id) ?? []);
    const found = new Set(stored.map(({ row }) => row.id));
    const absent = ids.filter((id) => !found.has(id));
    if (absent.length > 0) await this.#passOn(absent);
  }

  /** Tells the owner elsewhere; what was meant for an instance that has ended is thrown away. */
  async #passOn(ids: readonly string[]): Promise<void> {
    const { pool, hub, ownership } = this.#parts;
    await pool.query(
      `delete from durable.message m using durable.instance i
       where i.hub = $1 and i.id = any($2) and i.completed_at is not null
         and m.hub = i.hub and m.instance_id = i.id`,
      [hub, ids],
    );
    const { rows } = await pool.query<{ id: string; owner: string }>(
      `select id, owner from durable.instance
       where hub = $1 and id = any($2) and completed_at is null and owner <> $3`,
      [hub, ids, ownership().hostId],
    );
    for (const { id, owner } of rows) await ownership().notify(owner, id);
  }
}
