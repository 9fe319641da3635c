/** Reads instances into memory, many at a time, when something has arrived for them. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "pg";
import { claimInstances, type StoredInstance } from "./instance-rows.js";
import type { Message } from "./messages.js";
import type { Ownership } from "./ownership.js";

/** So many instances are read from the database at once. */
export const loadMax = 200;

export interface LoaderParts {
  readonly pool: Pool;
  readonly hub: string;
  readonly ownership: () => Ownership;
  readonly isLive: (instanceId: string) => boolean;
  /** `early` is what has arrived while the instance was being read. */
  readonly enter: (stored: StoredInstance, early: readonly Message[]) => void;
  /** Resolves when there is room for more instances. */
  readonly room: () => Promise<void>;
}

export class InstanceLoader {
  readonly #parts: LoaderParts;
  readonly #wanted = new Set<string>();
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
  }

  /** Something lies in the database for this instance. */
  want(instanceId: string): void {
    if (this.#stopped) return;
    this.#wanted.add(instanceId);
    if (!this.#isLoading) void this.#load();
  }

  /** A message for an instance that is not in memory: it is on disk, and may be read from there. */
  receive(message: Message): void {
    const early = this.#early.get(message.target);
    if (early === undefined) this.want(message.target);
    else early.push(message);
  }

  async #load(): Promise<void> {
    this.#isLoading = true;
    while (this.#wanted.size > 0 && !this.#stopped) {
      await this.#parts.room();
      const ids = [...this.#wanted].slice(0, loadMax);
      for (const id of ids) {
        this.#wanted.delete(id);
        this.#early.set(id, []);
      }
      try {
        await this.#loadSome(ids.filter((id) => !this.#parts.isLive(id)));
      } catch {
        // The database is away: try again when it may be back.
        await sleep(200, undefined, { ref: false });
        for (const id of ids) this.#wanted.add(id);
      }
      for (const id of ids) this.#early.delete(id);
    }
    this.#isLoading = false;
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
