/** Writes changes to the database: at once when alone, together with others while a write runs. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { Change, Committed, CreatedInstance } from "./change.js";
import { flushStatement } from "./flush/statement.js";
import { isOutage } from "../../../shared/platform/outage.js";
import { withErrorListener } from "./transaction.js";

interface Waiting {
  readonly change: Change;
  readonly settle: (committed: Committed) => void;
  readonly fail: (error: unknown) => void;
  /** Once aborted nobody waits any more: what is not written yet is left out. */
  readonly signal: AbortSignal | undefined;
}

/** The host that writes; it gets a new id where it loses its lease. */
export interface HostIdentity {
  readonly hostId: string;
}

/** So many changes go into one statement at most: beyond, latency grows and throughput does not. */
const batchMax = 500;

/** The instance whose fence lets the change pass; none where anything may be written. */
const fencedKey = ({ turn, begun }: Change): number | undefined => (turn ?? begun)?.key;

/**
 * Memory goes by the disk for so long after another host was seen, or an answer was lost, the last time: what
 * was written without its knowing is read by then, and nothing that is sent later overtakes it.
 */
const sharedLingerMs = 5_000;

/** A created instance; without an id, the key of a fence that passed, or else a word about the write. */
interface AnswerRow {
  readonly id: string | null;
  readonly key: string | null;
  readonly epoch: string;
  readonly execution_id: string;
}

const isPassed = ({ id, key, execution_id: word }: AnswerRow): boolean =>
  id === null && key === null && word === "passed";

interface Answer {
  readonly rows: readonly AnswerRow[];
  /** An earlier try's answer was lost. */
  readonly isRepeated: boolean;
}

export class Committer {
  readonly #pool: pg.Pool;
  readonly #hub: string;
  readonly #host: HostIdentity;
  readonly #onRepeated: () => void;
  readonly #writerId = randomUUID();
  #writes = 0;
  #sharedUntil = -Infinity;
  #client: pg.PoolClient | undefined;
  #queue: Waiting[] = [];
  #writing = false;
  #stopped = false;

  /** `onRepeated` hears of each write that was tried again: what it has done, memory may not know of. */
  constructor(
    pool: pg.Pool,
    hub: string,
    host: HostIdentity,
    onRepeated: () => void = () => undefined,
  ) {
    this.#pool = pool;
    this.#hub = hub;
    this.#host = host;
    this.#onRepeated = onRepeated;
  }

  /** How many changes wait for their write or its answer. */
  get pending(): number {
    return this.#queue.length + (this.#writing ? 1 : 0);
  }

  /** Resolves when the change is on disk, or is known to be fenced off. */
  async commit(change: Change, signal?: AbortSignal): Promise<Committed> {
    return new Promise((settle, fail) => {
      this.#queue.push({ change, settle, fail, signal });
      if (!this.#writing) void this.#drain();
    });
  }

  /** Gives up on everything not yet written, as a crash would. */
  stop(): void {
    this.#stopped = true;
    this.#queue = [];
    this.#client?.release(true);
    this.#client = undefined;
  }

  async #drain(): Promise<void> {
    this.#writing = true;
    while (this.#queue.length > 0 && !this.#stopped)
      await this.#write(this.#queue.splice(0, this.#batchSize()));
    this.#writing = false;
  }

  /**
   * Two turns of one instance go into two statements: a fence tells of an instance that a turn passed, not of
   * which. One waits beside the other where the instance was taken over again after an outage.
   */
  #batchSize(): number {
    const keys = new Set<number>();
    const end = this.#queue.findIndex(({ change }, index) => {
      const key = fencedKey(change);
      if (index === batchMax || (key !== undefined && keys.has(key))) return true;
      if (key !== undefined) keys.add(key);
      return false;
    });
    return end === -1 ? this.#queue.length : end;
  }

  /** A refused batch is tried change by change: one that cannot be stored must not stop others. */
  async #write(batch: readonly Waiting[]): Promise<void> {
    try {
      const { rows, isRepeated } = await this.#flush(batch);
      if (this.#stopped) return;
      const passed = new Set<number>();
      const created = new Map<string, CreatedInstance>();
      let isSharedNow = isRepeated;
      for (const { id, key, epoch, execution_id: executionId } of rows)
        if (id !== null) created.set(id, { key: Number(key), epoch: Number(epoch), executionId });
        else if (key !== null) passed.add(Number(key));
        else if (executionId === "others") isSharedNow = true;
      if (isSharedNow) this.#sharedUntil = performance.now() + sharedLingerMs;
      const isShared = performance.now() < this.#sharedUntil;
      for (const { change, settle } of batch) {
        const key = fencedKey(change);
        settle({ applied: key === undefined || passed.has(key), created, isShared });
      }
      if (isRepeated) this.#onRepeated();
    } catch (error) {
      if (batch.length > 1) for (const one of batch) await this.#write([one]);
      else for (const { fail } of batch) fail(error);
    }
  }

  /** After a lost connection all may be there already; fences and gate then keep it from doubling. */
  async #flush(batch: readonly Waiting[]): Promise<Answer> {
    const number = ++this.#writes;
    let isSent = false;
    let isRepeated = false;
    for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, 2_000)) {
      try {
        this.#client ??= await this.#connect();
        const wanted = batch.filter(({ signal }) => signal?.aborted !== true);
        if (wanted.length === 0) return { rows: [], isRepeated };
        const changes = wanted.map(({ change }) => change);
        const origin = { hub: this.#hub, hostId: this.#host.hostId, number };
        const statement = flushStatement({ ...origin, writerId: this.#writerId }, changes);
        isSent = true;
        let { rows } = await this.#client.query<AnswerRow>(statement);
        // Where the first try ended during this one, only one more sees what it has created.
        if (!rows.some(isPassed)) ({ rows } = await this.#client.query<AnswerRow>(statement));
        return { rows, isRepeated };
      } catch (error) {
        if (this.#stopped) return { rows: [], isRepeated };
        if (!isOutage(error)) throw error;
        isRepeated = isSent;
        this.#client?.release(true);
        this.#client = undefined;
        await sleep(pauseMs);
      }
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    const client = withErrorListener(await this.#pool.connect());
    try {
      if (this.#stopped) throw new Error("Nothing is written any more.");
      await client.query("set plan_cache_mode = force_generic_plan");
      return client;
    } catch (error) {
      // Not given back, lost connections would use the pool up.
      client.release(true);
      throw error;
    }
  }
}
