/** Keys for instances, fetched ahead, so that one write can create an instance and refer to it. */
import type { Pool } from "pg";
import { noteFailure } from "../../failures.js";

/** So many keys are fetched at a time. */
const blockSize = 2_000;

export class InstanceKeys {
  readonly #pool: Pool;
  #keys: number[] = [];
  #isFetching = false;

  constructor(pool: Pool) {
    this.#pool = pool;
    void this.#fetch();
  }

  /** Undefined where none is at hand: the database gives one with the write, then. */
  next(): number | undefined {
    if (this.#keys.length < blockSize / 2) void this.#fetch();
    return this.#keys.shift();
  }

  async #fetch(): Promise<void> {
    if (this.#isFetching) return;
    this.#isFetching = true;
    try {
      const { rows } = await this.#pool.query<{ key: string }>(
        `select nextval(pg_get_serial_sequence('durable.instance', 'key')) as key
         from generate_series(1, $1)`,
        [blockSize],
      );
      this.#keys.push(...rows.map(({ key }) => Number(key)));
    } catch (error) {
      // Whoever asks next tries again.
      noteFailure("Fetching instance keys", error);
    }
    this.#isFetching = false;
  }
}
