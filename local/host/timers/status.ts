/** Remembers when each timer function ran last and is due next, across restarts. */
import type { Pool } from "pg";
import { inTransaction } from "../../durable/storage/transaction.js";

export interface TimerStatus {
  /** Undefined until the function has run for the first time. */
  readonly lastMs: number | undefined;
  /** Infinity where it never runs again. */
  readonly nextMs: number;
  readonly updatedMs: number;
}

export interface TimerStatusStore {
  read(functionName: string): Promise<TimerStatus | undefined>;
  write(functionName: string, status: TimerStatus): Promise<void>;
}

interface StatusRow {
  readonly last_run: Date | null;
  /** The driver reads `infinity` as a number. */
  readonly next_run: Date | number;
  readonly updated: Date;
}

/** Any number that is the host's own: it keeps two hosts from making the schema at once. */
const schemaLock = 7_071_002;

const createSchema = async (pool: Pool): Promise<void> =>
  inTransaction(pool, async (client) => {
    await client.query("select pg_advisory_xact_lock($1)", [schemaLock]);
    await client.query(`
      create schema if not exists host;
      create table if not exists host.timer_status (
        app text not null,
        function_name text not null,
        last_run timestamptz,
        next_run timestamptz not null,
        updated timestamptz not null,
        primary key (app, function_name)
      )`);
  });

/** `app` keeps apps that share one database apart. */
export const timerStatusStore = async (pool: Pool, app: string): Promise<TimerStatusStore> => {
  await createSchema(pool);
  return {
    read: async (functionName) => {
      const { rows } = await pool.query<StatusRow>(
        `select last_run, next_run, updated from host.timer_status
          where app = $1 and function_name = $2`,
        [app, functionName],
      );
      const [row] = rows;
      if (row === undefined) return undefined;
      return {
        lastMs: row.last_run?.getTime(),
        nextMs: Number(row.next_run),
        updatedMs: row.updated.getTime(),
      };
    },
    write: async (functionName, { lastMs, nextMs, updatedMs }) => {
      await pool.query(
        `insert into host.timer_status (app, function_name, last_run, next_run, updated)
         values ($1, $2, $3, $4, $5)
         on conflict (app, function_name) do update
           set last_run = excluded.last_run, next_run = excluded.next_run, updated = excluded.updated`,
        [
          app,
          functionName,
          lastMs === undefined ? null : new Date(lastMs),
          Number.isFinite(nextMs) ? new Date(nextMs) : "infinity",
          new Date(updatedMs),
        ],
      );
    },
  };
};
