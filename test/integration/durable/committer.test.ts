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
  const statement = flushStatement({ hub: "hub", hostId, writerId: hostId, number: 1 }, [
    turn,
    change(),
  ]);
  const { rows } = await pool.query<{ key: string | null }>(statement);
  const passed = rows.flatMap(({ key }) => key ?? []);
  expect(passed).toEqual([String(created?.key)]);
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

/** As if whoever reads the rows had done its work before the answer could come. */
const takeAtOnce = async (table: string, work: string): Promise<void> => {
  await pool.query(`create table taken (id bigint generated always as identity);
    create function take() returns trigger language plpgsql as $$ begin
      insert into taken default values; ${work}; return null; end $$;
    create trigger take after insert on durable.${table} for each row execute function take()`);
};

const timesTaken = async (): Promise<number> =>
  (await pool.query("select from taken")).rowCount ?? 0;

test("a message whose write lost its answer is not sent again, though it has been consumed since", async () => {
  await takeAtOnce("message", "delete from durable.message where id = new.id");
  proxy.loseAnswerTo("durable-flush");
  const message = { id: 1, target: "flow", body: { type: "event" as const, name: "go" } };
  const committed = await committer.commit({ at: new Date(), messages: [message] });
  expect(await timesTaken()).toBe(1);
  expect(committed.isShared).toBe(true);
});

test("what is sent soon after a lost answer goes by the disk, too, and so does not overtake what was sent before", async () => {
  expect((await committer.commit(change())).isShared).toBe(false);
  proxy.loseAnswerTo("durable-flush");
  await committer.commit(change());
  expect((await committer.commit(change())).isShared).toBe(true);
});

test("a start whose write lost its answer is not done again, though it has ended since", async () => {
  await takeAtOnce(
    "instance",
    "update durable.instance set completed_at = now() where key = new.key",
  );
  proxy.loseAnswerTo("durable-flush");
  const flow = { id: "flow", kind: "orchestration", executionId: "e", name: "flow" } as const;
  const started = { ...flow, status: "Pending" as const };
  const committed = await committer.commit({ at: new Date(), instances: [started] });
  expect(committed.created.get("flow")?.executionId).toBe("e");
  const { rows } = await pool.query("select from durable.instance where completed_at is not null");
  expect(rows).toHaveLength(1);
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
