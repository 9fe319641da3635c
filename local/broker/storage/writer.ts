/** The one connection that writes: it holds the lock by which a database has one broker, and comes back by itself. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Pool, PoolClient } from "pg";
import { isOutage, OutageError } from "../../../shared/platform/outage.js";
import { noteFailure } from "../../failures.js";
import { StartError } from "../../start-error.js";
import { migrateSchema } from "./schema.js";

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

interface Prepared {
  readonly name: string;
  readonly text: string;
}

export interface Statement extends Prepared {
  readonly values: readonly unknown[];
  /** How it is put when it may have run before, where that makes a difference. */
  readonly again?: Prepared;
}

/** A message id that had not been seen before. */
export interface FreshRow {
  readonly entity_id: number;
  readonly message_id: string;
}

const pauseMs = (failures: number): number => Math.min(50 * 2 ** failures, 1000);

const deposed = (): OutageError =>
  new OutageError("Another broker has owned the database meanwhile.");

export class Writer {
  readonly #pool: Pool;
  #client: PoolClient | undefined;
  #restoring: Promise<void> | undefined;
  #isStopped = false;
  /** A statement has met an outage and is not through yet. */
  #isHeldUp = false;
  /** Counts the owners of the database. None came between as long as it is what it was at first. */
  #tenure: number | undefined;
  #isDeposed = false;
  #depose: () => void = () => undefined;
  /**
   * Resolves when another broker has owned the database: what this one knows of it is out of date,
   * the next sequence numbers above all. Nothing is written any more.
   */
  readonly deposed = new Promise<void>((resolve) => (this.#depose = resolve));

  private constructor(pool: Pool) {
    this.#pool = pool;
  }

  /**
   * Takes the database over and brings its tables up to date. Waits a moment for the former holder
   * of the lock, which may be a broker that is just being replaced.
   */
  static async open(pool: Pool, waitMs = takeOverMs): Promise<Writer> {
    const writer = new Writer(pool);
    const deadline = Date.now() + waitMs;
    while (!(await writer.#connect())) {
      if (Date.now() > deadline)
        throw new StartError("Another broker is running on this database; stop it first.");
      await sleep(50);
    }
    try {
      await migrateSchema(pool);
      const claim = "update broker.owner set tenure = tenure + 1 returning tenure";
      const { rows } = (await writer.#client?.query<{ tenure: number }>(claim)) ?? {};
      if (rows?.[0] === undefined)
        throw new OutageError("The database was lost while it was taken over.");
      writer.#tenure = rows[0].tenure;
      return writer;
    } catch (error) {
      writer.close();
      throw error;
    }
  }

  /** Whether what is to be written is not held up. */
  get isWriting(): boolean {
    return this.#client !== undefined && !this.#isHeldUp;
  }

  /**
   * Runs one statement, which is its own transaction. A lost connection is made again and the
   * statement repeated until it is through: `repeated` says that it may have run before.
   */
  async run(
    statement: Statement,
  ): Promise<{ readonly rows: readonly FreshRow[]; readonly repeated: boolean }> {
    for (let failures = 0; ;) {
      if (this.#isDeposed) throw deposed();
      const client = this.#client;
      if (client === undefined) {
        if (this.#isStopped) throw new Error("The broker has stopped.");
        await this.#restore();
        continue;
      }
      try {
        const { name, text } = (failures > 0 ? statement.again : undefined) ?? statement;
        const { values } = statement;
        const { rows } = await client.query<FreshRow>({ name, text, values: [...values] });
        this.#isHeldUp = false;
        return { rows, repeated: failures > 0 };
      } catch (error) {
        this.#isHeldUp = isOutage(error);
        if (!this.#isHeldUp) throw error;
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
    const isWanted = (): boolean =>
      this.#client === undefined && !this.#isStopped && !this.#isDeposed;
    for (let failures = 0; isWanted(); failures += 1) {
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
      if (await this.#hasOtherOwner(client)) {
        client.release(true);
        this.#isDeposed = true;
        this.#depose();
        return false;
      }
      this.#client = client;
      return true;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  /** Asked while the lock is held, so that nobody becomes one meanwhile. */
  async #hasOtherOwner(client: PoolClient): Promise<boolean> {
    if (this.#tenure === undefined) return false;
    const { rows } = await client.query<{ tenure: number }>("select tenure from broker.owner");
    return rows[0]?.tenure !== this.#tenure;
  }

  /** Closing the connection gives the lock back. */
  #drop(failed = this.#client): void {
    if (failed === undefined || failed !== this.#client) return;
    this.#client = undefined;
    failed.release(true);
    if (!this.#isStopped) void this.#restore();
  }
}
