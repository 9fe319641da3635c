/** Work in one transaction, on a connection that may be lost at any moment without harm. */
import type { Pool, PoolClient } from "pg";

/** A lost connection shows in the next query; its event, unheard, would end the process. */
export const withErrorListener = (client: PoolClient): PoolClient => {
  if (!client.listeners("error").includes(ignore)) client.on("error", ignore);
  return client;
};

const ignore = (): void => undefined;

export const inTransaction = async <Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> => {
  const client = withErrorListener(await pool.connect());
  try {
    await client.query("begin");
    const result = await work(client);
    await client.query("commit");
    client.release();
    return result;
  } catch (error) {
    // Closing the connection rolls back, even where it can no longer be told to.
    client.release(true);
    throw error;
  }
};
