/** What the engine throws away by itself: instances that ended long ago, and nothing else. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { connect } from "../../support/database/connections.js";
import { createDatabase, type TestDatabase } from "../../support/database/database.js";
import { startDurableHost, type DurableHost } from "../../support/durable/durable-host.js";

let database: TestDatabase;
let host: DurableHost;

beforeEach(async () => {
  database = await createDatabase();
  host = await startDurableHost(database.url);
});
afterEach(async () => {
  await host.kill();
  await database.drop();
});

test("instances that ended more than thirty days ago are gone after the next start, with all that was theirs", async () => {
  await host.run("sequence", "old", 1);
  await host.run("sequence", "recent", 1);
  await host.start("events", "open", 1);
  await host.until("open", ["Running"]);
  await host.kill();
  const client = await connect(database.url);
  const age = async (id: string, days: number): Promise<void> => {
    await client.query(
      `update durable.instance set created_at = created_at - $2 * interval '1 day',
         updated_at = updated_at - $2 * interval '1 day',
         completed_at = completed_at - $2 * interval '1 day' where id = $1`,
      [id, days],
    );
  };
  await age("old", 31);
  await age("recent", 29);
  await age("open", 400);
  host = await startDurableHost(database.url);
  await expect.poll(async () => (await host.api("GET", "instances/old")).status).toBe(404);
  expect((await host.status("recent")).output).toEqual([1, 1]);
  await host.raise("open", "still there");
  expect((await host.until("open")).output).toEqual(["still there"]);
  const { rows } = await client.query(
    `select count(*)::int as orphans from durable.history h
     where not exists (select from durable.instance i where i.key = h.key)`,
  );
  await client.end();
  expect(rows).toEqual([{ orphans: 0 }]);
});

test("a purge by filter that takes longer than other calls may is waited for, and counted", async () => {
  await host.run("sequence", "held", 1);
  const client = await connect(database.url);
  await client.query("begin");
  await client.query("select from durable.instance where id = 'held' for update");
  const purged = host.api("DELETE", "instances?createdTimeFrom=2000-01-01T00:00:00Z");
  await sleep(5_500);
  await client.query("rollback");
  await client.end();
  const answer = await purged;
  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual({ instancesDeleted: 1 });
});
