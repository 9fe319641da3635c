/**
 * The tests' own connections to a database. A lost one is no news here, where databases are dropped and
 * servers killed: whoever uses it hears it from the query, and its error event, unheard, would end the run.
 * Even a pool that has ended may still have connections open, which a drop of their database cuts.
 */
import pg from "pg";

const ignore = (): void => undefined;

export const openPool = (connectionString: string, max = 10): pg.Pool => {
  const pool = new pg.Pool({ connectionString, max });
  pool.on("error", ignore);
  pool.on("connect", (client) => void client.on("error", ignore));
  return pool;
};

/** Runs `work` on a connection of its own. */
export const withClient = async <Value>(
  config: pg.ClientConfig & { readonly connectionString: string },
  work: (client: pg.Client) => Promise<Value>,
): Promise<Value> => {
  const client = new pg.Client(config);
  client.on("error", ignore);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(ignore);
  }
};

/** A connection that its owner ends. */
export const connect = async (connectionString: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString });
  client.on("error", ignore);
  await client.connect();
  return client;
};

/** The rows of one statement, on a connection of its own. */
export const rowsOf = async <Row extends pg.QueryResultRow = Record<string, unknown>>(
  connectionString: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> =>
  withClient({ connectionString }, async (client) => {
    const { rows } = await client.query<Row>(text, [...values]);
    return rows;
  });
