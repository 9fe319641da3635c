/** What the local parts do with the database besides their own tables: connect, check, read the clock. */
import { Client, DatabaseError, Pool } from "pg";
import { localClock } from "./clock.js";
import type { LocalClock } from "./clock.js";
import { StartError } from "./start-error.js";

const oldestVersion = 18;
const poolSize = 10;

/** SQL states of a table, or the schema around it, that is not there (yet). */
const absent = new Set(["42P01", "3F000"]);

/** Where a connection string leads, without its password. */
const placeOf = (connectionString: string): string => {
  const { hostname, port, pathname } = new URL(connectionString);
  return `${hostname === "" ? "localhost" : hostname}:${port === "" ? "5432" : port}${pathname}`;
};

/** Proves that the database answers and is recent enough, or says in one sentence what is wrong. */
export const checkDatabase = async (connectionString: string): Promise<void> => {
  const client = new Client({ connectionString, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
    const { rows } = await client.query<{ version: number }>(
      "select current_setting('server_version_num')::int / 10000 as version",
    );
    const version = rows[0]?.version ?? 0;
    if (version < oldestVersion)
      throw new StartError(
        `The database ${placeOf(connectionString)} is PostgreSQL ${version}: version ${oldestVersion} or later is needed.`,
      );
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(
      `The database ${placeOf(connectionString)} cannot be used: ${describe(error)}.`,
    );
  } finally {
    // Nothing is lost with a connection that cannot even be closed.
    await client.end().catch(() => undefined);
  }
};

const describe = (error: unknown): string => {
  if (error instanceof AggregateError) return error.errors.map(describe).join(", ");
  return error instanceof Error ? error.message : String(error);
};

/** Connections for the host and the durable engine; a lost idle one is replaced, not fatal. */
export const openPool = (connectionString: string, warn: (message: string) => void): Pool => {
  const pool = new Pool({ connectionString, max: poolSize });
  // The end of an idle connection is news only while it is wanted.
  pool.on("error", (error) => {
    if (!pool.ending) warn(`A connection was lost: ${error.message}`);
  });
  // One that is in use shows its loss in the next query; its event, unheard, would end the process.
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
};

/** The clock that the sandbox may move: `query` gives its offset in milliseconds, first column of the first row. */
export const openClock = async (pool: Pool, query: string | undefined): Promise<LocalClock> => {
  if (query === undefined) return localClock();
  const clock = localClock(async () => {
    try {
      const { rows } = await pool.query<[unknown]>({ text: query, rowMode: "array" });
      const offsetMs = Number(rows[0]?.[0] ?? 0);
      return Number.isFinite(offsetMs) ? offsetMs : 0;
    } catch (error) {
      if (error instanceof DatabaseError && absent.has(error.code ?? "")) return 0;
      throw error;
    }
  });
  await clock.reload();
  return clock;
};
