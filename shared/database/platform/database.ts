/** The door to PostgreSQL: typed rows, transactions, commands that nudge the relay, outages by name. */
import { createHash } from "node:crypto";
import pg from "pg";
import type { z } from "zod";
import type { DatabaseConnection } from "../../platform/config.js";
import { DependencyUnavailableError } from "../../platform/dependency-unavailable.js";
import { loggedFailures, type Logger } from "../../platform/logger.js";
import { isOutage } from "../../platform/outage.js";
import { tracing, type SpanStart } from "../../platform/telemetry/tracing.js";
import { openPool, withConnection } from "./connections.js";
import { migrate } from "./migrate.js";

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
  /**
   * One connection without a transaction, for work that waits for others meanwhile. What it locks for the
   * session is given back at its end, or by the server after a minute without a word: `work` begins again
   * elsewhere then, so all of it must be safe to be done twice.
   */
  session<Value>(work: (session: Queryable) => Promise<Value>): Promise<Value>;
  /** One transaction around commands and transactions that know nothing of it; then nudges the relay. */
  enclosed<Value>(work: (database: Database) => Promise<Value>): Promise<Value>;
  /** A change in one statement: like row(), then nudges the relay. */
  command<Row>(
    row: z.ZodType<Row>,
    text: string,
    values?: readonly unknown[],
  ): Promise<Row | undefined>;
  /** The same for a change that many callers wait for: a row for each. */
  commands<Row>(row: z.ZodType<Row>, text: string, values?: readonly unknown[]): Promise<Row[]>;
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
  (client: pg.ClientBase): Run =>
  (text, values) =>
    client.query<object>({ name: statementName(text), text, values: [...values] });

const serializationFailure = "40001";
const deadlockDetected = "40P01";

/** The server undid the work because of somebody else's: doing it again is safe and may succeed. */
const isRetryable = (error: unknown): boolean =>
  error instanceof pg.DatabaseError &&
  (error.code === serializationFailure || error.code === deadlockDetected);

const attemptsMax = 4;

/** Repeats work that the server rolled back for another's sake; gives outages their name. */
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

/** What the transaction writes to the outbox is of the trace of whoever runs it; a sound one holds no quote. */
const beginning = (traceParent: string | undefined): string =>
  traceParent === undefined ? "begin" : `begin; set local borsello.trace_parent = '${traceParent}'`;

const inTransaction = async <Value>(
  pool: pg.Pool,
  work: (tx: Queryable) => Promise<Value>,
): Promise<Value> => {
  const client = await pool.connect();
  let isBroken = false;
  try {
    await client.query(beginning(tracing.current()));
    const value = await work(queryable(runOn(client)));
    await client.query("commit");
    return value;
  } catch (error) {
    // Closing the connection rolls back, too: a connection that cannot be told to is of no more use.
    await client.query("rollback").catch(() => {
      isBroken = true;
    });
    throw error;
  } finally {
    client.release(isBroken);
  }
};

/** Whoever falls silent, frozen or cut off from the network, must not hold what others wait for. */
const holdFor = "set idle_session_timeout = '60s'";
const giveBack = "select pg_advisory_unlock_all(); reset idle_session_timeout";

const inSession = async <Value>(
  pool: pg.Pool,
  work: (session: Queryable) => Promise<Value>,
): Promise<Value> => {
  const client = await pool.connect();
  let isBroken = false;
  try {
    await client.query(holdFor);
    return await work(queryable(runOn(client)));
  } finally {
    // Closing the connection gives everything back, too.
    await client.query(giveBack).catch(() => {
      isBroken = true;
    });
    client.release(isBroken);
  }
};

/**
 * The database as seen from within one transaction, each command and transaction a part of it. What
 * fails in a part is undone alone, as if the part had been a transaction of its own, so that its
 * caller may make a refusal of the error. Parts follow each other: they share one connection.
 */
const enclosedIn = (tx: Queryable, database: Database): Database => {
  const part = async <Value>(work: () => Promise<Value>): Promise<Value> => {
    await tx.execute("savepoint part");
    try {
      const value = await work();
      await tx.execute("release savepoint part");
      return value;
    } catch (error) {
      // Where even this fails the connection is broken, and the whole transaction with it.
      await tx.execute("rollback to savepoint part").catch(() => undefined);
      throw error;
    }
  };
  const transaction: Database["transaction"] = (work) => part(() => work(tx));
  return {
    ...database,
    ...tx,
    command: (row, text, values) => part(() => tx.row(row, text, values)),
    commands: (row, text, values) => part(() => tx.rows(row, text, values)),
    transaction,
    quietTransaction: transaction,
    enclosed: (work) => part(() => work(enclosedIn(tx, database))),
  };
};

