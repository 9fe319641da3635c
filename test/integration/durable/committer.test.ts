/** Changes reach the database through connections that may break at any moment, and leave none behind. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Committer } from "../../../local/durable/storage/committer.js";
import { newEntity } from "../../../local/durable/turns/command-effects.js";
import { createSchema } from "../../../local/durable/storage/schema.js";
import { openPool } from "../../support/database/connections.js";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";
import { DatabaseProxy } from "../../support/database/database-proxy.js";

let database: TestDatabase;
let proxy: DatabaseProxy;
let pool: Pool;
let committer: Committer;

beforeEach(async () => {
  database = await createDatabase();
  proxy = await DatabaseProxy.before(database.url);
  pool = openPool(proxy.url, 2);
  await createSchema(pool);
  committer = new Committer(pool, "hub", { hostId: "00000000-0000-4000-8000-000000000000" });
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

test("of two children with one id in one write, the refusal of the second is on disk", async () => {
  const child = (execution: string, conflictId: number) => ({
    id: "child",
    kind: "orchestration" as const,
    executionId: execution,
    name: "flow",
    status: "Pending" as const,
    onConflict: {
      id: conflictId,
      target: "parent",
      executionId: "parent-execution",
      body: { type: "childFailed" as const, taskId: conflictId, reason: "", details: "" },
    },
  });
  const committed = await committer.commit({
    at: new Date(),
    instances: [child("first", 1), child("second", 2)],
  });
  const winner = committed.created.get("child")?.executionId;
  const { rows } = await pool.query<{ id: string }>("select id from durable.message");
  expect(rows).toEqual([{ id: winner === "first" ? "2" : "1" }]);
});
