/** The one connection that writes: it holds the lock by which a database has one broker, and comes back by itself. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Pool, PoolClient } from "pg";
import { isOutage } from "../../../shared/platform/outage.js";
import { noteFailure } from "../../failures.js";
import { StartError } from "../../start-error.js";

/** Any number, as long as every broker of one database takes the same. */
const writerLock = 5_672_002;
const takeOverMs = 10_000;

/*
 * The statements join arrays with tables by their keys. Prepared once, their plans must not depend
 * on how small the tables happened to be at that moment.
 */
const sessionSettings = `set application_name = 'broker'; set enable_seqscan = off;
  set enable_hashjoin = off; set enable_mergejoin = off; set jit = off;
  set plan_cache_mode = force_generic_plan`;

export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A message id that had not been seen before. */
export interface FreshRow {
  readonly entity_id: number;
  readonly message_id: string;
}

const pauseMs = (failures: number): number => Math.min(50 * 2 ** failures, 1000);

export class Writer {
  readonly #pool: Pool;
  #client: PoolClient | undefined;
  #restoring: Promise<void> | undefined;
  #isStopped = false;

  private constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Waits a moment for the former holder of the lock, which may be a broker that is just being replaced. */
  static async open(pool: Pool): Promise<Writer> {
    const writer = new Writer(pool);
    const deadline = Date.now() + takeOverMs;
    for (;;) {
      if (await writer.#connect()) return writer;
      if (Date.now() > deadline)
        throw new StartError("Another broker is running on this database; stop it first.");
      await sleep(50);
    }
  }

  get connected(): boolean {
    return this.#client !== undefined;
  }

  /**
   * Runs one statement, which is its own transaction. A lost connection is made again and the
   * statement repeated until it is through: `repeated` says that it may have run before.
   */
  async run(
    statement: Statement,
  ): Promise<{ readonly rows: readonly FreshRow[]; readonly repeated: boolean }> {
    for (let failures = 0; ;) {
      const client = this.#client;
      if (client === undefined) {
        if (this.#isStopped) throw new Error("The broker has stopped.");
        await this.#restore();
        continue;
      }
      try {
        const { name, text, values } = statement;
        const { rows } = await client.query<FreshRow>({ name, text, values: [...values] });
        return { rows, repeated: failures > 0 };
      } catch (error) {
        if (!isOutage(error)) throw error;
        this.#drop(client);
        await sleep(pauseMs(failures));
        failures += 1;
      }
    }
  }

  close(): void {
    this.#isStopped = true;
    this.#drop();
  }

  /** Comes back also when there is nothing to write: the lock must not stay free. */
  #restore(): Promise<void> {
    this.#restoring ??= this.#reconnect().finally(() => (this.#restoring = undefined));
    return this.#restoring;
  }

  async #reconnect(): Promise<void> {
    for (let failures = 0; this.#client === undefined && !this.#isStopped; failures += 1) {
      const connected = await this.#connect().catch((error: unknown) => {
        noteFailure("The broker's connection to the database", error);
        return false;
      });
      if (!connected) await sleep(pauseMs(failures), undefined, { ref: false });
    }
  }

  async #connect(): Promise<boolean> {
    const client = await this.#pool.connect();
    client.on("error", () => this.#drop(client));
    if (this.#isStopped) {
      client.release(true);
      return false;
    }
    try {
      const { rows } = await client.query<{ locked: boolean }>(
        "select pg_try_advisory_lock($1) as locked",
        [writerLock],
      );
      if (rows[0]?.locked !== true) {
        client.release(true);
        return false;
      }
      await client.query(sessionSettings);
      this.#client = client;
      return true;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  /** Closing the connection gives the lock back. */
  #drop(failed = this.#client): void {
    if (failed === undefined || failed !== this.#client) return;
    this.#client = undefined;
    failed.release(true);
    if (!this.#isStopped) void this.#restore();
  }
}
