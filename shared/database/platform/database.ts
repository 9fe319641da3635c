/** The door to PostgreSQL: typed rows, transactions, commands that nudge the relay, outages by name. */
import { createHash } from "node:crypto";
import pg from "pg";
import type { z } from "zod";
import type { DatabaseConnection } from "../../platform/config.js";
import { DependencyUnavailableError } from "../../platform/dependency-unavailable.js";
import type { Logger } from "../../platform/logger.js";
import { entraPassword } from "./entra-password.js";
import { migrate } from "./migrate.js";
import { isOutage, isRetryable } from "./postgres-errors.js";

export interface Queryable {
  rows<Row>(row: z.ZodType<Row>, text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** The first row, or undefined. */
  row<Row>(
    row: z.ZodType<Row>,
    text: string,
    values?: readonly unknown[],
  ): Promise<Row | undefined>;
  /** The number of rows touched. */
  execute(text: string, values?: readonly unknown[]): Promise<number>;
}

export interface Database extends Queryable {
  /** Runs `work` in one transaction, again from its start after a deadlock; then nudges the relay. */
  transaction<Value>(work: (tx: Queryable) => Promise<Value>): Promise<Value>;
  /** The same without the nudge: the relay's own transactions must not wake it again. */
  quietTransaction<Value>(work: (tx: Queryable) => Promise<Value>): Promise<Value>;
  /** A change in one statement: like row(), then nudges the relay. */
  command<Row>(
    row: z.ZodType<Row>,
    text: string,
    values?: readonly unknown[],
  ): Promise<Row | undefined>;
  /** Called after each commit of a transaction or command. */
  onCommit(listener: () => void): void;
  /** Resolves once the schema is up to date; every other call waits for it by itself. */
  ready(): Promise<void>;
  close(): Promise<void>;
  readonly pool: pg.Pool;
}

export interface DatabaseSettings {
  readonly connection: DatabaseConnection;
  readonly logger: Logger;
  /** Runs once after the migrations: what an environment wants to find in its tables. */
  readonly prepare?: (queryable: Queryable) => Promise<void>;
  readonly poolSize?: number;
}

/** The constraint that a write would have violated, or undefined where the error is another. */
export const uniqueViolation = (error: unknown): string | undefined =>
  error instanceof pg.DatabaseError && error.code === "23505" ? error.constraint : undefined;

/** The types of this pool alone: `pg.types` is shared by everything that runs in the process. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === pg.types.builtins.INT8 && format !== "binary"
      ? (text: string): bigint => BigInt(text)
      : (pg.types.getTypeParser(oid, format) as (text: string) => unknown),
};

const poolConfig = ({ connection, poolSize = 16 }: DatabaseSettings): pg.PoolConfig => ({
  ...(connection.kind === "url"
    ? { connectionString: connection.url }
    : {
        host: connection.host,
        database: connection.database,
        user: connection.user,
        password: entraPassword(),
        ssl: true,
      }),
  max: poolSize,
  connectionTimeoutMillis: 5_000,
  idle_in_transaction_session_timeout: 30_000,
  statement_timeout: 30_000,
  keepAlive: true,
  application_name: "borsello",
  types,
});

const statementNames = new Map<string, string>();

/** A prepared statement's name: the hash of its text, so each connection parses and plans it once. */
const statementName = (text: string): string => {
  const known = statementNames.get(text);
  if (known !== undefined) return known;
  const name = createHash("sha256").update(text).digest("base64url").slice(0, 24);
  statementNames.set(text, name);
  return name;
};

type Run = (text: string, values: readonly unknown[]) => Promise<pg.QueryResult<object>>;

const queryable = (run: Run): Queryable => ({
  rows: async (row, text, values = []) =>
    (await run(text, values)).rows.map((found) => row.parse(found)),
  row: async (row, text, values = []) => {
    const [found] = (await run(text, values)).rows;
    return found === undefined ? undefined : row.parse(found);
  },
  execute: async (text, values = []) => (await run(text, values)).rowCount ?? 0,
});

const runOn =
  (client: pg.Pool | pg.ClientBase): Run =>
  (text, values) =>
    client.query<object>({ name: statementName(text), text, values: [...values] });

const attemptsMax = 4;

/** Repeats work that the server rolled back for another's sake; turns lost connections into outages. */
const guarded = async <Value>(work: () => Promise<Value>): Promise<Value> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (isRetryable(error) && attempt < attemptsMax) continue;
      if (isOutage(error)) throw new DependencyUnavailableError("the database", error);
      throw error;
    }
  }
};

const inTransaction = async <Value>(
  pool: pg.Pool,
  work: (tx: Queryable) => Promise<Value>,
): Promise<Value> => {
  const client = await pool.connect();
  let broken = false;
  try {
    await client.query("begin");
    const value = await work(queryable(runOn(client)));
    await client.query("commit");
    return value;
  } catch (error) {
    // A connection that cannot even roll back is of no use to the next one.
    await client.query("rollback").catch(() => {
      broken = true;
    });
    throw error;
  } finally {
    client.release(broken);
  }
};

const prepareOnce = (pool: pg.Pool, settings: DatabaseSettings): (() => Promise<void>) => {
  let prepared: Promise<void> | undefined;
  const prepare = async (): Promise<void> => {
    const client = await pool.connect();
    try {
      await migrate(client);
      await settings.prepare?.(queryable(runOn(client)));
    } finally {
      client.release();
    }
  };
  return () => {
    // A start that failed (the server was away) is tried again by the next call.
    prepared ??= guarded(prepare).catch((error: unknown) => {
      prepared = undefined;
      throw error;
    });
    return prepared;
  };
};

/** Opens the database; connects, migrates and prepares it before its first use. */
export const openDatabase = (settings: DatabaseSettings): Database => {
  const pool = new pg.Pool(poolConfig(settings));
  // Without a listener, a server restart would end the process through an idle connection.
  pool.on("error", (error) =>
    settings.logger.warn("An idle database connection broke.", { error }),
  );
  const ready = prepareOnce(pool, settings);
  const listeners: (() => void)[] = [];
  const runOnPool = runOn(pool);
  const run: Run = async (text, values) => {
    await ready();
    return guarded(() => runOnPool(text, values));
  };
  const committed = <Value>(value: Value): Value => {
    for (const listener of listeners) listener();
    return value;
  };
  const base = queryable(run);
  const quietTransaction: Database["quietTransaction"] = async (work) => {
    await ready();
    return guarded(() => inTransaction(pool, work));
  };
  return {
    ...base,
    command: async (row, text, values) => committed(await base.row(row, text, values)),
    transaction: async (work) => committed(await quietTransaction(work)),
    quietTransaction,
    onCommit: (listener) => void listeners.push(listener),
    ready,
    close: () => pool.end(),
    pool,
  };
};
