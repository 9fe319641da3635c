/** The durable engine loses its database in every way: when it is back, nothing is missing. */
import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { startPostgres, type PostgresServer } from "../../local/postgres/server.js";
import { openFaultLoad, type FaultLoad } from "../support/durable/fault-load.js";
import { rowsOf } from "../support/database/connections.js";

let folder: string;
let server: PostgresServer;
let load: FaultLoad;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "borsello-outage-"));
  // Run by root, the server's own account has to pass through the folder.
  await chmod(folder, 0o711);
  server = await startPostgres({ dataDirectory: folder });
});
beforeEach(async () => {
  const name = `load_${randomBytes(4).toString("hex")}`;
  await tell(`create database ${name}`);
  load = await openFaultLoad(new URL(`/${name}`, server.url).href);
  await load.lives.start();
});
afterEach(async () => {
  await load.stop();
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

/** One statement over a connection of its own, once the server takes one. */
const tell = async (text: string): Promise<readonly Record<string, unknown>[]> => {
  for (;;) {
    try {
      return await rowsOf(server.url, text);
    } catch {
      await sleep(50);
    }
  }
};

const cutAllConnections = async (): Promise<void> => {
  await tell(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where backend_type = 'client backend' and pid <> pg_backend_pid()`,
  );
};

/** As an immediate stop: no checkpoint, no goodbye. Its supervisor brings it back. */
const crashServer = async (): Promise<void> => {
  const [row] = await tell("select split_part(pg_read_file('postmaster.pid'), e'\\n', 1) as pid");
  process.kill(Number(row?.["pid"]), "SIGQUIT");
};

const strike = async (times: number, outage: () => Promise<void>): Promise<void> => {
  for (let round = 0; round < times; round += 1) {
    load.beginRound();
    await sleep(150);
    await outage();
  }
  load.beginRound();
};

const judgeRounds = async (rounds: number): Promise<void> => {
  expect((await load.judge()).orchestrations).toBe(12 * rounds);
};

test("a load goes on through cut connections", async () => {
  await strike(5, cutAllConnections);
  await judgeRounds(6);
}, 90_000);

test("a load goes on through crashes of the database server", async () => {
  await strike(2, crashServer);
  await judgeRounds(3);
}, 90_000);

test("a load goes on after the database was away for a while", async () => {
  const port = Number(new URL(server.url).port);
  await strike(1, async () => {
    await server.stop();
    await sleep(2_000);
    server = await startPostgres({ dataDirectory: folder, port });
  });
  await judgeRounds(2);
}, 90_000);
