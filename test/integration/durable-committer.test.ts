/** Changes reach the database through connections that may break at any moment, and leave none behind. */
import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Committer } from "../../local/durable/committer.js";
import { newEntity } from "../../local/durable/command-effects.js";
import { createSchema } from "../../local/durable/schema.js";
import { createDatabase, type TestDatabase } from "../support/database.js";
import { DatabaseProxy } from "../support/database-proxy.js";

let database: TestDatabase;
let proxy: DatabaseProxy;
let pool: Pool;
let committer: Committer;

beforeEach(async () => {
  database = await createDatabase();
  proxy = await DatabaseProxy.before(database.url);
  pool = new Pool({ connectionString: proxy.url, max: 2 });
  pool.on("error", () => undefined);
  await createSchema(pool);
  committer = new Committer(pool, "hub", () => "00000000-0000-4000-8000-000000000000");
});
afterEach(async () => {
  committer.stop();
  await pool.end();
  await proxy.close();
  await database.drop();
});

const change = () => ({ at: new Date(), instances: [newEntity("@counter@one")] });

test("connections that break as soon as they are open do not use up the pool", async () => {
  for (let times = 0; times < 3; times++) {
    proxy.loseAnswerTo("plan_cache_mode");
    await committer.commit(change());
    proxy.refuse();
    proxy.restore();
  }
  expect((await committer.commit(change())).created.size).toBe(0);
});

test("what waits for a connection when the engine stops is not written, and keeps none", async () => {
  proxy.refuse();
  void committer.commit(change());
  await sleep(20);
  committer.stop();
  proxy.restore();
  await expect.poll(() => committer.pending).toBe(0);
  expect(pool.totalCount - pool.idleCount).toBe(0);
  expect((await pool.query("select from durable.instance")).rowCount).toBe(0);
});