/**
 * Runs single statements, each on a connection of the pool. The server tells of a failure before it has
 * undone it, and a repeat would find the failed one's own locks: a failure is passed on once the connection
 * answers again.
 */
const runOnPool =
  (pool: pg.Pool): Run =>
  async (text, values) => {
    const client = await pool.connect();
    let isBroken = false;
    try {
      return await runOn(client)(text, values);
    } catch (error) {
      // What is no answer of the server leaves a connection of no more use.
      isBroken = !(error instanceof pg.DatabaseError);
      if (!isBroken)
        await client.query("").catch(() => {
          isBroken = true;
        });
      throw error;
    } finally {
      client.release(isBroken);
    }
  };

/** So long a call waits for migrations that are under way, here or in another instance. */
const preparationMs = 10_000;

const withinPreparation = async (prepared: Promise<void>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new DependencyUnavailableError("the database, which is being migrated,")),
      preparationMs,
    );
  });
  await Promise.race([prepared, late]).finally(() => clearTimeout(timer));
};

interface Preparation {
  /** Resolves once the schema is up to date, however long that takes. */
  readonly ready: () => Promise<void>;
  /** The same for a call, which does not wait that long. */
  readonly soon: () => Promise<void> | undefined;
}

const preparation = ({ connection, prepare }: DatabaseSettings): Preparation => {
  let prepared: Promise<void> | undefined;
  let isDone = false;
  const prepareNow = () =>
    withConnection(connection, async (client) => {
      await migrate(client);
      await prepare?.(queryable(runOn(client)));
      isDone = true;
    });
  const ready = (): Promise<void> => {
    // A start that failed (the server was away) is tried again by the next call.
    prepared ??= guarded(prepareNow).catch((error: unknown) => {
      prepared = undefined;
      throw error;
    });
    return prepared;
  };
  return { ready, soon: () => (isDone ? undefined : withinPreparation(ready())) };
};

const poolSizeDefault = 16;

/** The texts are ours: what callers have sent are values. */
const databaseSpan = (name: string, text?: string): SpanStart => ({
  name,
  kind: "client",
  attributes: { "db.system.name": "postgresql", "db.query.text": text },
});
const transactionSpan = databaseSpan("transaction");

/** Opens the database; connects, migrates and prepares it before its first use. */
export const openDatabase = (settings: DatabaseSettings): Database => {
  const { connection, poolSize = poolSizeDefault, logger } = settings;
  const pool = openPool(connection, poolSize, loggedFailures(logger));
  const { ready, soon } = preparation(settings);
  const listeners: (() => void)[] = [];
  const runOne = runOnPool(pool);
  const run: Run = async (text, values) => {
    await soon();
    if (!tracing.isOn()) return guarded(() => runOne(text, values));
    return tracing.part(databaseSpan("query", text), () => guarded(() => runOne(text, values)));
  };
  /** What a commit sets going outlasts whoever committed, and belongs to no trace. */
  const committed = <Value>(value: Value): Value => {
    tracing.apart(() => {
      for (const listener of listeners) listener();
    });
    return value;
  };
  const base = queryable(run);
  const quietTransaction: Database["quietTransaction"] = async (work) => {
    await soon();
    return tracing.part(transactionSpan, () => guarded(() => inTransaction(pool, work)));
  };
  /** A statement alone cannot say whose trace it is of. */
  const command = <Value>(work: (queryable: Queryable) => Promise<Value>): Promise<Value> =>
    tracing.current() === undefined ? work(base) : quietTransaction(work);
  const database: Database = {
    ...base,
    command: async (row, text, values) =>
      committed(await command((on) => on.row(row, text, values))),
    commands: async (row, text, values) =>
      committed(await command((on) => on.rows(row, text, values))),
    transaction: async (work) => committed(await quietTransaction(work)),
    quietTransaction,
    session: async (work) => {
      await soon();
      return guarded(() => inSession(pool, work));
    },
    enclosed: (work) => database.transaction((tx) => work(enclosedIn(tx, database))),
    onCommit: (listener) => void listeners.push(listener),
    ready,
    close: () => pool.end(),
    pool,
  };
  return database;
};
