/** Numbers for messages: ascending, and never given out twice, by whatever process. */
import type { Pool } from "pg";
import { noteFailure } from "../../failures.js";

/** A process takes this many numbers at a time from the database. */
const blockSize = 1_048_576;

export class MessageIds {
  readonly #pool: Pool;
  #next: number;
  #end: number;
  /** The block after the current one, once half of the current one is used. */
  #following: number | undefined;
  #isFetching = false;

  private constructor(pool: Pool, first: number) {
    this.#pool = pool;
    this.#next = first;
    this.#end = first + blockSize;
  }

  static async open(pool: Pool): Promise<MessageIds> {
    return new MessageIds(pool, await MessageIds.#block(pool));
  }

  static async #block(pool: Pool): Promise<number> {
    const { rows } = await pool.query<{ block: string }>(
      "select nextval('durable.message_block') as block",
    );
    return Number(rows[0]?.block) * blockSize;
  }

  next(): number {
    if (this.#end - this.#next < blockSize / 2) void this.#fetch();
    if (this.#next === this.#end) {
      if (this.#following === undefined) throw new Error("No message numbers are left.");
      this.#next = this.#following;
      this.#end = this.#next + blockSize;
      this.#following = undefined;
    }
    return this.#next++;
  }

  async #fetch(): Promise<void> {
    if (this.#isFetching || this.#following !== undefined) return;
    this.#isFetching = true;
    try {
      this.#following = await MessageIds.#block(this.#pool);
    } catch (error) {
      noteFailure("Fetching message numbers", error);
    }
    this.#isFetching = false;
  }
}
