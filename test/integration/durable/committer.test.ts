/** Changes reach the database through connections that may break at any moment, and leave none behind. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Committer } from "../../../local/durable/storage/committer.js";
import { flushStatement } from "../../../local/durable/storage/flush/statement.js";
import { newEntity } from "../../../local/durable/turns/command-effects.js";
import { createSchema } from "../../../local/durable/storage/schema.js";
import { openPool } from "../../support/database/connections.js";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";
import { DatabaseProxy } from "../../support/database/database-proxy.js";

const hostId = "00000000-0000-4000-8000-000000000000";

let database: TestDatabase;
let proxy: DatabaseProxy;
let pool: Pool;
let committer: Committer;

beforeEach(async () => {
  database = await createDatabase();
  proxy = await DatabaseProxy.before(database.url);
  pool = openPool(proxy.url, 2);
  await createSchema(pool);
  committer = new Committer(pool, "hub", { hostId });
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

/** A turn of the entity `@counter@one`, as whoever holds it in that epoch writes it. */
const turnOf = (key: number, epoch: number, messageId: number) => ({
  at: new Date(),
  turn: {
    key,
    id: "@counter@one",
    epoch,
    turn: 0,
    status: "Running" as const,
    executionId: "execution",
    clears: "nothing" as const,
  },
  messages: [
    {
      id: messageId,
      target: "@counter@one",
      body: { type: "operation" as const, id: "", operation: "add" },
    },
  ],
});

test("a signal to an entity and a turn of it, with a signal to itself, go into one statement", async () => {
  const created = (await committer.commit(change())).created.get("@counter@one");
  const turn = { ...turnOf(created?.key ?? 0, 1, 1), instances: [newEntity("@counter@one")] };
  const statement = flushStatement("hub", hostId, [turn, change()]);
  const { rows } = await pool.query<{ id: string | null; key: string }>(statement);
  expect(rows).toEqual([expect.objectContaining({ id: null, key: String(created?.key) })]);
  expect((await pool.query("select turn from durable.instance")).rows).toEqual([{ turn: 1 }]);
});

test("of two turns of one instance that wait together, one of another epoch does not pass with the right one", async () => {
  const created = (await committer.commit(change())).created.get("@counter@one");
  const key = created?.key ?? 0;
  void committer.commit(change());
  const [right, wrong] = await Promise.all([
    committer.commit(turnOf(key, 1, 1)),
    committer.commit(turnOf(key, 0, 2)),
  ]);
  expect([right.applied, wrong.applied]).toEqual([true, false]);
  expect((await pool.query("select id from durable.message")).rows).toEqual([{ id: "1" }]);
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
