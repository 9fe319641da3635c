/** Connections that break at any moment: an outage for whoever holds them, the end of no process. */
import { once } from "node:events";
import { createServer, type Server } from "node:net";
import type { PoolClient } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { startBroker } from "../../../local/broker/broker.js";
import { openPool } from "../../../local/stack-database.js";
import { openDatabase, type Database } from "../../../shared/database/platform/database.js";
import { DependencyUnavailableError } from "../../../shared/platform/dependency-unavailable.js";
import { createLogger } from "../../../shared/platform/logger.js";
import { testTopology } from "../../support/broker/broker.js";
import { openPool as openTestPool } from "../../support/database/connections.js";
import { DatabaseProxy } from "../../support/database/database-proxy.js";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";

const message = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};

/** Authenticated, ready, and shut down by an administrator, all in one packet. */
const hailAndFarewell = Buffer.concat([
  message("R", Buffer.alloc(4)),
  message("Z", Buffer.from("I")),
  message("E", Buffer.from("SFATAL\0C57P01\0Mterminating connection\0\0")),
]);

const logger = createLogger("error", () => undefined);
const Setting = z.object({ setting: z.string() });
const endOthers = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`;

let server: Server;
let url: string;
let created: TestDatabase;
let database: Database;

beforeAll(async () => {
  server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(hailAndFarewell));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("a TCP port was expected");
  url = `postgres://user@127.0.0.1:${address.port}/any`;
  created = await createDatabase({ migrated: true });
  database = openDatabase({ connection: { kind: "url", url: created.url }, logger });
});
afterAll(async () => {
  server.close();
  await database.close();
  await created.drop();
});

// An error event that nobody hears fails the run, whatever is expected here.
test("the broker hears of a connection that is lost as soon as it is open", async () => {
  const options = { connectionString: url, topology: testTopology, port: 0 };
  await expect(startBroker(options)).rejects.toThrow();
});

test("the host hears of a connection that is lost as soon as it is open", async () => {
  const pool = openPool(url, () => undefined);
  await expect(pool.connect().then((client) => client.query("select 1"))).rejects.toThrow();
});

const endOf = async (client: PoolClient): Promise<void> =>
  new Promise((resolve) => client.once("end", resolve));

test.each([
  ["the host", openPool],
  ["the tests", (url: string) => openTestPool(url)],
])(
  "what cuts the last connections of a pool that has ended is no news for %s",
  async (_of, open) => {
    const dropped = await createDatabase();
    const proxy = await DatabaseProxy.before(dropped.url);
    const warnings: string[] = [];
    const pool = open(proxy.url, (warning) => warnings.push(warning));
    const client = await pool.connect();
    client.release();
    // The server does not hear the farewell before it is told to drop the database.
    proxy.silence();
    await pool.end();
    await dropped.drop();
    const ended = endOf(client);
    proxy.restore();
    await ended;
    expect(warnings).toEqual([]);
    await proxy.close();
  },
);

/** Resolves when the connection that the pool gives out next has ended. */
const nextEnd = async (): Promise<void> => {
  const [client] = (await once(database.pool, "acquire")) as [PoolClient];
  await endOf(client);
};

test("a connection that breaks between two statements of a transaction is an outage", async () => {
  await database.ready();
  const ended = nextEnd();
  const broken = database.transaction(async (tx) => {
    await database.execute(endOthers);
    // The end arrives while the transaction waits for something else.
    await ended;
    return tx.execute("select 1");
  });
  await expect(broken).rejects.toThrow(DependencyUnavailableError);
  expect(await database.transaction((tx) => tx.execute("select 1"))).toBe(1);
});

test("a transaction whose statement takes too long is an outage", async () => {
  const slow = database.transaction(async (tx) => {
    await tx.execute("set local statement_timeout = 5");
    return tx.execute("select pg_sleep(10)");
  });
  await expect(slow).rejects.toThrow(DependencyUnavailableError);
});

test("a transaction that stands still for too long is an outage", async () => {
  const ended = nextEnd();
  const still = database.transaction(async (tx) => {
    await tx.execute("set local idle_in_transaction_session_timeout = 5");
    await ended;
    return tx.execute("select 1");
  });
  await expect(still).rejects.toThrow(DependencyUnavailableError);
});

test("a start whose connection breaks is an outage, and the next call starts anew", async () => {
  let starts = 0;
  const starting = openDatabase({
    connection: { kind: "url", url: created.url },
    logger,
    prepare: async (queryable) => {
      starts += 1;
      if (starts === 1) await queryable.execute("select pg_terminate_backend(pg_backend_pid())");
    },
  });
  await expect(starting.execute("select 1")).rejects.toThrow(DependencyUnavailableError);
  expect(await starting.execute("select 1")).toBe(1);
  expect(starts).toBe(2);
  await starting.close();
});

test("a migration that the server undoes for want of room is an outage, and the next call begins anew", async () => {
  const empty = await createDatabase();
  const starting = openDatabase({ connection: { kind: "url", url: empty.url }, logger });
  await starting.pool.query(`
    create function fill_up() returns event_trigger language plpgsql as $$ begin
      if to_regclass('borsello.migration') is not null then
        raise exception using errcode = 'disk_full';
      end if;
    end $$;
    create event trigger full_disk on ddl_command_start execute function fill_up()`);
  await expect(starting.ready()).rejects.toMatchObject({ cause: { code: "53100" } });
  await expect(starting.execute("select 1")).rejects.toThrow(DependencyUnavailableError);
  await starting.pool.query("drop event trigger full_disk");
  expect(await starting.execute("select 1")).toBe(1);
  await starting.close();
  await empty.drop();
});

test("a statement has half a minute, a migration as long as it needs", async () => {
  const show = "select current_setting('statement_timeout') as setting";
  const settings: unknown[] = [];
  const timed = openDatabase({
    connection: { kind: "url", url: created.url },
    logger,
    prepare: async (queryable) => void settings.push(await queryable.row(Setting, show)),
  });
  settings.push(await timed.row(Setting, show));
  expect(settings).toEqual([{ setting: "0" }, { setting: "30s" }]);
  await timed.close();
});
