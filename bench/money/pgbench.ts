/** pgbench's TPC-B transaction on the same server, where the program is installed. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { withClient } from "../durable/bench-postgres.js";

const run = promisify(execFile);
const clients = 16;
const scale = 10;

export interface Pgbench {
  /** Transactions per second, prepared statements, 16 clients. */
  slot(seconds: number): Promise<number>;
}

/** Null where pgbench is not installed. */
export const preparePgbench = async (serverUrl: string, name: string): Promise<Pgbench | null> => {
  const isInstalled = await run("pgbench", ["--version"]).then(
    () => true,
    () => false,
  );
  if (!isInstalled) return null;
  await withClient(serverUrl, (client) => client.query(`create database ${name}`));
  const url = new URL(serverUrl);
  const env = {
    ...process.env,
    PGHOST: url.hostname,
    PGPORT: url.port,
    PGUSER: url.username,
    PGPASSWORD: decodeURIComponent(url.password),
    PGDATABASE: name,
  };
  await run("pgbench", ["-i", "-q", "-s", String(scale)], { env });
  return {
    slot: async (seconds) => {
      const { stdout } = await run(
        "pgbench",
        ["-n", "-M", "prepared", "-c", String(clients), "-j", "2", "-T", String(seconds)],
        { env },
      );
      const tps = /tps = ([\d.]+)/.exec(stdout)?.[1];
      if (tps === undefined) throw new Error(`pgbench said: ${stdout}`);
      return Number(tps);
    },
  };
};
