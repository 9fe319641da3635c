/** Which of the hosts of one app runs its timer functions: the one that holds a lock of the database's. */
import type { Pool, PoolClient } from "pg";
import { withErrorListener } from "../../durable/storage/transaction.js";
import { noteFailure } from "../../failures.js";

const tryEveryMs = 1_000;
const asking = "Asking for the timer functions";

export interface SoleHostEvents {
  /** They are this host's to run, until they are lost. */
  readonly onHeld: () => Promise<void>;
  /** The connection is gone, and with it the lock: another host may run them by now. */
  readonly onLost: () => void;
}

/** The lock belongs to a connection: when the process dies, the server frees it, and another host takes over. */
export class SoleHost {
  readonly #pool: Pool;
  readonly #app: string;
  #events: SoleHostEvents | undefined;
  #client: PoolClient | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  /** `app` keeps apps that share one database apart. */
  constructor(pool: Pool, app: string) {
    this.#pool = pool;
    this.#app = app;
  }

  /** Resolves when it is known whether they are this host's now; where not, it goes on asking. */
  async start(events: SoleHostEvents): Promise<void> {
    this.#events = events;
    await this.#try();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    const client = this.#client;
    this.#client = undefined;
    try {
      await client?.query("select pg_advisory_unlock_all()");
    } catch (error) {
      // The server frees the lock of a connection that is gone.
      noteFailure("Giving the timer functions up", error);
    } finally {
      client?.release(true);
    }
  }

  #askAgain(): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#try().catch((error: unknown) => noteFailure(asking, error));
    }, tryEveryMs).unref();
  }

  async #try(): Promise<void> {
    let client: PoolClient | undefined;
    try {
      client = await this.#lock();
      if (client === undefined) return;
      this.#client = client;
      await this.#events?.onHeld();
    } catch (error) {
      if (client !== undefined && this.#client === client) this.#lose(client);
      throw error;
    } finally {
      if (this.#client === undefined) this.#askAgain();
    }
  }

  async #lock(): Promise<PoolClient | undefined> {
    const client = withErrorListener(await this.#pool.connect());
    try {
      const { rows } = await client.query<{ held: boolean }>(
        "select pg_try_advisory_lock(hashtextextended('timer functions of ' || $1, 0)) as held",
        [this.#app],
      );
      if (rows[0]?.held !== true || this.#stopped) {
        client.release(this.#stopped);
        return undefined;
      }
    } catch (error) {
      client.release(true);
      throw error;
    }
    client.once("end", () => {
      if (this.#client !== client) return;
      this.#lose(client);
      this.#askAgain();
    });
    return client;
  }

  #lose(client: PoolClient): void {
    this.#client = undefined;
    client.release(true);
    this.#events?.onLost();
  }
}
