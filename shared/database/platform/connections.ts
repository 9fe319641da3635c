/** How connections to PostgreSQL are made: the pool's, and one of its own for what takes its time. */
import pg from "pg";
import type { DatabaseConnection } from "../../platform/config.js";
import type { NoteFailure } from "../../platform/outage.js";
import { entraPassword } from "./entra-password.js";

/** The types of these connections alone: `pg.types` is shared by everything that runs in the process. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === pg.types.builtins.INT8 && format !== "binary"
      ? (text: string): bigint => BigInt(text)
      : (pg.types.getTypeParser(oid, format) as (text: string) => unknown),
};

const clientConfig = (connection: DatabaseConnection): pg.ClientConfig => ({
  ...(connection.kind === "url"
    ? { connectionString: connection.url }
    : {
        host: connection.host,
        database: connection.database,
        user: connection.user,
        password: entraPassword(),
        ssl: true,
      }),
  connectionTimeoutMillis: 5_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  application_name: "borsello",
  types,
});

const statementMs = 30_000;

const poolConfig = (connection: DatabaseConnection, max: number): pg.PoolConfig => ({
  ...clientConfig(connection),
  max,
  idle_in_transaction_session_timeout: statementMs,
  statement_timeout: statementMs,
  // For a server that stands still and cannot keep its own time.
  query_timeout: statementMs + 5_000,
});

/** Connections for calls: each statement has half a minute. */
export const openPool = (
  connection: DatabaseConnection,
  max: number,
  note: NoteFailure,
): pg.Pool => {
  const pool = new pg.Pool(poolConfig(connection, max));
  // An error event that nobody hears ends the process. The pool hears only of idle connections...
  pool.on("error", (error) => note("A database connection", error));
  // ...and one that breaks in a transaction's hands shows it in the next statement, too.
  pool.on("connect", (client) => void client.on("error", () => undefined));
  return pool;
};

/** Runs work on a connection of its own, whose statements may take as long as they need. */
export const withConnection = async <Value>(
  connection: DatabaseConnection,
  work: (client: pg.Client) => Promise<Value>,
): Promise<Value> => {
  const client = new pg.Client(clientConfig(connection));
  // Its loss shows in the next statement; the event, unheard, would end the process.
  client.on("error", () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    // Nothing is lost with a connection that cannot even be closed.
    await client.end().catch(() => undefined);
  }
};
