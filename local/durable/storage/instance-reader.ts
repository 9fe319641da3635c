/** Reads single instances; those asked for while a read is under way share the next one. */
import type { Pool } from "pg";
import { readInstances, type InstanceRow } from "./instance-rows.js";

interface Asker {
  readonly id: string;
  readonly resolve: (row: InstanceRow | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** So many instances are read at once at most. */
const batchMax = 500;

export class InstanceReader {
  readonly #pool: Pool;
  readonly #hub: string;
  #waiting: Asker[] = [];
  #isReading = false;

  constructor(pool: Pool, hub: string) {
    this.#pool = pool;
    this.#hub = hub;
  }

  /** The instance as it is on disk now; never from a read that had begun before. */
  async find(id: string): Promise<InstanceRow | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ id, resolve, reject });
      if (!this.#isReading) void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    this.#isReading = true;
    while (this.#waiting.length > 0) await this.#read(this.#waiting.splice(0, batchMax));
    this.#isReading = false;
  }

  async #read(askers: readonly Asker[]): Promise<void> {
    try {
      const ids = [...new Set(askers.map(({ id }) => id))];
      const rows = await readInstances(this.#pool, this.#hub, ids);
      const byId = new Map(rows.map((row) => [row.id, row]));
      for (const { id, resolve } of askers) resolve(byId.get(id));
    } catch (error) {
      for (const { reject } of askers) reject(error);
    }
  }
}
