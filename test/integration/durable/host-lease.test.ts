/** Instances belong to hosts that live: to one at a time, and never for long to none. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { HostLease } from "../../../local/durable/hosts/host-lease.js";
import { createSchema } from "../../../local/durable/storage/schema.js";
import { openPool } from "../../support/database/connections.js";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";
import { DatabaseProxy } from "../../support/database/database-proxy.js";

const nothing = (): void => undefined;

let database: TestDatabase;
let proxy: DatabaseProxy;
let pool: Pool;
let host: HostLease;

beforeEach(async () => {
  database = await createDatabase();
  proxy = await DatabaseProxy.before(database.url);
  pool = openPool(proxy.url);
  await createSchema(pool);
  host = new HostLease(pool, "hub", 50);
  await host.start({ onMessage: nothing, onTakeover: nothing, onLost: nothing });
  await expect.poll(() => host.isSweeping, { interval: 3 }).toBe(false);
});

const rowsOf = async (text: string): Promise<readonly object[]> =>
  (await pool.query<Record<string, unknown>>(text)).rows;

afterEach(async () => {
  await host.stop(true);
  await pool.end();
  await proxy.close();
  await database.drop();
});

test("what a host leaves that came and went between two looks is taken over", async () => {
  await pool.query(
    `insert into durable.instance (hub, id, kind, execution_id, name, status, owner, created_at,
       updated_at) values ('hub', 'left', 'orchestration', 'e', 'n', 'Running', $1, now(), now())`,
    [randomUUID()],
  );
  await expect
    .poll(() => rowsOf("select owner from durable.instance"))
    .toEqual([{ owner: host.hostId }]);
});

test("a host whose connection breaks again while it comes back is one host", async () => {
  const before = host.hostId;
  // The first thing that it asks once it is registered again.
  proxy.loseAnswerTo("pg_locks");
  await expect.poll(() => host.hostId, { interval: 3 }).not.toBe(before);
  proxy.loseAnswerTo("pg_locks");
  const second = host.hostId;
  await expect.poll(() => host.hostId, { interval: 3 }).not.toBe(second);
  // Time enough for whoever thinks that it still has to be registered.
  await sleep(500);
  // The rows of those that it was before go, because nobody holds their locks any more.
  await expect.poll(() => rowsOf("select id from durable.host")).toEqual([{ id: host.hostId }]);
});

test("a host that is stopped while its database is away stops, and gives its connection back", async () => {
  proxy.refuse();
  await expect(host.stop(true)).resolves.toBeUndefined();
  proxy.restore();
  await expect.poll(() => pool.totalCount - pool.idleCount).toBe(0);
});
