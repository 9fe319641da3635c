/** One durable PostgreSQL for a bench, with a database for each who asks. */
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";
import { startPostgres } from "../../local/postgres/server.js";
import { withTemporaryFolder } from "../platform/process.js";

export interface BenchPostgres {
  /** Below it, a bench may keep what it likes. */
  readonly folder: string;
  /** Connection string of a new database. */
  createDatabase(name: string): Promise<string>;
  dropDatabase(name: string): Promise<void>;
}

/** The product's settings, but for room to let several contenders in at once. */
const settings = { max_connections: "300" };

export const withClient = async <T>(
  url: string,
  use: (client: Client) => Promise<T>,
): Promise<T> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
};

export const withBenchPostgres = async <T>(
  use: (postgres: BenchPostgres) => Promise<T>,
): Promise<T> =>
  withTemporaryFolder(async (folder) => {
    // Run by root, the server's own account has to pass through the folder.
    await chmod(folder, 0o711);
    const server = await startPostgres({ dataDirectory: join(folder, "postgres"), settings });
    const run = async (statement: string): Promise<void> =>
      withClient(server.url, async (client) => {
        await client.query(statement);
      });
    try {
      return await use({
        folder,
        createDatabase: async (name) => {
          await run(`create database ${name}`);
          const url = new URL(server.url);
          url.pathname = `/${name}`;
          return url.href;
        },
        dropDatabase: async (name) => run(`drop database ${name} with (force)`),
      });
    } finally {
      await server.stop();
    }
  });
